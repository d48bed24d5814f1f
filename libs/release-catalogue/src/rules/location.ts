import type { AuditEntry, BranchFile, PreRelease, Release, SourceFile } from '../schemas/index.ts';
import type { Catalogue } from '../facts/catalogue.ts';
import type { Finding } from './rule.ts';
import { compareVersions } from '../facts/version.ts';

/** A fact and where it stands. */
export interface Location {
  readonly file: string;
  readonly pointer: string;
}
/** A text of the data and where it stands. */
export interface LocatedText extends Location {
  readonly text: string;
}
export interface LocatedBranch extends Location {
  readonly branch: BranchFile;
}
export interface LocatedRelease extends LocatedBranch {
  readonly release: Release;
}
export interface LocatedFile extends LocatedRelease {
  readonly artefact: SourceFile;
}
export interface LocatedSlot extends LocatedBranch {
  readonly slot: PreRelease;
}

export const locatedBranches = (catalogue: Catalogue): LocatedBranch[] =>
  catalogue.branches.map(locatedBranch);

const locatedBranch = (branch: BranchFile): LocatedBranch => ({
  branch,
  file: `branches/${branch.branch}.json`,
  pointer: '',
});

export const locatedReleases = (catalogue: Catalogue): LocatedRelease[] =>
  catalogue.branches.flatMap(locatedReleasesOf);

/** The releases of one branch, the current one first. */
export const locatedReleasesOf = (branch: BranchFile): LocatedRelease[] => [
  ...(branch.current ? [{ ...locatedBranch(branch), pointer: '/current', release: branch.current }] : []),
  ...branch.history.map((release, index) => ({
    ...locatedBranch(branch),
    pointer: `/history/${index}`,
    release,
  })),
];

/** The files of a release that can be downloaded: sources, then those for Windows. Links to pages do not count. */
export const locatedFilesOf = (location: LocatedRelease): LocatedFile[] =>
  (['source', 'windows'] as const).flatMap((list) =>
    (location.release.published[list] ?? []).flatMap((artefact, index) =>
      'filename' in artefact
        ? [{ ...location, pointer: `${location.pointer}/published/${list}/${index}`, artefact }]
        : [],
    ),
  );

export const locatedSlots = (catalogue: Catalogue): LocatedSlot[] =>
  catalogue.branches.flatMap(locatedSlotsOf);

/** The slots of one branch. */
export const locatedSlotsOf = (branch: BranchFile): LocatedSlot[] =>
  branch.pre_releases.map((slot, index) => ({
    ...locatedBranch(branch),
    pointer: `/pre_releases/${index}`,
    slot,
  }));

/** Whether a release came with the import, so that it may lack what was never written down. */
export const isImported = ({ imported }: BranchFile, version: string): boolean =>
  imported !== undefined && compareVersions(version, imported) <= 0;

/** The first audit entry about a version: how it came on record. */
export const recordOf = ({ audit }: BranchFile, version: string): AuditEntry | undefined =>
  audit.find((entry) => entry.version === version);

/** @param subject what it is about, with the faulty value: it has to survive reordering, and accepting it accepts no other value */
export const error = (
  { file, pointer }: Location,
  subject: string,
  detail: string,
  member = '',
): Finding => ({ severity: 'error', file, pointer: pointer + member, subject, detail });

export const warning = (...finding: Parameters<typeof error>): Finding => ({
  ...error(...finding),
  severity: 'warning',
});
