import { type Static, Type } from '@sinclair/typebox';
import { Sha256 } from './scalars.ts';

const exact = { additionalProperties: false };

const file = {
  path: Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9._+-]*$',
    examples: ['php-8.4.24-nts-Win32-vs17-x64.zip'],
  }),
  size: Type.Optional(Type.String({ description: 'in words', examples: ['32.5MB'] })),
};
const WindowsFile = Type.Object({ ...file, sha256: Sha256 }, exact);

/** One build: with or without thread safety, by a compiler, for an architecture. */
export const WindowsBuild = Type.Object(
  {
    mtime: Type.Optional(Type.String({ examples: ['2026-07-30T09:10:11+00:00'] })),
    zip: WindowsFile,
    debug_pack: Type.Optional(WindowsFile),
    devel_pack: Type.Optional(WindowsFile),
  },
  exact,
);
export type WindowsBuild = Static<typeof WindowsBuild>;

/** The builds of a release for Windows, as the index of downloads.php.net has them. */
export const WindowsBuilds = Type.Object(
  {
    source: Type.Optional(Type.Object({ ...file, sha256: Type.Optional(Sha256) }, exact)),
    test_pack: Type.Optional(Type.Object({ ...file, sha256: Type.Optional(Sha256) }, exact)),
    builds: Type.Record(Type.String({ pattern: '^n?ts-v[cs]\\d+-(x64|x86|arm64)$' }), WindowsBuild, {
      ...exact,
      minProperties: 1,
      description: 'by their names, such as nts-vs17-x64',
    }),
  },
  exact,
);
export type WindowsBuilds = Static<typeof WindowsBuilds>;
