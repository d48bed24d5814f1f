import type {
  AuditEntry,
  BranchFile,
  Build,
  PreRelease,
  Published,
  Release,
  RetiredBuild,
} from '../schemas/index.ts';
import { tarballName } from '../facts/tarball-name.ts';
import { type Catalogue, currentTable, historyTable, majorOf, releasesOf } from '../facts/catalogue.ts';
import { BUILD_COMPRESSIONS, buildVersion, digestOf } from '../facts/pre-release-build.ts';
import { branchOf, compareVersions } from '../facts/version.ts';
import { withKeptFeedId } from '../facts/feed-id.ts';

/** SHA-256 digests in lowercase hex, by file name. */
export type Digests = ReadonlyMap<string, string>;

/** An edit that the facts do not allow: the release exists already, the branch is unknown, … Nothing has changed. */
export class EditError extends Error {
  override readonly name = 'EditError';
}

/** The branch a version belongs to. */
export const branchFor = (catalogue: Catalogue, version: string): BranchFile => {
  const name = branchOf(version);
  const branch = catalogue.branches.find((file) => file.branch === name);
  if (!branch) throw new EditError(`There is no branch ${name} for ${version}.`);
  return branch;
};

/** @throws EditError when a version cannot be released any more, with what can be done instead */
export const expectUnreleased = (branch: BranchFile, version: string): void => {
  const release = releasesOf(branch).find((known) => known.version === version);
  if (release?.yanked)
    throw new EditError(
      `${version} was withdrawn on ${release.yanked.date}: release the next version, or offer ${version} again with correct --remove /yanked.`,
    );
  if (release) throw new EditError(`${version} is released already; use correct to change it.`);
};

/** The branch with new facts, its date raised and the entry added to its audit. */
export const audited = (
  catalogue: Catalogue,
  branch: BranchFile,
  facts: Partial<BranchFile>,
  entry: Omit<AuditEntry, 'at'>,
  now: Date,
): BranchFile => {
  const at = publicationInstant(catalogue, now);
  return {
    ...branch,
    ...facts,
    updated: at,
    audit: [...branch.audit, { at, ...entry }],
  };
};

/**
 * When something is published that is published now: always later than everything on record, also within a second of it or
 * with a clock that was set back. Feed readers skip what is not later than the newest entry that they have seen.
 */
export const publicationInstant = (
  { product, newsUpdated, branches }: Pick<Catalogue, 'product' | 'newsUpdated' | 'branches'>,
  now: Date,
): string => {
  const recorded = [
    product.updated,
    newsUpdated,
    ...branches.flatMap(({ updated, audit }) => [updated, ...audit.map(({ at }) => at)]),
  ];
  const times = recorded.map(Date.parse).filter((time) => !Number.isNaN(time));
  return instant(new Date(Math.max(now.getTime(), ...times.map((time) => time + 1000))));
};

/**
 * The branch after a release has come out: it is not expected any more, slots that it overtakes are cleared and their builds
 * remembered. When it begins with another release than X.Y.0, as 8.4 did, php.net has to be told the date, too.
 * @param slots that it opens
 */
export const releasedBranch = (
  catalogue: Catalogue,
  { expected: _, ...branch }: BranchFile,
  { version, date }: Pick<Release, 'version' | 'date'>,
  { slots = [], ...facts }: Pick<BranchFile, 'current' | 'history'> & { slots?: readonly PreRelease[] },
  { action, reason }: { action: AuditEntry['action']; reason?: string | undefined },
  now: Date,
): BranchFile => {
  const cleared = branch.pre_releases.filter((slot) => compareVersions(slot.version, version) <= 0);
  const isDated = releasesOf(branch).length === 0 && version !== `${branch.branch}.0`;
  return audited(
    catalogue,
    branch,
    {
      ...(isDated && { overrides: { ...branch.overrides, date } }),
      ...facts,
      pre_releases: [...branch.pre_releases.filter((slot) => !cleared.includes(slot)), ...slots],
      retired_builds: [...branch.retired_builds, ...retired(cleared)],
    },
    {
      action,
      version,
      ...(reason !== undefined && { reason }),
      ...(isDated && { changes: [{ pointer: '/overrides/date', to: date }] }),
    },
    now,
  );
};

/** The slots of a branch with one more, in place of that of its version, whose build is remembered. */
export const withSlot = (
  branch: BranchFile,
  slot: PreRelease,
): Pick<BranchFile, 'pre_releases' | 'retired_builds'> => {
  const before = branch.pre_releases.filter(({ version }) => version === slot.version);
  return {
    pre_releases: [...branch.pre_releases.filter((other) => !before.includes(other)), slot].sort((a, b) =>
      compareVersions(a.version, b.version),
    ),
    retired_builds: [...branch.retired_builds, ...retired(before)],
  };
};

/** Builds that leave their slots, as they are remembered. Slots without a build leave nothing behind. */
export const retired = (slots: readonly PreRelease[]): RetiredBuild[] =>
  slots
    .filter(({ release }) => release.number > 0)
    .map((slot) => ({
      version: buildVersion(slot),
      sha256: BUILD_COMPRESSIONS.flatMap((archive) => digestOf(slot.release, archive) || []),
      ...(slot.release.date !== undefined && { date: slot.release.date }),
    }));

/** The digests of a build as members of it, in php.net's order. */
export const digestMembers = (
  { product }: Catalogue,
  build: string,
  digests: Digests,
): Pick<Build, `sha256_${'bz2' | 'gz' | 'xz'}`> =>
  Object.fromEntries(
    BUILD_COMPRESSIONS.map((archive) => [
      `sha256_${archive}`,
      digests.get(tarballName(product, build, archive))!,
    ]),
  );

/** A second in UTC as the data has it. */
export const instant = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;

/** A release as php.net keeps it when it enters the history: first of its table, its page by name, not yet in the museum. */
export const past = (catalogue: Catalogue, release: Release): Release => {
  const table = historyTable(catalogue, majorOf(release.version));
  return withKeptFeedId(catalogue.product, release, {
    ...release,
    rank: nextRank(table.map((row) => row.release)),
    published: { ...pastAnnouncement(release), museum: release.published.museum ?? false },
  });
};

const pastAnnouncement = ({ version, published }: Release): Published => {
  const { announcement, ...rest } = published;
  if (announcement === true) {
    // Spread first: the member keeps its place.
    return { ...published, announcement: { English: `/releases/${version.replaceAll('.', '_')}.php` } };
  }
  return typeof announcement === 'object' ? published : rest;
};

/** The place of a release whose branch enters the current table: above those of lower branches. */
export const enteringRank = (catalogue: Catalogue, version: string): number => {
  const table = currentTable(catalogue, majorOf(version)).map(({ release }) => release);
  // Stryker disable next-line EqualityOperator: the branch of the version is not in the table
  return nextRank(table.filter((release) => compareVersions(release.version, version) < 0));
};

/** The place above all others of a table. */
const nextRank = (table: readonly Release[]): number => Math.max(0, ...table.map(({ rank }) => rank)) + 1;
