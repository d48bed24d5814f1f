import type { BranchFile, Release } from '../data/index.ts';
import { parseDateText, parseIsoDate } from './calendar-date.ts';
import { releasesOf } from './catalogue.ts';
import { compareVersions } from './version.ts';

/** Where a branch is in its life. */
export type State = 'future' | 'stable' | 'security' | 'eol';

/** The days a branch's life turns on, at 00:00 UTC; null when not known. */
export interface SupportDates {
  readonly initialRelease: Date | null;
  /** from this instant on only security faults are fixed */
  readonly activeSupportEnd: Date | null;
  /** from this instant on nothing is fixed */
  readonly securitySupportEnd: Date | null;
}

/** The state of a branch at an instant; null when a date is not known. */
export interface SupportState extends SupportDates {
  readonly state: State | null;
}

/** php.net's rules for the life of a branch, from its facts alone. */
export const supportDates = (branch: BranchFile): SupportDates => {
  const initialRelease = initialReleaseOf(branch);
  return {
    initialRelease,
    activeSupportEnd: overridden(branch, 'stable') ?? activeSupportEndOf(branch, initialRelease),
    securitySupportEnd: overridden(branch, 'security') ?? securitySupportEndOf(branch, initialRelease),
  };
};

/**
 * The one rule of states. An end is inclusive: from 00:00:00 UTC of that day on the next state holds.
 * `eol` is asked first: five old branches end security support before active support.
 */
export const supportState = (branch: BranchFile, now: Date): SupportState => {
  const dates = supportDates(branch);
  return { state: stateOf(dates, now), ...dates };
};

const stateOf = ({ initialRelease, activeSupportEnd, securitySupportEnd }: SupportDates, now: Date) => {
  if (!initialRelease || !activeSupportEnd || !securitySupportEnd) return null;
  if (now >= securitySupportEnd) return 'eol';
  if (now >= activeSupportEnd) return 'security';
  return now >= initialRelease ? 'stable' : 'future';
};

const initialReleaseOf = (branch: BranchFile): Date | null => {
  const first = `${branch.branch}.0`;
  const old = branch.history.find(({ version }) => version === first);
  if (old) return parseIsoDate(old.date);
  // An entry without a date is php.net's way to say: unknown. It stops the search.
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

/** Before 5.3 a branch lived until its last release. */
const lastReleaseDate = (branch: BranchFile): Date | null => {
  const last = [...branch.history].sort((a, b) => compareVersions(b.version, a.version))[0];
  if (last) return parseIsoDate(last.date);
  return branch.current?.version === `${branch.branch}.0`
    ? firstFileDate(branch.current.published.source)
    : null;
};

const overridden = ({ overrides }: BranchFile, name: 'date' | 'stable' | 'security'): Date | null => {
  const date = overrides?.[name];
  return date === undefined ? null : parseIsoDate(date);
};

const firstFileDate = ([file]: Release['published']['source']): Date | null =>
  file && 'date' in file && file.date !== undefined ? parseDateText(file.date) : null;

/** Calendar years; 29 February becomes 1 March where there is none. */
const addYears = (date: Date, years: number): Date =>
  new Date(Date.UTC(date.getUTCFullYear() + years, date.getUTCMonth(), date.getUTCDate()));

const endOfYear = (date: Date): Date => new Date(Date.UTC(date.getUTCFullYear(), 11, 31));

/** Whether a branch is in the current table and its security support has not ended. */
export const isSupported = (branch: BranchFile, now: Date): boolean => {
  const { securitySupportEnd } = supportDates(branch);
  return branch.current !== null && securitySupportEnd !== null && now < securitySupportEnd;
};

/** Whether any release of a branch is on record. */
export const isReleased = (branch: BranchFile): boolean => releasesOf(branch).length > 0;
