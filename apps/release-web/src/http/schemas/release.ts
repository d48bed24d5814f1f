import { type Static, Type } from '@sinclair/typebox';
import { NullableDate } from './envelope.ts';

const Digest = Type.Union([Type.String(), Type.Null()]);

/** A release and its files. */
export const ApiRelease = Type.Object(
  {
    version: Type.String({ examples: ['8.4.24'] }),
    branch: Type.String({ examples: ['8.4'] }),
    date: Type.String({ format: 'date' }),
    is_security: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'whether it fixes security issues; null: never written down',
    }),
    is_latest: Type.Boolean({ description: 'the newest of its branch' }),
    yanked: Type.Union([
      Type.Object({ date: Type.String({ format: 'date' }), reason: Type.String() }),
      Type.Null(),
    ]),
    corrections: Type.Array(
      Type.Object({
        date: Type.String({ format: 'date' }),
        reason: Type.String(),
        changed: Type.Array(Type.String(), {
          description: 'JSON Pointers of the corrected members in the published record',
        }),
      }),
      { description: 'changes of what was already published, oldest first' },
    ),
    tags: Type.Array(Type.String()),
    page: Type.String({ format: 'uri' }),
    files: Type.Array(
      Type.Object({
        filename: Type.Union([Type.String(), Type.Null()], { description: 'null: a page that lists files' }),
        name: Type.String(),
        url: Type.String({ format: 'uri' }),
        sha256: Digest,
        md5: Digest,
        date: NullableDate('when the file was made'),
      }),
    ),
  },
  { $id: 'Release' },
);
export type ApiRelease = Static<typeof ApiRelease>;
