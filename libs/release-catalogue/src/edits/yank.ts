import type { BranchFile, Release } from '../schemas/index.ts';
import { isoDate } from '../facts/calendar-date.ts';
import type { Catalogue } from '../facts/catalogue.ts';
import { EditError } from './edit-error.ts';
import { audited, branchFor } from './branch-edit.ts';

export interface Withdrawal {
  readonly version: string;
  readonly date: Date;
  readonly reason: string;
}

/** Withdraws a release by a flag: it stays in the archive and leaves latest, the feed and the active list. */
export const yank = (catalogue: Catalogue, { version, date, reason }: Withdrawal, now: Date): BranchFile => {
  const branch = branchFor(catalogue, version);
  const yanked = { date: isoDate(date), reason };
  const flagged = (release: Release): Release => {
    if (release.version !== version) return release;
    if (release.yanked) throw new EditError(`${version} was withdrawn on ${release.yanked.date}.`);
    const { published, ...rest } = release;
    return { ...rest, yanked, published };
  };
  const current = branch.current && flagged(branch.current);
  const history = branch.history.map(flagged);
  if (![current, ...history].some((release) => release?.version === version)) {
    throw new EditError(`${version} is not on record.`);
  }
  return audited(
    catalogue,
    branch,
    { current, history },
    { action: 'yank', version, reason, changes: [{ pointer: '/yanked', to: yanked }] },
    now,
  );
};
