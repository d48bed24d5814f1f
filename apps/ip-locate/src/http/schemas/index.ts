import { type Static, Type } from '@sinclair/typebox';
import { type LocationRecord, RecordSchema } from '../representations/fields.ts';

/** What `/` answers programs that ask for JSON. */
export const IndexSchema = Type.Object(
  {
    service: Type.String(),
    version: Type.String(),
    you: Type.Unsafe<LocationRecord | string>({
      anyOf: [RecordSchema, { type: 'string' }],
      description: "the caller's record, or why there is none",
    }),
    paths: Type.Array(Type.String()),
    attributions: Type.Array(Type.Object({ text: Type.String(), url: Type.String({ format: 'uri' }) }), {
      description: 'who has to be credited where results are shown',
    }),
    notice: Type.String(),
  },
  { $id: 'Index' },
);
export type Index = Static<typeof IndexSchema>;

/** What the forms of the page send. */
export const IndexQuery = Type.Object({
  ip: Type.Optional(Type.String({ maxLength: 100, description: 'on the page: an address to look up' })),
  addresses: Type.Optional(
    Type.String({
      maxLength: 8_000,
      description: 'on the page: addresses to look up, separated by spaces, commas or new lines',
    }),
  ),
});
export type IndexQuery = Static<typeof IndexQuery>;
