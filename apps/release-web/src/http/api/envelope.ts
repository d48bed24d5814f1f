import { type TSchema, Type } from '@sinclair/typebox';
import { isoDate, parseDateText } from '@workspace/release-catalogue';
import { DateTime } from '@workspace/schemas';
import { jsonRepresentation } from '../rendering/checked-json.ts';
import type { Representation } from '../rendering/representation.ts';

/** Raised when a member changes its meaning or is removed; new members do not raise it. */
const SCHEMA_VERSION = '1.0';

const frame = {
  schema_version: Type.Literal(SCHEMA_VERSION),
  generated_at: {
    ...DateTime,
    examples: ['2026-08-13T00:00:00Z'],
    description: 'the instant the answer is computed for; equal on every instance, so that caches agree',
  },
  last_modified: {
    ...DateTime,
    examples: ['2026-08-13T00:00:00Z'],
    description: 'when the answer last changed: by new facts or by a transition',
  },
};

/** An answer with one thing. */
export const One = <T extends TSchema>(item: T) => Type.Object({ ...frame, item });

/** An answer with a list. */
export const Many = <T extends TSchema>(items: T) =>
  Type.Object({ ...frame, total: Type.Integer({ minimum: 0 }), items: Type.Array(items) });

/** A page of a longer list. */
export const Page = <T extends TSchema>(items: T) =>
  Type.Object({
    ...frame,
    total: Type.Integer({ minimum: 0, description: 'how many match, on all pages' }),
    next_cursor: Type.Union([Type.String(), Type.Null()], {
      examples: [null],
      description: 'for the next page; null on the last',
    }),
    items: Type.Array(items),
  });

/** A calendar date or null. */
export const NullableDate = (description: string) =>
  Type.Union([Type.String({ format: 'date' }), Type.Null()], { description, examples: ['2026-12-31'] });

/** The calendar date that a text of php.net names; null without one. */
export const dateIn = (text: string | undefined): string | null => {
  const date = text === undefined ? null : parseDateText(text);
  return date && isoDate(date);
};

/** A SHA-256 digest, for examples. */
export const EXAMPLE_DIGEST = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** The members every answer begins with. */
export const envelope = (lastModified: Date) => {
  const instant = `${lastModified.toISOString().slice(0, 19)}Z`;
  return { schema_version: SCHEMA_VERSION, generated_at: instant, last_modified: instant } as const;
};

/** An answer with one thing. @param schema made with `One` */
export const answerWithOne = (schema: TSchema, lastModified: Date, item: unknown): Representation =>
  jsonRepresentation(schema, { ...envelope(lastModified), item });

/** An answer with a list. @param schema made with `Many` */
export const answerWithMany = (
  schema: TSchema,
  lastModified: Date,
  items: readonly unknown[],
): Representation => jsonRepresentation(schema, { ...envelope(lastModified), total: items.length, items });
