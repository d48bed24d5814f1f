import { type BranchFile, isoDate, latestRelease } from '@workspace/release-catalogue';
import { hasRelease, isSupported, supportState } from '../../../domain/support-state.ts';
import { branchTransitions } from '../../../domain/transitions.ts';
import { eventView } from './event.ts';
import type { ApiBranch } from '../../schemas/branch.ts';

export const branchView = (branch: BranchFile, now: Date): ApiBranch => {
  const { state, initialRelease, activeSupportEnd, securitySupportEnd } = supportState(branch, now);
  const next = branchTransitions(branch).find(({ at }) => at > now);
  return {
    branch: branch.branch,
    state: hasRelease(branch) ? state : 'planned',
    is_supported: isSupported(branch, now),
    latest: latestRelease(branch)?.version ?? null,
    initial_release: day(initialRelease),
    expected_release: hasRelease(branch) ? null : (branch.expected ?? null),
    active_support_end: day(activeSupportEnd),
    security_support_end: day(securitySupportEnd),
    last_supported_day: lastSupportedDay(securitySupportEnd),
    next_transition: next ? eventView(next, now) : null,
  };
};

const day = (date: Date | null): string | null => date && isoDate(date);

/** The day before an end. */
export const lastSupportedDay = (end: Date | null): string | null =>
  end && isoDate(new Date(end.getTime() - 86_400_000));
