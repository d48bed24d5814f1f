import type { BranchFile, Release } from '../schemas/index.ts';
import { parseDateText, parseIsoDate } from './calendar-date.ts';
import { compareVersions } from './version.ts';

/** The days on which a branch's support changes, at 00:00 UTC; null when not known. */
export interface SupportDates {
  readonly initialRelease: Date | null;
  /** from this instant on only security issues are fixed */
  readonly activeSupportEnd: Date | null;
  /** from this instant on nothing is fixed */
  readonly securitySupportEnd: Date | null;
}

/** The support dates of a branch by php.net's rules (`include/branches.inc`), from its facts alone. */
export const supportDates = (branch: BranchFile): SupportDates => {
  const initialRelease = initialReleaseOf(branch);
  return {
    initialRelease,
    activeSupportEnd: overridden(branch, 'stable') ?? activeSupportEndOf(branch, initialRelease),
    securitySupportEnd: overridden(branch, 'security') ?? securitySupportEndOf(branch, initialRelease),
  };
};

const initialReleaseOf = (branch: BranchFile): Date | null => {
  const first = `${branch.branch}.0`;
  const old = branch.history.find(({ version }) => version === first);
  if (old) return parseIsoDate(old.date);
  // An entry without a date is how php.net says "unknown". It stops the search.
  if (branch.overrides) return overridden(branch, 'date');
  return branch.current?.version === first ? firstFileDate(branch.current.published.source) : null;
};

const activeSupportEndOf = ({ branch }: BranchFile, initial: Date | null): Date | null => {
  if (!initial) return null;
  const end = addYears(initial, 2);
  return compareVersions(branch, '8.2') >= 0 ? endOfYear(end) : end;
};

const securitySupportEndOf = (branch: BranchFile, initial: Date | null): Date | null => {
  if (compareVersions(branch.branch, '5.3') < 0) return lastReleaseDate(branch);
  if (!initial) return null;
  if (compareVersions(branch.branch, '8.1') < 0) return addYears(initial, 3);
  return endOfYear(addYears(initial, 4));
};

/** Before 5.3 a branch was supported until its last release. */
const lastReleaseDate = (branch: BranchFile): Date | null => {
  const last = [...branch.history].sort((a, b) => compareVersions(b.version, a.version))[0];
  if (last) return parseIsoDate(last.date);
  return branch.current?.version === `${branch.branch}.0`
    ? firstFileDate(branch.current.published.source)
    : null;
};

const overridden = ({ overrides }: BranchFile, name: 'date' | 'stable' | 'security'): Date | null => {
  const date = overrides?.[name];
  // Stryker disable next-line ConditionalExpression: undefined is no date either
  return date === undefined ? null : parseIsoDate(date);
};

const firstFileDate = ([file]: Release['published']['source']): Date | null =>
  // Stryker disable next-line ConditionalExpression: undefined is no date either
  file && 'date' in file && file.date !== undefined ? parseDateText(file.date) : null;

/** Calendar years; 29 February becomes 1 March in other years. */
const addYears = (date: Date, years: number): Date =>
  new Date(Date.UTC(date.getUTCFullYear() + years, date.getUTCMonth(), date.getUTCDate()));

const endOfYear = (date: Date): Date => new Date(Date.UTC(date.getUTCFullYear(), 11, 31));
