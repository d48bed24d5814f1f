import type { BranchFile } from '../schemas/index.ts';
import { isoDate } from '../facts/calendar-date.ts';
import type { Catalogue } from '../facts/catalogue.ts';
import { supportDates } from '../facts/support-dates.ts';
import { audited, EditError, past } from './branch-edit.ts';

/** Takes a branch out of the current table when its support has ended: its last release goes into the history. */
export const retire = (catalogue: Catalogue, name: string, now: Date): BranchFile => {
  const branch = catalogue.branches.find((file) => file.branch === name);
  if (!branch?.current) throw new EditError(`Branch ${name} is not in the current table.`);
  const { securitySupportEnd } = supportDates(branch);
  if (!securitySupportEnd || now < securitySupportEnd) {
    const end = securitySupportEnd ? isoDate(securitySupportEnd) : 'a day that is not known';
    throw new EditError(`Branch ${name} is supported until ${end}.`);
  }
  return audited(
    catalogue,
    branch,
    { current: null, history: [past(catalogue, branch.current), ...branch.history] },
    { action: 'retire', version: branch.current.version },
    now,
  );
};
