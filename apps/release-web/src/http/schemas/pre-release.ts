import { type Static, Type } from '@sinclair/typebox';
import { EXAMPLE_DIGEST, NullableDate } from './envelope.ts';

/** A coming release and its newest build. */
export const ApiPreRelease = Type.Object(
  {
    version: Type.String({ description: 'of the release to come', examples: ['8.4.25'] }),
    branch: Type.String({ examples: ['8.4'] }),
    is_active: Type.Boolean(),
    is_available: Type.Boolean({ description: 'there is a build to download' }),
    build: Type.Union([Type.String(), Type.Null()], {
      examples: ['8.4.25RC1'],
      description: 'null: none yet',
    }),
    type: Type.Union((['alpha', 'beta', 'RC'] as const).map((type) => Type.Literal(type))),
    number: Type.Integer({ minimum: 0 }),
    date: NullableDate('day of the build'),
    dev_version: Type.String({ examples: ['8.4.25-dev'] }),
    files: Type.Array(
      Type.Object({
        url: Type.String({
          format: 'uri',
          examples: ['https://downloads.php.net/~calvinb/php-8.4.25RC1.tar.xz'],
        }),
        sha256: Type.String({ examples: [EXAMPLE_DIGEST] }),
      }),
    ),
  },
  { $id: 'PreRelease' },
);
export type ApiPreRelease = Static<typeof ApiPreRelease>;
