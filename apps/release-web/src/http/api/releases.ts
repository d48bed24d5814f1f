import { type Static, Type } from '@sinclair/typebox';
import {
  type BranchFile,
  Fingerprint,
  isSecurityRelease,
  latestRelease,
  RecordedVersion,
  type Release,
  type SourceFile,
  type TableRow,
  tagsOf,
} from '@workspace/release-catalogue';
import { ProblemError } from '@workspace/service-kit/problems';
import { correctionsOf } from '../../domain/change-log.ts';
import { releasePath } from '../../domain/paths.ts';
import { CURSOR_PATTERN, filterReleases, listReleases, pageOf } from '../../domain/release-list.ts';
import { problems } from '../../problems.ts';
import type { Answers } from '../rendering/answers.ts';
import type { Prepare } from '../rendering/snapshot-store.ts';
import { json } from '../rendering/cacheable.ts';
import { checkedJson } from '../rendering/checked-json.ts';
import { BranchParameter, knownBranchOfQuery, OptionalBranch } from '../rendering/known-branch.ts';
import { Representation } from '../rendering/representation.ts';
import { answerWithOne, dateIn, envelope, EXAMPLE_DIGEST, NullableDate, One, Page } from './envelope.ts';

const Digest = (example: string | null) => Type.Union([Type.String(), Type.Null()], { examples: [example] });

/** A release and its files. */
const ApiRelease = Type.Object(
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
type ApiRelease = Static<typeof ApiRelease>;

const tags = ['api'];
const OneRelease = One(ApiRelease);
const ReleasePage = Page(ApiRelease);

const ListQuery = Type.Object({
  branch: Type.Optional(BranchParameter),
  since: Type.Optional(
    Type.String({ format: 'date', description: 'released on this day or later', examples: ['2026-08-13'] }),
  ),
  security: Type.Optional(
    Type.Boolean({ description: 'only those that fix security issues, or only the others' }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
  cursor: Type.Optional(
    Type.String({
      pattern: CURSOR_PATTERN,
      description: 'next_cursor of the previous page, with the same filters',
      examples: ['2026-07-30_8.4.24'],
    }),
  ),
});

export const apiReleases = (answers: Answers, path: string): void =>
  answers.route(
    path,
    {
      operationId: 'releases',
      tags,
      summary: 'Releases, newest first, in pages',
      querystring: ListQuery,
      problems: [problems['unknown-branch'], problems['unknown-cursor']],
      response: json(ReleasePage),
    },
    (snapshot, cache) => {
      const all = listReleases(snapshot.catalogue);
      // A release is on many pages, but written once.
      const texts = new Map<TableRow, string>();
      const itemText = (listed: TableRow): string => {
        const known = texts.get(listed);
        if (known !== undefined) return known;
        const { branch, release } = listed;
        const text = checkedJson(ApiRelease, releaseView(branch, release, answers.site.baseUrl));
        texts.set(listed, text);
        return text;
      };
      return ({ query }) => {
        knownBranchOfQuery(snapshot, query);
        const list = filterReleases(all, query);
        const page = pageOf(list, query.limit, query.cursor ?? null);
        if (!page)
          throw new ProblemError(problems['unknown-cursor'], {
            detail: 'No page of this list has this cursor.',
          });
        const { start, items, next } = page;
        // Days between two releases give the same list, whose length differs from that of the others.
        const { branch = '', security = '' } = items.length > 0 ? query : {};
        return cache.get(`releases ${branch} ${security} ${list.length} ${start} ${items.length}`, () => {
          const total = list.length;
          const frame = JSON.stringify({ ...envelope(snapshot.lastModified), total, next_cursor: next });
          return new Representation(
            'application/json; charset=utf-8',
            `${frame.slice(0, -1)},"items":[${items.map(itemText).join(',')}]}`,
          );
        });
      };
    },
  );

export const apiLatestRelease = (answers: Answers, path: string): void =>
  answers.route(
    path,
    {
      operationId: 'latestRelease',
      tags,
      summary: 'The newest release, of all or of one branch',
      querystring: OptionalBranch,
      problems: [problems['unknown-branch'], problems['unknown-release']],
      response: json(OneRelease),
    },
    (snapshot, cache) => {
      const newest = snapshot.catalogue.branches.findLast(latestRelease);
      const answerOf = oneRelease(answers.site.baseUrl)(snapshot, cache);
      return ({ query }) => {
        const branch = knownBranchOfQuery(snapshot, query) ?? newest;
        const latest = branch && latestRelease(branch);
        return (latest && answerOf(latest.version)) ?? unknownRelease('Nothing is released yet.');
      };
    },
  );

export const apiRelease = (answers: Answers, path: `${string}:version`): void =>
  answers.route(
    path,
    {
      operationId: 'release',
      tags,
      summary: 'One release',
      params: Type.Object({ version: RecordedVersion }),
      problems: [problems['unknown-release']],
      response: json(OneRelease),
    },
    (snapshot, cache) => {
      const answerOf = oneRelease(answers.site.baseUrl)(snapshot, cache);
      return ({ params: { version } }) => answerOf(version) ?? unknownRelease(`There is no PHP ${version}.`);
    },
  );

const unknownRelease = (detail: string): never => {
  throw new ProblemError(problems['unknown-release'], { detail });
};

/** One release by its version; undefined when it is not on record. @param baseUrl public address, no slash at the end */
const oneRelease =
  (baseUrl: string): Prepare<(version: string) => Representation | undefined> =>
  ({ catalogue, lastModified }, cache) => {
    const all = listReleases(catalogue);
    return (version) =>
      cache.get(`release ${version}`, () => {
        const found = all.find(({ release }) => release.version === version);
        return (
          found && answerWithOne(OneRelease, lastModified, releaseView(found.branch, found.release, baseUrl))
        );
      });
  };

/** @param baseUrl public address, no slash at the end */
const releaseView = (branch: BranchFile, release: Release, baseUrl: string): ApiRelease => {
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
  // A link to a page that lists files has none of its own.
  const { filename = '', sha256, md5, date }: Partial<SourceFile> = 'filename' in file ? file : {};
  const signed = signatures?.[filename];
  return {
    filename: filename || null,
    name: file.name,
    url: 'link' in file ? file.link : `${baseUrl}/distributions/${encodeURIComponent(filename)}`,
    size: sizes?.[filename] ?? null,
    sha256: sha256 ?? null,
    md5: md5 ?? null,
    date: dateIn(date),
    signature: signed ? { fingerprint: signed.fingerprint, asc: signed.armored } : null,
  };
};
