import type { BranchFile, Overrides } from '../schemas/index.ts';
import { isoDate } from '../facts/calendar-date.ts';
import { type Catalogue, releasesOf } from '../facts/catalogue.ts';
import { supportDates } from '../facts/support-dates.ts';
import { audited, EditError } from './branch-edit.ts';

export interface NewSupport {
  readonly branch: string;
  /** the day from which on only security issues are fixed */
  readonly active?: Date | undefined;
  /** the day from which on nothing is fixed */
  readonly security?: Date | undefined;
  readonly reason: string;
}

/** Changes when the support of a branch ends, from what follows from its first release. */
export const setSupport = (
  catalogue: Catalogue,
  { branch: name, active, security, reason }: NewSupport,
  now: Date,
): BranchFile => {
  const branch = catalogue.branches.find((file) => file.branch === name);
  if (!branch) throw new EditError(`There is no branch ${name}.`);
  if (releasesOf(branch).length === 0) throw new EditError(`Branch ${name} has no release yet.`);
  const { initialRelease, activeSupportEnd, securitySupportEnd } = supportDates(branch);
  const ends = [
    { member: 'stable', from: activeSupportEnd, to: active },
    { member: 'security', from: securitySupportEnd, to: security },
  ].flatMap(({ member, from, to }) =>
    to === undefined || from?.getTime() === to.getTime() ? [] : [{ member, from, to: isoDate(to) }],
  );
  if (ends.length === 0) throw new EditError(`The support of ${name} ends on these days already.`);
  const overrides: Overrides = {
    ...branch.overrides,
    ...Object.fromEntries(ends.map(({ member, to }) => [member, to])),
  };
  // Overrides without a date say that the first release is not known.
  const isDateLost = !supportDates({ ...branch, overrides }).initialRelease;
  const date = initialRelease && isDateLost ? { date: isoDate(initialRelease) } : {};
  const changes = [
    ...ends.map(({ member, from, to }) => ({
      pointer: `/overrides/${member}`,
      ...(from && { from: isoDate(from) }),
      to,
    })),
    ...Object.values(date).map((to) => ({ pointer: '/overrides/date', to })),
  ];
  return audited(
    catalogue,
    branch,
    { overrides: { ...date, ...overrides } },
    { action: 'set-support', version: name, reason, changes },
    now,
  );
};
