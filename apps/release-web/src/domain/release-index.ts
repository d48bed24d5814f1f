import {
  type Catalogue,
  compareVersions,
  currentTable,
  historyTable,
  latestRelease,
  majorOf,
  majors,
  type Release,
} from '@workspace/release-catalogue';
import { isBeforeSecurityEnd, isSupported } from './support-state.ts';

/** A release of a table with the numbers of its version. */
interface TableEntry {
  readonly release: Release;
  /** a part that is not a number counts as 0, as it does in the order of versions */
  readonly parts: readonly number[];
}

/** By major version. A catalogue never changes, and making a table costs more than all the rest of an answer. */
const tables = new WeakMap<Catalogue, Map<number, readonly TableEntry[]>>();

const releaseTable = (catalogue: Catalogue, major: number): readonly TableEntry[] => {
  let byMajor = tables.get(catalogue);
  if (!byMajor) {
    byMajor = new Map(majors(catalogue).map((of) => [of, makeTable(catalogue, of)]));
    tables.set(catalogue, byMajor);
  }
  return byMajor.get(major) ?? [];
};

/**
 * Releases of a major version in php.net's order: the current table, then history. A branch whose first release was
 * withdrawn has its newest in that place.
 */
const makeTable = (catalogue: Catalogue, major: number): readonly TableEntry[] => {
  const newest = new Map(catalogue.branches.map((branch) => [branch, latestRelease(branch)]));
  const rows = [...currentTable(catalogue, major), ...historyTable(catalogue, major)];
  const releases = new Set(rows.flatMap(({ branch, release }) => [newest.get(branch) ?? release, release]));
  return [...releases].map((release) => ({ release, parts: partsOf(release) }));
};

const partsOf = ({ version }: Release): readonly number[] =>
  version.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : 0));

/**
 * Releases that match the parts of a version that are given: `[8]`, `[8, 4]` or `[8, 4, 10]`; parts beyond match 0. A
 * withdrawn release is only found by all of its parts.
 */
export const findReleases = (catalogue: Catalogue, wanted: readonly number[]): readonly Release[] =>
  releaseTable(catalogue, wanted[0] ?? 0)
    .filter(
      ({ release, parts }) =>
        wanted.every((part, index) => part === (parts[index] ?? 0)) &&
        (!release.yanked || wanted.length >= parts.length),
    )
    .map(({ release }) => release);

/** The first release of each major version's table that was not withdrawn, majors descending. */
export const newestOfMajors = (catalogue: Catalogue): readonly (readonly [number, Release])[] =>
  majors(catalogue).flatMap((major) => {
    const entry = releaseTable(catalogue, major).find(({ release }) => !release.yanked);
    return entry ? [[major, entry.release] as const] : [];
  });

/**
 * The supported branches of a major version, ascending. One that has left the current table altogether has those of its
 * history whose end is yet to come, as on php.net: the table is then looked up there.
 */
export const supportedBranches = (catalogue: Catalogue, major: number, now: Date): readonly string[] => {
  const branches = catalogue.branches.filter(({ branch }) => majorOf(branch) === major);
  const isOnOffer = branches.some(({ current }) => current !== null);
  return branches
    .filter((branch) => (isOnOffer ? isSupported : isBeforeSecurityEnd)(branch, now))
    .map(({ branch }) => branch)
    .sort(compareVersions);
};

/** What the index of releases is asked for. */
export interface ReleaseIndexQuery {
  /** the parts of a version that are given; missing: the newest release of every major version */
  readonly version?: readonly number[];
  /** missing: one release, not keyed; -1: all */
  readonly max?: number;
}

/** No version on record has more parts, so that further parts make no difference. */
const MOST_PARTS = 3;

/**
 * The one form of a query that all queries with the same answer share, so that an answer is made and remembered once.
 * @returns null when nothing matches
 */
export const canonicalQuery = (
  catalogue: Catalogue,
  { version, max }: ReleaseIndexQuery,
): ReleaseIndexQuery | null => {
  if (version === undefined) return {};
  const found = findReleases(catalogue, version);
  const [first] = found;
  if (!first) return null;
  if (max === undefined) return { version: partsOf(first) };
  const count = max === -1 ? found.length : Math.min(max, found.length);
  return count < 1 ? null : { version: version.slice(0, MOST_PARTS), max: count };
};
