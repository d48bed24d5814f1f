import { type Static, Type } from '@sinclair/typebox';
import {
  branchOf,
  BUILD_COMPRESSIONS,
  buildUrl,
  buildVersion,
  devVersions,
  digestOf,
  isEnabled,
  type PreRelease,
  preReleases,
  type ProductFile,
} from '@workspace/release-catalogue';
import type { Answers } from '../rendering/answers.ts';
import { json } from '../rendering/cacheable.ts';
import { answerWithMany, dateIn, EXAMPLE_DIGEST, Many, NullableDate } from './envelope.ts';

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

const tags = ['api'];
const PreReleases = Many(ApiPreRelease);
const DevVersions = Many(Type.String({ examples: ['8.4.25-dev'] }));

export const apiPreReleases = (answers: Answers, path: string): void =>
  answers.route(
    path,
    {
      operationId: 'preReleases',
      tags,
      summary: 'Coming releases and their builds',
      response: json(PreReleases),
    },
    ({ catalogue, lastModified }) => {
      const items = preReleases(catalogue).map((slot) => preReleaseView(catalogue.product, slot));
      return answerWithMany(PreReleases, lastModified, items).popular();
    },
  );

/** A build that a later one or the release has replaced; where its files were is not on record. */
const ApiEarlierBuild = Type.Object(
  {
    build: Type.String({ examples: ['8.4.25RC1'] }),
    branch: Type.String({ examples: ['8.4'] }),
    date: NullableDate('day of the build'),
    sha256: Type.Array(Type.String({ examples: [EXAMPLE_DIGEST] }), { description: 'of its files' }),
  },
  { $id: 'EarlierBuild' },
);
const EarlierBuilds = Many(ApiEarlierBuild);

export const apiEarlierBuilds = (answers: Answers, path: string): void =>
  answers.route(
    path,
    {
      operationId: 'earlierBuilds',
      tags,
      summary: 'Builds that a later one or the release has replaced, newest first',
      response: json(EarlierBuilds),
    },
    ({ catalogue, lastModified }) => {
      const items = [...catalogue.branches].reverse().flatMap(({ branch, retired_builds: builds }) =>
        [...builds].reverse().map(({ version, sha256, date }) => ({
          build: version,
          branch,
          date: dateIn(date),
          sha256: [...sha256],
        })),
      );
      return answerWithMany(EarlierBuilds, lastModified, items);
    },
  );

export const apiDevVersions = (answers: Answers, path: string): void =>
  answers.route(
    path,
    {
      operationId: 'devVersions',
      tags,
      summary: 'Versions under development',
      response: json(DevVersions),
    },
    ({ catalogue, lastModified }) =>
      answerWithMany(DevVersions, lastModified, devVersions(preReleases(catalogue))).popular(),
  );

export const preReleaseView = (product: ProductFile, slot: PreRelease): ApiPreRelease => {
  const { version, active, release } = slot;
  return {
    version,
    branch: branchOf(version),
    is_active: active,
    is_available: isEnabled(slot),
    build: release.number > 0 ? buildVersion(slot) : null,
    type: release.type,
    number: release.number,
    date: dateIn(release.date),
    dev_version: `${version}-dev`,
    files: isEnabled(slot)
      ? BUILD_COMPRESSIONS.flatMap((archive) => {
          const sha256 = digestOf(release, archive);
          return sha256 ? [{ url: buildUrl(product, slot, archive), sha256 }] : [];
        })
      : [],
  };
};
