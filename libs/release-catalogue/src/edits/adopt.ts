import type { BranchFile, PreRelease, Published, Release } from '../schemas/index.ts';
import { isoDate, parseDateText } from '../facts/calendar-date.ts';
import { type Catalogue, releasesOf } from '../facts/catalogue.ts';
import { feedId } from '../facts/feed-id.ts';
import { buildVersion } from '../facts/pre-release-build.ts';
import { compareVersions } from '../facts/version.ts';
import {
  audited,
  branchFor,
  EditError,
  enteringRank,
  expectUnreleased,
  past,
  publicationInstant,
  releasedBranch,
  withSlot,
} from './branch-edit.ts';

/** A release as another site publishes it. */
export interface PublishedRelease {
  readonly version: string;
  /** CVE ids, when the site has them */
  readonly fixes?: readonly string[] | undefined;
  readonly published: Published;
}

/**
 * Takes over a release that another site has published, member for member. The newest of its branch becomes current, the
 * one before goes into the history. An older one, which could not be taken over in its time, goes there itself. Slots that
 * it overtakes are cleared and their builds remembered.
 * @param source where it comes from, for the audit
 */
export const adoptRelease = (
  catalogue: Catalogue,
  { version, published, fixes = [] }: PublishedRelease,
  source: string,
  now: Date,
): BranchFile => {
  const branch = branchFor(catalogue, version);
  expectUnreleased(branch, version);
  const day = parseDateText(published.date);
  if (!day) throw new EditError(`${version}: "${published.date}" is not a date.`);
  const facts: Omit<Release, 'rank' | 'published'> = {
    version,
    date: isoDate(day),
    kind: published.tags?.includes('security') ? 'security' : 'bugfix',
    ...(fixes.length > 0 && { fixes: [...fixes] }),
  };
  const id = feedId(catalogue.product, { ...facts, rank: 0, published });
  const feed = { id, published: publicationInstant(catalogue, now) };
  const release = { ...facts, feed, published };
  return releasedBranch(
    catalogue,
    branch,
    release,
    placed(catalogue, branch, release),
    { action: 'import', reason: `published at ${source}` },
    now,
  );
};

/** Where a release of a branch belongs: on offer, or into the history between those of its time. */
const placed = (
  catalogue: Catalogue,
  branch: BranchFile,
  { published, ...release }: Omit<Release, 'rank'>,
): Pick<BranchFile, 'current' | 'history'> => {
  const { current, history } = branch;
  // Stryker disable next-line EqualityOperator: the release itself is not on record yet
  const older = releasesOf(branch).filter(({ version }) => compareVersions(version, release.version) < 0);
  if (older.length === releasesOf(branch).length) {
    const rank = current?.rank ?? enteringRank(catalogue, release.version);
    return {
      current: { ...release, rank, published },
      history: current ? [past(catalogue, current), ...history] : history,
    };
  }
  const place = history.length - older.length;
  // Beside the one before it, which is of an earlier day.
  const neighbour = history[place] ?? history.at(-1);
  const entering = past(catalogue, { ...release, rank: 0, published });
  return {
    current,
    history: history.toSpliced(place, 0, { ...entering, rank: neighbour?.rank ?? entering.rank }),
  };
};

/** Takes over the slot of a coming release from another site; the build before it is remembered. */
export const adoptSlot = (catalogue: Catalogue, slot: PreRelease, source: string, now: Date): BranchFile => {
  const branch = branchFor(catalogue, slot.version);
  return audited(
    catalogue,
    branch,
    withSlot(branch, slot),
    {
      action: 'import',
      version: slot.release.number > 0 ? buildVersion(slot) : slot.version,
      reason: `published at ${source}`,
    },
    now,
  );
};
