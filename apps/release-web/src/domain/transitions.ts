import {
  type BranchFile,
  type Catalogue,
  parseIsoDate,
  releasesOf,
  type SupportDates,
  supportDates,
} from '@workspace/release-catalogue';
import { hasRelease, knownSupportDates } from './support-state.ts';
import { DAY_MS } from './utc-day.ts';

/** php.net keeps a branch on its active list this long after its end. */
const ACTIVE_LIST_GRACE_DAYS = 28;

export const TRANSITION_KINDS = [
  'expected-release',
  'initial-release',
  'active-support-end',
  'security-support-end',
  'active-list-end',
] as const;
export type TransitionKind = (typeof TRANSITION_KINDS)[number];

/** A moment at which answers change without any new fact. */
export interface Transition {
  readonly at: Date;
  readonly branch: string;
  readonly kind: TransitionKind;
}

/** The transitions of one branch, past and coming, in order of time. */
export const branchTransitions = (branch: BranchFile): readonly Transition[] =>
  transitionsOf(branch, knownSupportDates(branch));

/** What were the transitions of a branch before all of its releases were withdrawn. */
export const withdrawnTransitions = (branch: BranchFile): readonly Transition[] =>
  hasRelease(branch) || releasesOf(branch).length === 0
    ? []
    : transitionsOf(branch, supportDates(branch)).filter(({ kind }) => kind !== 'expected-release');

const transitionsOf = (branch: BranchFile, dates: SupportDates): readonly Transition[] => {
  const expected = !hasRelease(branch) && branch.expected ? parseIsoDate(branch.expected) : null;
  const moments: [TransitionKind, Date | null][] = [
    ['expected-release', expected],
    ['initial-release', dates.initialRelease],
    ['active-support-end', dates.activeSupportEnd],
    ['security-support-end', dates.securitySupportEnd],
    [
      'active-list-end',
      branch.current && dates.securitySupportEnd ? graceEnd(dates.securitySupportEnd) : null,
    ],
  ];
  return moments
    .flatMap(([kind, at]) => (at ? [{ at, branch: branch.branch, kind }] : []))
    .sort((a, b) => a.at.getTime() - b.at.getTime());
};

/** The transitions of all branches, past and coming, in order of time. */
export const transitions = (catalogue: Catalogue): readonly Transition[] =>
  catalogue.branches.flatMap(branchTransitions).sort((a, b) => a.at.getTime() - b.at.getTime());

/** The end of a branch's place on the active list. */
export const graceEnd = (securitySupportEnd: Date): Date =>
  new Date(securitySupportEnd.getTime() + ACTIVE_LIST_GRACE_DAYS * DAY_MS);
