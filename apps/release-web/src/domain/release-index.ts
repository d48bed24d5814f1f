import {
  type Catalogue,
  compareVersions,
  currentTable,
  historyTable,
  majorOf,
  majors,
  type Release,
} from '@workspace/release-catalogue';
import { isSupported } from './support-state.ts';

/** Releases of a major version in php.net's order: the current table, then history. */
const releaseTable = (catalogue: Catalogue, major: number): readonly Release[] =>
  [...currentTable(catalogue, major), ...historyTable(catalogue, major)].map(({ release }) => release);

/**
 * Releases that match the parts of a version that are given: `8`, `8.4` or `8.4.10`. A withdrawn release is only found
 * by its full version.
 * @returns null when the text is not a version
 */
export const findReleases = (catalogue: Catalogue, wanted: string): readonly Release[] | null => {
  if (!/^\d+(\.\d+)*$/.test(wanted)) return null;
  const parts = wanted.split('.').map(Number);
  return releaseTable(catalogue, parts[0]!).filter(({ version, yanked }) => {
    const own = version.split('.').map(Number);
    return parts.every((part, index) => part === own[index]) && (!yanked || parts.length === own.length);
  });
};

/** The first release of each major version's table, majors descending. */
export const newestOfMajors = (catalogue: Catalogue): readonly (readonly [number, Release])[] =>
  majors(catalogue).flatMap((major) => {
    const release = releaseTable(catalogue, major).find(({ yanked }) => !yanked);
    return release ? [[major, release] as const] : [];
  });

/** The supported branches of a major version, ascending. */
export const supportedBranches = (catalogue: Catalogue, major: number, now: Date): readonly string[] =>
  catalogue.branches
    .filter((branch) => majorOf(branch.branch) === major && isSupported(branch, now))
    .map(({ branch }) => branch)
    .sort(compareVersions);

/** What the index of releases is asked for. */
export interface ReleaseIndexQuery {
  /** missing: the newest release of every major version */
  readonly version?: string;
  /** missing: one release, not keyed; -1: all */
  readonly max?: number;
}

/**
 * The one form of a query that all queries with the same answer share, so that an answer is made and remembered once.
 * @returns null when nothing matches
 */
export const canonicalQuery = (
  catalogue: Catalogue,
  { version, max }: ReleaseIndexQuery,
): ReleaseIndexQuery | null => {
  if (version === undefined) return {};
  const found = findReleases(catalogue, version) ?? [];
  const [first] = found;
  if (!first) return null;
  if (max === undefined) return { version: first.version };
  const count = max === -1 ? found.length : Math.min(max, found.length);
  return count < 1 ? null : { version: version.split('.').map(Number).join('.'), max: count };
};
