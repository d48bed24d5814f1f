import { compareVersions } from './version.ts';
import type { AcceptedFindingsFile, BranchFile, NewsItem, ProductFile, Release } from '../schemas/index.ts';

/**
 * The validated facts, frozen. Nothing computed from a clock lives here: that is a `SupportState`, a different type.
 */
export interface Catalogue {
  readonly product: ProductFile;
  /** ascending: 3.0 … 8.6 */
  readonly branches: readonly BranchFile[];
  /** newest first */
  readonly news: readonly NewsItem[];
  /** `updated` of the file the news came from */
  readonly newsUpdated: string;
  readonly accepted: AcceptedFindingsFile['accepted'];
  /** when the facts last changed: the newest `updated` of all files, never the time of loading */
  readonly revision: Date;
}

/** The releases of a branch that were ever published, the current one first. */
export const releasesOf = ({ current, history }: Pick<BranchFile, 'current' | 'history'>): Release[] =>
  current ? [current, ...history] : [...history];

/** A release with the branch it belongs to. */
export interface TableRow {
  readonly branch: BranchFile;
  readonly release: Release;
}

/** The major versions on record, descending, as php.net lists them. */
export const majors = (catalogue: Catalogue): readonly number[] =>
  [...new Set(catalogue.branches.filter((b) => releasesOf(b).length > 0).map((b) => majorOf(b.branch)))].sort(
    (a, b) => b - a,
  );

/** The current table of a major version, in php.net's order. */
export const currentTable = (catalogue: Catalogue, major: number): readonly TableRow[] =>
  table(catalogue, major, ({ current }) => (current ? [current] : []));

/** The history table of a major version, in php.net's order. */
export const historyTable = (catalogue: Catalogue, major: number): readonly TableRow[] =>
  table(catalogue, major, ({ history }) => history);

/** `8.4` → 8, `8.4.25` → 8. */
export const majorOf = (version: string): number => Number(version.slice(0, version.indexOf('.')));

/** Releases that are published in two clones of the data get the same rank: the later one is first. */
const table = (
  { branches }: Catalogue,
  major: number,
  releases: (branch: BranchFile) => readonly Release[],
): TableRow[] =>
  branches
    .filter(({ branch }) => majorOf(branch) === major)
    .flatMap((branch) => releases(branch).map((release) => ({ branch, release })))
    .sort(
      ({ release: a }, { release: b }) =>
        b.rank - a.rank || b.date.localeCompare(a.date) || compareVersions(b.version, a.version),
    );

/** The release with the highest version of a branch that was not withdrawn. */
export const latestRelease = (branch: BranchFile): Release | undefined =>
  releasesOf(branch)
    .filter(({ yanked }) => !yanked)
    .sort((a, b) => compareVersions(b.version, a.version))[0];
