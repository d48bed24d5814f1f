import type { Catalogue } from './catalogue.ts';
import { isReleased, supportDates } from './support-state.ts';

/** php.net keeps a branch on its active list this long after its end. */
export const ACTIVE_LIST_GRACE_DAYS = 28;

export type TransitionKind =
  'initial-release' | 'active-support-end' | 'security-support-end' | 'active-list-end';

/** A moment at which answers change without any new fact. */
export interface Transition {
  readonly at: Date;
  readonly branch: string;
  readonly kind: TransitionKind;
}

/** All transitions of all released branches, past and coming, in order of time. */
export const transitions = (catalogue: Catalogue): readonly Transition[] =>
  catalogue.branches
    .filter(isReleased)
    .flatMap((branch) => {
      const dates = supportDates(branch);
      const grace = branch.current && dates.securitySupportEnd ? graceEnd(dates.securitySupportEnd) : null;
      const moments: [TransitionKind, Date | null][] = [
        ['initial-release', dates.initialRelease],
        ['active-support-end', dates.activeSupportEnd],
        ['security-support-end', dates.securitySupportEnd],
        ['active-list-end', grace],
      ];
      return moments.flatMap(([kind, at]) => (at ? [{ at, branch: branch.branch, kind }] : []));
    })
    .sort((a, b) => a.at.getTime() - b.at.getTime());

/** The end of a branch's place on the active list. */
export const graceEnd = (securitySupportEnd: Date): Date =>
  new Date(securitySupportEnd.getTime() + ACTIVE_LIST_GRACE_DAYS * 86_400_000);
