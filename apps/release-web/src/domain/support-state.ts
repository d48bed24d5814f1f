import { type BranchFile, releasesOf, type SupportDates, supportDates } from '@workspace/release-catalogue';

/** Where a branch is in its life. `future`, as php.net says: not released yet. */
export const STATES = ['future', 'stable', 'security', 'eol'] as const;
export type State = (typeof STATES)[number];

/** The state of a branch at an instant; null when a date is not known. */
export interface SupportState extends SupportDates {
  readonly state: State | null;
}

/** The support dates of a branch; of one without a release, none is known. */
export const knownSupportDates = (branch: BranchFile): SupportDates =>
  hasRelease(branch)
    ? supportDates(branch)
    : { initialRelease: null, activeSupportEnd: null, securitySupportEnd: null };

/**
 * The one rule of states. An end is inclusive: the next state holds from 00:00:00 UTC of that day.
 * `eol` is checked first: in five old branches security support ends before active support.
 */
export const supportState = (branch: BranchFile, now: Date): SupportState => {
  const dates = knownSupportDates(branch);
  return { state: stateOf(dates, now), ...dates };
};

const stateOf = ({ initialRelease, activeSupportEnd, securitySupportEnd }: SupportDates, now: Date) => {
  if (!initialRelease || !activeSupportEnd || !securitySupportEnd) return null;
  if (now >= securitySupportEnd) return 'eol';
  if (now >= activeSupportEnd) return 'security';
  return now >= initialRelease ? 'stable' : 'future';
};

/** Whether a branch has a release: one that was not withdrawn. */
export const hasRelease = (branch: BranchFile): boolean => releasesOf(branch).some(({ yanked }) => !yanked);

/** The state to tell of any branch; `future` also without a release so far, and when all were withdrawn. */
export const branchState = (branch: BranchFile, now: Date): State | null =>
  hasRelease(branch) ? supportState(branch, now).state : 'future';

/** Whether a branch has a release, and its security support has not ended. */
export const isBeforeSecurityEnd = (branch: BranchFile, now: Date): boolean => {
  const { securitySupportEnd } = knownSupportDates(branch);
  return securitySupportEnd !== null && now < securitySupportEnd;
};

/** Whether a branch is in the current table, has a release, and its security support has not ended. */
export const isSupported = (branch: BranchFile, now: Date): boolean =>
  branch.current !== null && isBeforeSecurityEnd(branch, now);

/** The newest supported branch that has come out: where users of others are sent. */
export const recommendedBranch = (branches: readonly BranchFile[], now: Date): BranchFile | undefined =>
  branches.findLast((branch) => isSupported(branch, now) && branchState(branch, now) !== 'future');
