import { releasesOf, type Catalogue } from '../facts/catalogue.ts';
import { jsonChanges } from '../json-change.ts';
import type { BranchFile, Release, WindowsBuilds } from '../schemas/index.ts';
import { audited, branchFor } from './branch-edit.ts';
import { EditError } from './edit-error.ts';

export interface WindowsPublication {
  readonly version: string;
  readonly builds: WindowsBuilds;
}

/** Puts the builds for Windows of a release on record, which are made after it. What is on record stays as it is. */
export const addWindows = (
  catalogue: Catalogue,
  { version, builds }: WindowsPublication,
  now: Date,
): BranchFile => {
  const branch = branchFor(catalogue, version);
  const release = releasesOf(branch).find((known) => known.version === version);
  if (!release) throw new EditError(`${version} is not on record.`);
  if (release.windows) {
    throw new EditError(
      jsonChanges(release.windows, builds).length === 0
        ? `${version} has these builds already.`
        : `${version} has other builds for Windows on record; use correct.`,
    );
  }
  const { published, ...facts } = release;
  const built: Release = { ...facts, windows: builds, published };
  return audited(
    catalogue,
    branch,
    {
      current: branch.current === release ? built : branch.current,
      history: branch.history.map((known) => (known === release ? built : known)),
    },
    { action: 'add-windows', version },
    now,
  );
};
