import type { BranchFile, PreRelease } from '../schemas/index.ts';
import { longDateText } from '../facts/calendar-date.ts';
import type { Catalogue } from '../facts/catalogue.ts';
import { branchOf } from '../facts/version.ts';
import { audited, branchFor, digestMembers, type Digests, EditError, withSlot } from './branch-edit.ts';
import { buildVersion, parseBuildVersion } from '../facts/pre-release-build.ts';

export interface NewBuild {
  /** `8.4.26RC1` */
  readonly build: string;
  readonly date: Date;
  /** whose folder it is in; default: the only release manager of the branch */
  readonly manager?: string | undefined;
  readonly digests: Digests;
  /** opens a branch that has no file yet */
  readonly newBranch: boolean;
  readonly reason?: string | undefined;
}

/** Puts a build into the slot of its base version; the build before it is remembered. */
export const addPreRelease = (catalogue: Catalogue, added: NewBuild, now: Date): BranchFile => {
  const parsed = parseBuildVersion(added.build);
  if (!parsed) throw new EditError(`"${added.build}" is not the version of a build, like 8.4.26RC1.`);
  const { version, type, number } = parsed;
  const branch = branchOrNew(catalogue, version, added.newBranch);
  if (branch.pre_releases.some((slot) => buildVersion(slot) === added.build)) {
    throw new EditError(`${added.build} is published already; correct it instead.`);
  }
  const slot: PreRelease = {
    version,
    active: true,
    release: {
      type,
      number,
      ...digestMembers(catalogue, added.build, added.digests),
      date: longDateText(added.date),
      baseurl: buildFolder(catalogue, branch.branch, added.manager),
    },
  };
  return audited(
    catalogue,
    branch,
    withSlot(branch, slot),
    {
      action: 'add-pre-release',
      version: added.build,
      ...(added.reason !== undefined && { reason: added.reason }),
    },
    now,
  );
};

const branchOrNew = (catalogue: Catalogue, version: string, newBranch: boolean): BranchFile => {
  const name = branchOf(version);
  const known = catalogue.branches.some(({ branch }) => branch === name);
  // A slip like 85.9 must not open a branch.
  if (known && newBranch) throw new EditError(`Branch ${name} exists already.`);
  if (known || !newBranch) return branchFor(catalogue, version);
  return {
    $schema: '../schemas/branch.schema.json',
    branch: name,
    // Stryker disable next-line StringLiteral: audited() sets it
    updated: '',
    current: null,
    history: [],
    pre_releases: [],
    retired_builds: [],
    audit: [],
  };
};

const buildFolder = ({ product }: Catalogue, branch: string, manager: string | undefined): string => {
  const { builds, managers } = product.downloads;
  const known = managers[branch] ?? [];
  if (known.length === 0) {
    throw new EditError(`product.json names no release manager of ${branch} (downloads.managers).`);
  }
  if (manager === undefined && known.length > 1) {
    throw new EditError(`Branch ${branch} has several release managers; name one of ${known.join(', ')}.`);
  }
  return builds.replaceAll('{manager}', manager ?? known[0]!);
};
