import { type Static, Type } from '@sinclair/typebox';
import { dateIn, EXAMPLE_DIGEST, NullableDate } from './envelope.ts';
import {
  type BranchFile,
  Fingerprint,
  isSecurityRelease,
  latestRelease,
  type Release,
  tagsOf,
} from '@workspace/release-catalogue';
import { releasePath } from '../../domain/paths.ts';
import { correctionsOf } from '../../domain/change-log.ts';

const Digest = (example: string | null) => Type.Union([Type.String(), Type.Null()], { examples: [example] });

/** A release and its files. */
export const ApiRelease = Type.Object(
  {
    version: Type.String({ examples: ['8.4.24'] }),
    branch: Type.String({ examples: ['8.4'] }),
    date: Type.String({ format: 'date', examples: ['2026-07-30'] }),
    is_security: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'whether it fixes security issues; null: never written down',
    }),
    fixes: Type.Array(Type.String(), {
      description: 'CVE ids of the vulnerabilities that it fixes, as far as they are on record',
      examples: [['CVE-2026-17544']],
    }),
    is_latest: Type.Boolean({ description: 'the newest of its branch' }),
    yanked: Type.Union(
      [Type.Object({ date: Type.String({ format: 'date' }), reason: Type.String() }), Type.Null()],
      { examples: [null] },
    ),
    corrections: Type.Array(
      Type.Object({
        date: Type.String({ format: 'date' }),
        reason: Type.String(),
        changed: Type.Array(Type.String(), {
          description: 'JSON Pointers of the corrected members in the published record',
        }),
      }),
      { description: 'changes of what was already published, oldest first', examples: [[]] },
    ),
    tags: Type.Array(Type.String(), { examples: [['security']] }),
    page: Type.String({ format: 'uri', examples: ['https://www.php.net/releases/8_4_24.php'] }),
    files: Type.Array(
      Type.Object({
        filename: Type.Union([Type.String(), Type.Null()], {
          description: 'null: a page that lists files',
          examples: ['php-8.4.24.tar.xz'],
        }),
        name: Type.String({ examples: ['PHP 8.4.24 (tar.xz)'] }),
        url: Type.String({
          format: 'uri',
          examples: ['https://www.php.net/distributions/php-8.4.24.tar.xz'],
        }),
        size: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
          description: 'in bytes; null: not on record',
          examples: [null],
        }),
        sha256: Digest(EXAMPLE_DIGEST),
        md5: Digest(null),
        date: NullableDate('when the file was made'),
        signature: Type.Union(
          [
            Type.Object({
              fingerprint: Fingerprint,
              asc: Type.String({
                description: 'the .asc file: a detached OpenPGP signature in ASCII armour',
              }),
            }),
            Type.Null(),
          ],
          { description: 'verified when the release was published; null: not on record', examples: [null] },
        ),
      }),
    ),
  },
  { $id: 'Release' },
);
export type ApiRelease = Static<typeof ApiRelease>;

/** @param baseUrl public address, no slash at the end */
export const releaseView = (branch: BranchFile, release: Release, baseUrl: string): ApiRelease => {
  const { version, date, fixes = [], yanked, published } = release;
  return {
    version,
    branch: branch.branch,
    date,
    is_security: isSecurityRelease(release),
    fixes: [...fixes],
    is_latest: latestRelease(branch) === release,
    yanked: yanked ?? null,
    corrections: correctionsOf(branch, version).map(({ changes, ...correction }) => ({
      ...correction,
      changed: changes.map(({ pointer }) => pointer),
    })),
    tags: tagsOf(release),
    page: new URL(releasePath(release), baseUrl).href,
    files: [...published.source, ...(published.windows ?? [])].map((file) =>
      fileView(file, release, baseUrl),
    ),
  };
};

const fileView = (
  file: Release['published']['source'][number],
  { sizes, signatures }: Release,
  baseUrl: string,
): ApiRelease['files'][number] => {
  if (!('filename' in file)) {
    return {
      filename: null,
      name: file.name,
      url: file.link,
      size: null,
      sha256: null,
      md5: null,
      date: null,
      signature: null,
    };
  }
  const { filename, name, sha256 = null, md5 = null } = file;
  const url = `${baseUrl}/distributions/${encodeURIComponent(filename)}`;
  const signed = signatures?.[filename];
  const signature = signed ? { fingerprint: signed.fingerprint, asc: signed.armored } : null;
  return {
    filename,
    name,
    url,
    size: sizes?.[filename] ?? null,
    sha256,
    md5,
    date: dateIn(file.date),
    signature,
  };
};
