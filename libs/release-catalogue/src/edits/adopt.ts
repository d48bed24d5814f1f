import type { BranchFile, PreRelease, Published, Release } from '../schemas/index.ts';
import { isoDate, parseDateText } from '../facts/calendar-date.ts';
import { type Catalogue, currentTable, majorOf, releasesOf } from '../facts/catalogue.ts';
import { buildVersion } from '../facts/pre-release-build.ts';
import { compareVersions } from '../facts/version.ts';
import { EditError } from './edit-error.ts';
import { audited, branchFor, retired } from './branch-edit.ts';
import { nextRank, past } from './history.ts';

/** A release as another site publishes it. */
export interface PublishedRelease {
  readonly version: string;
  readonly published: Published;
}

/**
 * Takes over a release that another site has published, member for member: it becomes current, the one before goes into
 * the history, slots that it overtakes are cleared and their builds remembered.
 * @param source where it comes from, for the audit
 */
export const adoptRelease = (
  catalogue: Catalogue,
  { version, published }: PublishedRelease,
  source: string,
  now: Date,
): BranchFile => {
  const branch = branchFor(catalogue, version);
  const known = releasesOf(branch);
  if (known.some((release) => compareVersions(release.version, version) >= 0)) {
    throw new EditError(`${version} is not newer than every release of ${branch.branch}.`);
  }
  const day = parseDateText(published.date);
  if (!day) throw new EditError(`${version}: "${published.date}" is not a date.`);
  const cleared = branch.pre_releases.filter((slot) => compareVersions(slot.version, version) <= 0);
  const { expected: _, ...lasting } = branch;
  const table = currentTable(catalogue, majorOf(version)).map(({ release }) => release);
  const current: Release = {
    version,
    date: isoDate(day),
    kind: (published.tags ?? []).includes('security') ? 'security' : 'bugfix',
    rank: branch.current?.rank ?? nextRank(table),
    published,
  };
  return audited(
    lasting,
    {
      current,
      history: branch.current ? [past(catalogue, branch.current), ...branch.history] : branch.history,
      pre_releases: branch.pre_releases.filter((slot) => !cleared.includes(slot)),
      retired_builds: [...branch.retired_builds, ...retired(cleared)],
    },
    { action: 'import', version, reason: `published at ${source}` },
    now,
  );
};

/** Takes over the slot of a coming release from another site; the build before it is remembered. */
export const adoptSlot = (catalogue: Catalogue, slot: PreRelease, source: string, now: Date): BranchFile => {
  const branch = branchFor(catalogue, slot.version);
  const before = branch.pre_releases.filter(({ version }) => version === slot.version);
  return audited(
    branch,
    {
      pre_releases: [...branch.pre_releases.filter((other) => !before.includes(other)), slot].sort((a, b) =>
        compareVersions(a.version, b.version),
      ),
      retired_builds: [...branch.retired_builds, ...retired(before)],
    },
    {
      action: 'import',
      version: slot.release.number > 0 ? buildVersion(slot) : slot.version,
      reason: `published at ${source}`,
    },
    now,
  );
};
