import type { AuditEntry, BranchFile, PreRelease, Release, SourceFile } from '../../data/index.ts';
import type { Catalogue } from '../catalogue.ts';
import type { Finding } from '../finding.ts';
import { compareVersions } from '../version.ts';

/** A fact and where it stands. */
export interface Place {
  readonly file: string;
  readonly pointer: string;
}
/** A text of the data and where it stands. */
export interface TextPlace extends Place {
  readonly text: string;
}
export interface BranchPlace extends Place {
  readonly branch: BranchFile;
}
export interface ReleasePlace extends BranchPlace {
  readonly release: Release;
}
export interface FilePlace extends ReleasePlace {
  readonly artefact: SourceFile;
}
export interface SlotPlace extends BranchPlace {
  readonly slot: PreRelease;
}

export const branchPlaces = (catalogue: Catalogue): BranchPlace[] => catalogue.branches.map(branchPlace);

const branchPlace = (branch: BranchFile): BranchPlace => ({
  branch,
  file: `branches/${branch.branch}.json`,
  pointer: '',
});

export const releasePlaces = (catalogue: Catalogue): ReleasePlace[] =>
  catalogue.branches.flatMap(releasePlacesOf);

/** The releases of one branch, the current one first. */
export const releasePlacesOf = (branch: BranchFile): ReleasePlace[] => [
  ...(branch.current ? [{ ...branchPlace(branch), pointer: '/current', release: branch.current }] : []),
  ...branch.history.map((release, index) => ({
    ...branchPlace(branch),
    pointer: `/history/${index}`,
    release,
  })),
];

/** The files of a release that can be downloaded: sources, then those for Windows. Links to pages are none. */
export const filePlacesOf = (place: ReleasePlace): FilePlace[] =>
  (['source', 'windows'] as const).flatMap((list) =>
    (place.release.published[list] ?? []).flatMap((artefact, index) =>
      'filename' in artefact
        ? [{ ...place, pointer: `${place.pointer}/published/${list}/${index}`, artefact }]
        : [],
    ),
  );

export const slotPlaces = (catalogue: Catalogue): SlotPlace[] =>
  catalogue.branches.flatMap((branch) =>
    branch.pre_releases.map((slot, index) => ({
      ...branchPlace(branch),
      pointer: `/pre_releases/${index}`,
      slot,
    })),
  );

/** Whether a release came with the import, so that it may lack what was never written down. */
export const isImported = ({ imported }: BranchFile, version: string): boolean =>
  imported !== undefined && compareVersions(version, imported) <= 0;

/** The first audit entry about a version: how it came on record. */
export const recordOf = ({ audit }: BranchFile, version: string): AuditEntry | undefined =>
  audit.find((entry) => entry.version === version);

/** @param subject what it is about, with the faulty value: it has to survive reordering, and accepting it accepts no other value */
export const error = (
  rule: string,
  { file, pointer }: Place,
  subject: string,
  detail: string,
  member = '',
): Finding => ({
  rule,
  severity: 'error',
  file,
  pointer: pointer + member,
  subject,
  detail,
});

export const warning = (...finding: Parameters<typeof error>): Finding => ({
  ...error(...finding),
  severity: 'warning',
});
