import { type Static, Type } from '@sinclair/typebox';
import {
  type BranchFile,
  branchOf,
  compareVersions,
  devVersions,
  isSecurityRelease,
  latestRelease,
  type Release,
  releasesOf,
} from '@workspace/release-catalogue';
import {
  parseReportedVersion,
  REPORTED_VERSION_PATTERN,
  type ReportedVersion,
} from '../../domain/reported-version.ts';
import { branchState, isSupported, recommendedBranch, supportState } from '../../domain/support-state.ts';
import { problems } from '../../problems.ts';
import type { Snapshot } from '../../application/snapshot.ts';
import type { Answers } from '../rendering/answers.ts';
import { json } from '../rendering/cacheable.ts';
import { knownBranch } from '../rendering/known-branch.ts';
import { ApiState, lastSupportedDay } from './branches.ts';
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

export const apiSupport = (answers: Answers, path: string): void =>
  answers.route(
    path,
    {
      operationId: 'support',
      tags: ['api'],
      summary: 'What an installation needs: a patch, an upgrade or nothing',
      querystring: SupportQuery,
      problems: [problems['unknown-branch']],
      response: json(Support),
    },
    (snapshot) => {
      const factsOf = new Map<BranchFile, BranchFacts>();
      return ({ query }) => {
        // A plus sign in a query is read as a space, and package versions are full of plus signs.
        const version = query.version.replaceAll(' ', '+');
        const reported = parseReportedVersion(version)!;
        const branch = knownBranch(snapshot, branchOf(reported.base));
        const facts = factsOf.get(branch) ?? branchFacts(snapshot, branch);
        factsOf.set(branch, facts);
        // Small, and there are as many as there are version strings: never remembered.
        return answerWithOne(Support, snapshot.lastModified, supportView(facts, version, reported));
      };
    },
  );

/** What does not depend on the version that is asked for: most of the work. */
interface BranchFacts {
  readonly view: Pick<
    ApiSupport,
    'branch' | 'state' | 'needs_upgrade' | 'latest' | 'recommended' | 'last_supported_day'
  >;
  /** in ascending order, withdrawn ones too */
  readonly releases: readonly Release[];
  /** names of builds, and of the versions that they are of */
  readonly preReleases: ReadonlySet<string>;
}

const branchFacts = ({ catalogue, builtAt }: Snapshot, branch: BranchFile): BranchFacts => {
  const newest = recommendedBranch(catalogue.branches, builtAt);
  return {
    view: {
      branch: branch.branch,
      state: branchState(branch, builtAt),
      needs_upgrade: !isSupported(branch, builtAt),
      latest: latestRelease(branch)?.version ?? null,
      recommended: (newest && latestRelease(newest)?.version) ?? null,
      last_supported_day: lastSupportedDay(supportState(branch, builtAt).securitySupportEnd),
    },
    releases: releasesOf(branch).sort((a, b) => compareVersions(a.version, b.version)),
    preReleases: new Set([
      ...devVersions(branch.pre_releases),
      ...branch.retired_builds.map(({ version }) => version),
    ]),
  };
};

/** @param text as it was asked for; `version` is what it says */
const supportView = (facts: BranchFacts, text: string, version: ReportedVersion): ApiSupport => {
  const { base, isBranch, preRelease, isDistributionBuild } = version;
  const { view, releases } = facts;
  const release = releases.find((known) => known.version === base);
  const later = isBranch ? [] : laterReleases(facts, version);
  const newer = later.filter(({ yanked }) => !yanked);
  const isKnown =
    preRelease === undefined
      ? isBranch
        ? releases.length > 0
        : release !== undefined
      : facts.preReleases.has(preRelease);
  return {
    version: text,
    base_version: base,
    branch: view.branch,
    is_distribution_build: isDistributionBuild,
    is_on_record: isKnown,
    is_yanked: preRelease === undefined && release?.yanked !== undefined,
    state: view.state,
    is_supported: !view.needs_upgrade && preRelease === undefined ? (isKnown ? true : null) : false,
    needs_patch: isBranch || (newer.length === 0 && !isKnown) ? null : newer.length > 0,
    needs_upgrade: view.needs_upgrade,
    missed_security_releases: securityReleases(later),
    latest: view.latest,
    recommended: view.recommended,
    last_supported_day: view.last_supported_day,
  };
};

/**
 * The releases after the newest one that is no newer than a version and was not withdrawn: a withdrawn release does not count as
 * having its fixes. A pre-release comes before the release of its base version.
 */
const laterReleases = (
  { releases }: BranchFacts,
  { base, preRelease }: ReportedVersion,
): readonly Release[] =>
  releases.slice(
    releases.findLastIndex(
      ({ version, yanked }) =>
        !yanked && (version === base ? preRelease === undefined : compareVersions(version, base) < 0),
    ) + 1,
  );

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
