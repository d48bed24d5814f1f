import type { BranchFile, Release } from '../schemas/index.ts';
import { isoDate } from '../facts/calendar-date.ts';
import type { Catalogue } from '../facts/catalogue.ts';
import { buildVersion, parseBuildVersion } from '../facts/pre-release-build.ts';
import { audited, branchFor, EditError, retired } from './branch-edit.ts';

export interface Withdrawal {
  readonly version: string;
  readonly date: Date;
  readonly reason: string;
}

/**
 * Withdraws a release by a flag: it stays in the archive and leaves latest, the feed and the active list. Or withdraws a build: it
 * leaves its slot and is remembered.
 */
export const yank = (catalogue: Catalogue, { version, date, reason }: Withdrawal, now: Date): BranchFile => {
  const build = parseBuildVersion(version);
  const branch = branchFor(catalogue, build?.version ?? version);
  if (build) return withdrawBuild(catalogue, branch, version, reason, now);
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

/** Its slot stays, for the next build. */
const withdrawBuild = (
  catalogue: Catalogue,
  branch: BranchFile,
  version: string,
  reason: string,
  now: Date,
): BranchFile => {
  const slot = branch.pre_releases.find((known) => buildVersion(known) === version);
  if (!slot) {
    const isPast = branch.retired_builds.some((known) => known.version === version);
    throw new EditError(isPast ? `${version} is not on offer any more.` : `${version} is not on record.`);
  }
  const { type, number } = slot.release;
  return audited(
    catalogue,
    branch,
    {
      pre_releases: branch.pre_releases.map((known) =>
        known === slot ? { ...slot, release: { type, number: 0 } } : known,
      ),
      retired_builds: [...branch.retired_builds, ...retired([slot])],
    },
    { action: 'yank', version, reason, changes: [{ pointer: '/number', from: number, to: 0 }] },
    now,
  );
};
