import { type Static, Type } from '@sinclair/typebox';
import { type FieldValues, FieldValuesSchema } from '../lookup/fields.ts';

/** What `/` answers programs that ask for JSON. */
export const IndexSchema = Type.Object(
  {
    service: Type.String({ examples: ['ip-locate'] }),
    version: Type.String({ examples: ['0.1.0'] }),
    you: Type.Unsafe<FieldValues | string>({
      anyOf: [FieldValuesSchema, { type: 'string' }],
      description: "the caller's location, or the reason why it is missing",
    }),
    paths: Type.Array(Type.String({ examples: ['/{ip}/{field}/'] })),
    attributions: Type.Array(
      Type.Object({
        text: Type.String({ examples: ['IP Geolocation by DB-IP'] }),
        url: Type.String({ format: 'uri', examples: ['https://db-ip.com'] }),
      }),
      {
        description: 'the sources to credit where results are shown',
      },
    ),
    notice: Type.String({ examples: ['Locations are those of networks, not of persons or households.'] }),
  },
  { $id: 'Index' },
);
export type Index = Static<typeof IndexSchema>;

/** What the forms of the page send. */
export const IndexQuery = Type.Object({
  ip: Type.Optional(Type.String({ description: 'on the page: an address to look up' })),
  lang: Type.Optional(Type.String({ description: 'on the page: its language' })),
  addresses: Type.Optional(
    Type.String({
      maxLength: 8_000,
      description: 'on the page: addresses to look up, separated by spaces, commas or new lines',
    }),
  ),
});
export type IndexQuery = Static<typeof IndexQuery>;
