import type { BranchFile } from '../schemas/index.ts';
import type { Catalogue } from '../facts/catalogue.ts';
import { buildVersion } from '../facts/pre-release-build.ts';
import { audited, branchFor, EditError } from './branch-edit.ts';

/** Takes back the slot of a coming release that will not come. A build in it is withdrawn first, for its readers. */
export const removeSlot = (catalogue: Catalogue, version: string, reason: string, now: Date): BranchFile => {
  const branch = branchFor(catalogue, version);
  const slot = branch.pre_releases.find((known) => known.version === version);
  if (!slot) {
    const slots = branch.pre_releases.map((known) => known.version).join(', ') || 'none';
    throw new EditError(`${version} has no pre-release slot; branch ${branch.branch} has: ${slots}.`);
  }
  if (slot.release.number > 0) {
    const build = buildVersion(slot);
    throw new EditError(`The slot of ${version} has ${build}: withdraw that first, with yank ${build}.`);
  }
  return audited(
    catalogue,
    branch,
    { pre_releases: branch.pre_releases.filter((known) => known !== slot) },
    { action: 'remove-slot', version, reason },
    now,
  );
};
