import {
  type Catalogue,
  compareVersions,
  isSecurityRelease,
  type Release,
  releasesOf,
  type TableRow,
} from '@workspace/release-catalogue';

/** What a list of releases is narrowed to; members that are missing narrow nothing. */
export interface ReleaseFilter {
  readonly branch?: string;
  /** calendar date, inclusive */
  readonly since?: string;
  readonly security?: boolean;
}

/** Every release, newest day first, within a day the highest version first. */
export const listReleases = (catalogue: Catalogue): readonly TableRow[] =>
  catalogue.branches
    .flatMap((branch) => releasesOf(branch).map((release) => ({ branch, release })))
    .sort(newestFirst);

const newestFirst = (a: TableRow, b: TableRow): number =>
  b.release.date.localeCompare(a.release.date) || compareVersions(b.release.version, a.release.version);

/** The releases of a list that match, in its order. */
export const filterReleases = (
  list: readonly TableRow[],
  { branch: name, since, security }: ReleaseFilter,
): readonly TableRow[] =>
  list.filter(
    ({ branch, release }) =>
      (name === undefined || branch.branch === name) &&
      (since === undefined || release.date >= since) &&
      (security === undefined || (isSecurityRelease(release) === true) === security),
  );

/** A part of a list. */
export interface ReleasePage {
  /** index in the list of its first release */
  readonly start: number;
  readonly items: readonly TableRow[];
  /** leads to the next part; null on the last */
  readonly next: string | null;
}

/**
 * The part of a list after a cursor. A cursor names the last release of the part before, so that it stays right when
 * releases are added.
 * @param limit of releases, at least 1
 * @param cursor as `next` said, null for the first part
 * @returns null for a cursor that no part of this list has
 */
export const pageOf = (
  list: readonly TableRow[],
  limit: number,
  cursor: string | null,
): ReleasePage | null => {
  const before = cursor === null ? -1 : list.findIndex(({ release }) => cursorText(release) === cursor);
  if (cursor !== null && before < 0) return null;
  const start = before + 1;
  const items = list.slice(start, start + limit);
  const last = items.at(-1);
  const isLastPage = start + limit >= list.length;
  return { start, items, next: last && !isLastPage ? cursorText(last.release) : null };
};

/** `2026-07-30_8.4.24`; a part of a version that is not a number counts as 0, as it does in the order. */
export const CURSOR_PATTERN = '^\\d{4}-\\d\\d-\\d\\d_\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}$';

const cursorText = ({ date, version }: Release): string =>
  `${date}_${version
    .split('.')
    .map((part) => (/^\d+$/.test(part) ? part : 0))
    .join('.')}`;
