import { type Static, Type } from '@sinclair/typebox';
import { DateText, Version } from './scalars.ts';

const exact = { additionalProperties: false };

/** The build on offer, members in the order of the file. `number` 0 means no build yet. */
export const Build = Type.Object(
  {
    type: Type.Union([Type.Literal('alpha'), Type.Literal('beta'), Type.Literal('RC')], {
      description: 'its case is part of file names',
    }),
    number: Type.Integer({ minimum: 0 }),
    sha256_bz2: Type.Optional(Type.String()),
    sha256_gz: Type.Optional(Type.String()),
    sha256_xz: Type.Optional(Type.String()),
    date: Type.Optional(DateText),
    baseurl: Type.Optional(Type.String()),
  },
  exact,
);
export type Build = Static<typeof Build>;

/** The slot of a coming release: its base version and the newest build of it. */
export const PreRelease = Type.Object({ version: Version, active: Type.Boolean(), release: Build }, exact);
export type PreRelease = Static<typeof PreRelease>;

/** A build that was replaced or promoted, kept so that its digests are never published again. */
export const RetiredBuild = Type.Object(
  {
    version: Type.String({ pattern: '^\\d+\\.\\d+\\.\\d+(alpha|beta|RC)\\d+$', examples: ['8.4.25RC1'] }),
    sha256: Type.Array(Type.String({ pattern: '^[0-9a-f]{64}$' })),
    date: Type.Optional(DateText),
  },
  exact,
);
export type RetiredBuild = Static<typeof RetiredBuild>;
