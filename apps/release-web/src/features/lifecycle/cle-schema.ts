import { type Static, Type } from '@sinclair/typebox';
import { DateTime } from '@workspace/schemas';

/**
 * The standard requires the address of its schema and does not say where it is. This is what Apache's release platform, the
 * largest publisher of such documents, writes.
 */
export const CLE_SCHEMA = 'https://ecma-tc54.github.io/ECMA-428/cle.v1.0.0.schema.json';

const exact = { additionalProperties: false };
const instant = (example: string, description: string) => ({ ...DateTime, examples: [example], description });
const base = {
  id: Type.Integer({ minimum: 1, description: 'of the event, in all documents; never changes' }),
  effective: instant('2026-12-31T00:00:00Z', 'from when on it holds'),
  published: instant('2026-07-30T00:00:00Z', 'when it was recorded; for what was imported, at the latest'),
};
const Range = Type.Array(
  Type.Object({ range: Type.String({ examples: ['vers:generic/>=8.4.0|<8.5.0'] }) }, exact),
);
const Versions = Type.Array(Type.Object({ version: Type.String({ examples: ['8.4.24'] }) }, exact));

const CleEvent = Type.Union([
  Type.Object(
    { ...base, type: Type.Literal('released'), version: Type.String({ examples: ['8.4.24'] }) },
    exact,
  ),
  Type.Object(
    {
      ...base,
      type: Type.Literal('endOfSupport'),
      versions: Range,
      supportId: Type.Union([Type.Literal('active'), Type.Literal('security')]),
    },
    exact,
  ),
  Type.Object(
    {
      ...base,
      type: Type.Literal('endOfLife'),
      versions: Type.Union([Range, Versions], { description: 'a branch, or a release that was withdrawn' }),
      description: Type.Optional(Type.String({ description: 'why a release was withdrawn' })),
    },
    exact,
  ),
  Type.Object(
    {
      ...base,
      type: Type.Literal('withdrawn'),
      eventId: Type.Integer({ description: 'of the event that no longer holds' }),
      reason: Type.Optional(Type.String()),
    },
    exact,
  ),
]);

/** A document of the Common Lifecycle Enumeration 1.0.0 (ECMA-428). */
export const Cle = Type.Object(
  {
    $schema: Type.Literal(CLE_SCHEMA),
    identifier: Type.String({ description: 'a package URL', examples: ['pkg:generic/php'] }),
    updatedAt: instant('2026-08-13T00:00:00Z', 'when the facts last changed'),
    definitions: Type.Object({
      support: Type.Array(
        Type.Object({
          id: Type.String({ examples: ['active'] }),
          description: Type.String({ examples: ['Bugs and security issues are fixed.'] }),
          url: Type.Optional(
            Type.String({ format: 'uri', examples: ['https://www.php.net/supported-versions.php'] }),
          ),
        }),
      ),
    }),
    events: Type.Array(CleEvent, { description: 'newest first' }),
  },
  { $id: 'Cle', ...exact },
);
export type Cle = Static<typeof Cle>;
