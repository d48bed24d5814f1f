import { type Static, Type } from '@sinclair/typebox';
import {
  type BranchFile,
  branchOf,
  type Catalogue,
  compareVersions,
  devVersions,
  isReleased,
  isSecurityRelease,
  latestRelease,
  type Release,
  releasesOf,
} from '@workspace/release-catalogue';
import type { Service } from '@workspace/service-kit';
import {
  parseReportedVersion,
  REPORTED_VERSION_PATTERN,
  type ReportedVersion,
} from '../../domain/reported-version.ts';
import { branchState, isSupported, recommendedBranch, supportState } from '../../domain/support-state.ts';
import { problems } from '../../problems.ts';
import type { Answers } from '../rendering/answers.ts';
import { json } from '../rendering/cacheable.ts';
import { knownBranch } from '../rendering/known-branch.ts';
import { ApiState, lastSupportedDay } from './branch.ts';
import { answerWithOne, NullableDate, One } from './envelope.ts';

/** What matters to the owner of an installation about its version. */
export const ApiSupport = Type.Object(
  {
    version: Type.String({ description: 'as it was asked for', examples: ['8.4.20', '7.4.3-4ubuntu2.29'] }),
    base_version: Type.String({
      description: 'what the project calls it, without what a distribution added',
      examples: ['8.4.20', '7.4.3'],
    }),
    branch: Type.String({ examples: ['8.4'] }),
    is_distribution_build: Type.Boolean({
      description: 'a distribution built it and may have fixed issues that this answer does not know of',
    }),
    is_on_record: Type.Boolean({
      description: 'this very version was published (or the branch, when only the branch is asked for)',
    }),
    is_yanked: Type.Boolean({ description: 'this very version was withdrawn' }),
    state: ApiState,
    is_supported: Type.Union([Type.Boolean(), Type.Null()], {
      description:
        'its branch gets fixes; false for pre-releases; null when the branch does but this version is not on record',
    }),
    needs_patch: Type.Union([Type.Boolean(), Type.Null()], {
      description:
        'its branch has a newer release; null when only the branch is asked for, or for a version that is neither on record nor older than the latest',
    }),
    needs_upgrade: Type.Boolean({ description: 'its branch is not supported: move to another one' }),
    missed_security_releases: Type.Array(Type.String(), {
      description: 'newer releases of the branch that fix security issues',
      examples: [['8.4.24']],
    }),
    latest: Type.Union([Type.String(), Type.Null()], {
      description: 'newest of the branch',
      examples: ['8.4.24'],
    }),
    recommended: Type.Union([Type.String(), Type.Null()], {
      description: 'newest of the newest supported branch',
      examples: ['8.5.9'],
    }),
    last_supported_day: NullableDate('of the branch'),
  },
  { $id: 'Support' },
);
export type ApiSupport = Static<typeof ApiSupport>;

const Support = One(ApiSupport);

const SupportQuery = Type.Object({
  version: Type.String({
    pattern: REPORTED_VERSION_PATTERN,
    maxLength: 100,
    description: 'of an installation, as PHP or the package manager reports it; or a branch',
    examples: ['8.4.20'],
  }),
});

export const apiSupport = (app: Service, path: string, answers: Answers): void => {
  const schema = {
    operationId: 'support',
    tags: ['api'],
    summary: 'What an installation needs: a patch, an upgrade or nothing',
    querystring: SupportQuery,
    problems: [problems['unknown-branch']],
    response: json(Support),
  };
  app.get(path, { schema }, (request, reply) =>
    answers.respond(request, reply, ({ snapshot }, { query }) => {
      // A plus sign in a query is read as a space, and package versions are full of plus signs.
      const version = query.version.replaceAll(' ', '+');
      const reported = parseReportedVersion(version)!;
      const branch = knownBranch(snapshot, branchOf(reported.base));
      const { catalogue, builtAt, lastModified } = snapshot;
      // Small, and there are as many as there are version strings: never remembered.
      return answerWithOne(Support, lastModified, supportView(catalogue, branch, version, reported, builtAt));
    }),
  );
};

/** @param text as it was asked for; `version` is what it says */
const supportView = (
  catalogue: Catalogue,
  branch: BranchFile,
  text: string,
  version: ReportedVersion,
  now: Date,
): ApiSupport => {
  const { base, isBranch, preRelease, isDistributionBuild } = version;
  const { securitySupportEnd } = supportState(branch, now);
  const isBranchSupported = isSupported(branch, now);
  const later = isBranch ? [] : laterReleases(branch, version);
  const newer = later.filter(({ yanked }) => !yanked);
  const isKnown = isOnRecord(branch, version);
  const newest = recommendedBranch(catalogue.branches, now);
  return {
    version: text,
    base_version: base,
    branch: branch.branch,
    is_distribution_build: isDistributionBuild,
    is_on_record: isKnown,
    is_yanked:
      preRelease === undefined &&
      releasesOf(branch).some((release) => release.version === base && release.yanked !== undefined),
    state: branchState(branch, now),
    is_supported: isBranchSupported && preRelease === undefined ? (isKnown ? true : null) : false,
    needs_patch: isBranch || (newer.length === 0 && !isKnown) ? null : newer.length > 0,
    needs_upgrade: !isBranchSupported,
    missed_security_releases: securityReleases(later),
    latest: latestRelease(branch)?.version ?? null,
    recommended: (newest && latestRelease(newest)?.version) ?? null,
    last_supported_day: lastSupportedDay(securitySupportEnd),
  };
};

/** In ascending order, withdrawn ones too. A pre-release comes before the release of its base version. */
const laterReleases = (branch: BranchFile, { base, preRelease }: ReportedVersion): Release[] =>
  releasesOf(branch)
    .filter(({ version }) => {
      const order = compareVersions(version, base);
      return order > 0 || (order === 0 && preRelease !== undefined);
    })
    .sort((a, b) => compareVersions(a.version, b.version));

/** The release after a withdrawn one has its fixes. @param releases in ascending order */
const securityReleases = (releases: readonly Release[]): string[] => {
  let isFixPending = false;
  return releases.flatMap((release) => {
    isFixPending ||= isSecurityRelease(release) === true;
    if (!isFixPending || release.yanked) return [];
    isFixPending = false;
    return [release.version];
  });
};

const isOnRecord = (branch: BranchFile, { base, isBranch, preRelease }: ReportedVersion): boolean => {
  if (preRelease !== undefined) {
    return (
      devVersions(branch.pre_releases).includes(preRelease) ||
      branch.retired_builds.some(({ version }) => version === preRelease)
    );
  }
  return isBranch ? isReleased(branch) : releasesOf(branch).some(({ version }) => version === base);
};
