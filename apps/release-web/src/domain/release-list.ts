import {
  type BranchFile,
  type Catalogue,
  compareVersions,
  type Release,
  releasesOf,
} from '@workspace/release-catalogue';

/** What a list of releases is narrowed to; members that are missing narrow nothing. */
export interface ReleaseFilter {
  readonly branch?: string;
  /** calendar date, inclusive */
  readonly since?: string;
  readonly security?: boolean;
}

/** One release of the list, with its branch. */
export interface ListedRelease {
  readonly branch: BranchFile;
  readonly release: Release;
}

/** Every release that matches, newest day first, within a day the highest version first. */
export const listReleases = (catalogue: Catalogue, filter: ReleaseFilter): readonly ListedRelease[] =>
  catalogue.branches
    .filter(({ branch }) => filter.branch === undefined || branch === filter.branch)
    .flatMap((branch) => releasesOf(branch).map((release) => ({ branch, release })))
    .filter(({ release }) => filter.since === undefined || release.date >= filter.since)
    .filter(
      ({ release }) => filter.security === undefined || (release.kind === 'security') === filter.security,
    )
    .sort(newestFirst);

const newestFirst = (a: ListedRelease, b: ListedRelease): number =>
  b.release.date.localeCompare(a.release.date) || compareVersions(b.release.version, a.release.version);

/** A place in the list that stays right when releases are added: after this day and version. */
export interface Cursor {
  readonly date: string;
  readonly version: string;
}

/** `2026-07-30_8.4.24`; what is no number in a version counts as 0, as it does in the order. */
export const CURSOR_PATTERN = '^\\d{4}-\\d\\d-\\d\\d_\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}$';

const cursorText = ({ date, version }: Cursor): string =>
  `${date}_${version
    .split('.')
    .map((part) => (/^\d+$/.test(part) ? part : 0))
    .join('.')}`;

/** @param text matches `CURSOR_PATTERN` */
export const parseCursor = (text: string): Cursor => ({ date: text.slice(0, 10), version: text.slice(11) });

/** The part of a list after a cursor, and the cursor after that part. */
export const pageOf = (list: readonly ListedRelease[], limit: number, after: Cursor | null) => {
  const rest = after ? list.filter(({ release }) => isAfter(release, after)) : list;
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rest.length > limit && last ? cursorText(last.release) : null };
};

const isAfter = (release: Release, { date, version }: Cursor): boolean =>
  release.date < date || (release.date === date && compareVersions(release.version, version) < 0);
