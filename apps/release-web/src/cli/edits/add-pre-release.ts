import type { BranchFile, Build, PreRelease } from '../../data/index.ts';
import { longDateText } from '../../domain/calendar-date.ts';
import type { Catalogue } from '../../domain/catalogue.ts';
import { branchOf, compareVersions } from '../../domain/version.ts';
import type { Digests } from '../digests.ts';
import { CommandRejected, UsageError } from '../terminal.ts';
import { audited, branchFor, digestMembers, retired } from './branch-edit.ts';

export interface NewBuild {
  /** `8.4.26RC1` */
  readonly build: string;
  readonly date: Date;
  /** whose folder it lies in; left out, the branch's only manager */
  readonly manager?: string | undefined;
  readonly digests: Digests;
  /** opens a branch that has no file yet */
  readonly newBranch: boolean;
  readonly reason?: string | undefined;
}

/** Puts a build into the slot of its base version; the build before it is remembered. */
export const addPreRelease = (catalogue: Catalogue, added: NewBuild, now: Date): BranchFile => {
  const { version, type, number } = parseBuild(added.build);
  const branch = branchOrNew(catalogue, version, added.newBranch);
  const slots = branch.pre_releases.filter((slot) => slot.version === version);
  if (slots.some(({ release }) => release.type === type && release.number === number)) {
    throw new CommandRejected(`${added.build} is published already; change it with correct.`);
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
    branch,
    {
      pre_releases: [...branch.pre_releases.filter((other) => !slots.includes(other)), slot].sort((a, b) =>
        compareVersions(a.version, b.version),
      ),
      retired_builds: [...branch.retired_builds, ...retired(slots)],
    },
    {
      action: 'add-pre-release',
      version: added.build,
      ...(added.reason !== undefined && { reason: added.reason }),
    },
    now,
  );
};

/** `8.4.26RC1` → base version, type and number; the type's case is part of file names. */
export const parseBuild = (build: string): { version: string } & Pick<Build, 'type' | 'number'> => {
  const match = /^(\d+\.\d+\.\d+)(alpha|beta|RC)([1-9]\d*)$/.exec(build);
  if (!match) throw new UsageError(`"${build}" is no build: 8.4.26RC1, 8.6.0alpha2 or 8.6.0beta1 is one.`);
  return { version: match[1]!, type: match[2] as Build['type'], number: Number(match[3]) };
};

const branchOrNew = (catalogue: Catalogue, version: string, newBranch: boolean): BranchFile => {
  const name = branchOf(version);
  const known = catalogue.branches.some(({ branch }) => branch === name);
  // A slip like 85.9 must not open a branch.
  if (known && newBranch) throw new UsageError(`Branch ${name} exists; leave out --new-branch.`);
  if (known || !newBranch) return branchFor(catalogue, version);
  return {
    $schema: '../schemas/branch.schema.json',
    branch: name,
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
    throw new CommandRejected(`product.json names no release manager of ${branch} (downloads.managers).`);
  }
  if (manager === undefined && known.length > 1) {
    throw new UsageError(`Whose build is it? --manager ${known.join(' or ')}.`);
  }
  return builds.replaceAll('{manager}', manager ?? known[0]!);
};
