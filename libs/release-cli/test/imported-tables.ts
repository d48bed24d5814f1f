import {
  type BranchFile,
  branchOf,
  type Build,
  compareVersions,
  isoDate,
  type Overrides,
  parseDateText,
  type PreRelease,
  type Published,
  type Release,
  releasesOf,
} from '@workspace/release-catalogue';

/** `{major: {version: release}}`, as php.net keeps its current releases and its history. */
export type PhpReleaseTable = Record<string, Record<string, Published>>;

/** php.net's four tables. `qa` still holds what its endpoint derives from the stored builds. */
export interface PhpTables {
  current: PhpReleaseTable;
  old: PhpReleaseTable;
  overrides: Record<string, Overrides>;
  qa: Record<string, unknown>;
}

/** The tables cannot be imported as they are; the sentence names the entry. */
export class ImportRejected extends Error {
  override readonly name = 'ImportRejected';
}

export interface ImportedTables {
  branches: BranchFile[];
  /** what a person should know about the import, one line each */
  remarks: string[];
}

/** What the pre-release endpoint adds to the builds it stores; computed again from the facts, so never imported. */
const DERIVED_BUILD_MEMBERS = new Set(['version', 'files', 'enabled']);
const DERIVED_SLOTS = new Set(['reported', 'releases']);

/**
 * php.net's tables as branch files: every release and every stored member kept, in its order and wording.
 * Nothing is repaired: what is wrong is left to the rules to report.
 */
export const importTables = (tables: PhpTables): ImportedTables => {
  const remarks: string[] = [];
  const files = new Map<string, BranchFile>();
  const fileOf = (branch: string): BranchFile => {
    const file = files.get(branch) ?? emptyBranch(branch, tables.overrides[branch]);
    files.set(branch, file);
    return file;
  };

  for (const { version, release } of rows(tables.old)) fileOf(branchOf(version)).history.push(release);
  for (const { version, release } of rows(tables.current)) {
    const file = fileOf(branchOf(version));
    if (file.current)
      throw new ImportRejected(
        `two current releases in branch ${file.branch}: ${file.current.version}, ${version}`,
      );
    file.current = release;
  }
  for (const slot of storedSlots(tables.qa)) fileOf(branchOf(slot.version)).pre_releases.push(slot);
  for (const branch of Object.keys(tables.overrides)) {
    if (!files.has(branch))
      remarks.push(
        `overrides.json: branch ${branch} has no release; its dates are kept in a file of its own`,
      );
    fileOf(branch);
  }

  const branches = [...files.values()].sort((a, b) => compareVersions(a.branch, b.branch)).map(dated);
  const count = branches.reduce((sum, b) => sum + b.history.length + (b.current ? 1 : 0), 0);
  remarks.push(`${count} releases in ${branches.length} branches imported`);
  return { branches, remarks };
};

const emptyBranch = (branch: string, overrides: Overrides | undefined): BranchFile => ({
  $schema: '../schemas/branch.schema.json',
  branch,
  updated: '',
  ...(overrides && { overrides }),
  current: null,
  history: [],
  pre_releases: [],
  retired_builds: [],
  audit: [],
});

/** Says when the facts last changed and up to which release they were imported. */
const dated = ({ $schema, branch, updated: _, ...facts }: BranchFile): BranchFile => {
  const newest = releasesOf(facts).sort((a, b) => compareVersions(b.version, a.version))[0];
  return {
    ...($schema !== undefined && { $schema }),
    branch,
    updated: newestDate(branch, facts),
    ...(newest && { imported: newest.version }),
    ...facts,
  };
};

const rows = (table: PhpReleaseTable): { version: string; release: Release }[] =>
  Object.values(table).flatMap((releases) =>
    Object.entries(releases).map(([version, published], index, all) => ({
      version,
      release: {
        version,
        date: importedDate(version, published.date),
        kind: kindOf(published),
        rank: all.length - index,
        published,
      },
    })),
  );

const importedDate = (version: string, text: string): string => {
  const date = parseDateText(text);
  if (!date) throw new ImportRejected(`${version}: "${text}" is not a date`);
  return isoDate(date);
};

const kindOf = ({ tags }: Published): Release['kind'] =>
  tags === undefined ? 'unrecorded' : tags.includes('security') ? 'security' : 'bugfix';

/** The slots that php.net stores, in its order, of what its pre-release endpoint answers. */
export const storedSlots = (keyed: Readonly<Record<string, unknown>>): PreRelease[] =>
  Object.entries(keyed).flatMap(([version, slot]) =>
    DERIVED_SLOTS.has(version) ? [] : [preRelease(version, slot as Partial<PreRelease> | null)],
  );

/** Whatever is stored, put as a slot: whether it is one is for the schema to say. */
const preRelease = (version: string, slot: Partial<PreRelease> | null): PreRelease => ({
  version,
  active: slot?.active as boolean,
  release: Object.fromEntries(
    Object.entries(slot?.release ?? {}).filter(([member]) => !DERIVED_BUILD_MEMBERS.has(member)),
  ) as Build,
});

/** The tables carry no date of their own: the newest day in a branch is when it was last changed. */
const newestDate = (
  branch: string,
  facts: Pick<BranchFile, 'current' | 'history' | 'pre_releases'>,
): string => {
  const days = [
    ...releasesOf(facts).map(({ date }) => date),
    ...facts.pre_releases.flatMap(({ release }) =>
      release.date ? [importedDate(branch, release.date)] : [],
    ),
  ];
  const newest = days.sort().at(-1);
  if (newest === undefined) throw new ImportRejected(`branch ${branch} has overrides and nothing else`);
  return `${newest}T00:00:00Z`;
};
