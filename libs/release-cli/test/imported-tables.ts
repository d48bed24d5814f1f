import {
  type BranchFile,
  branchOf,
  compareVersions,
  isoDate,
  type Overrides,
  parseDateText,
  type Published,
  type Release,
  releasesOf,
} from '@workspace/release-catalogue';
import { storedSlots } from '../src/import/published-site.ts';

/** `{major: {version: release}}`, as php.net keeps its current releases and its history. */
export type PhpReleaseTable = Record<string, Record<string, Published>>;

/** php.net's four tables. `qa` still holds what its endpoint derives from the stored builds. */
export interface PhpTables {
  current: PhpReleaseTable;
  old: PhpReleaseTable;
  overrides: Record<string, Overrides>;
  qa: Record<string, unknown>;
}

/** php.net's tables as branch files: every release and every stored member kept, in its order and wording. */
export const importedTables = (tables: PhpTables): BranchFile[] => {
  const files = new Map<string, BranchFile>();
  const fileOf = (branch: string): BranchFile => {
    const file = files.get(branch) ?? emptyBranch(branch, tables.overrides[branch]);
    files.set(branch, file);
    return file;
  };

  for (const { version, release } of rows(tables.old)) fileOf(branchOf(version)).history.push(release);
  for (const { version, release } of rows(tables.current)) {
    fileOf(branchOf(version)).current = release;
  }
  for (const slot of storedSlots(tables.qa)) fileOf(branchOf(slot.version)).pre_releases.push(slot);
  for (const branch of Object.keys(tables.overrides)) fileOf(branch);
  return [...files.values()].sort((a, b) => compareVersions(a.branch, b.branch)).map(dated);
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
    updated: newestDate(facts),
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
        date: importedDate(published.date),
        kind: kindOf(published),
        rank: all.length - index,
        published,
      },
    })),
  );

const importedDate = (text: string): string => isoDate(parseDateText(text)!);

const kindOf = ({ tags }: Published): Release['kind'] =>
  tags === undefined ? 'unrecorded' : tags.includes('security') ? 'security' : 'bugfix';

/** The tables carry no date of their own: the newest day in a branch is when it was last changed. */
const newestDate = (facts: Pick<BranchFile, 'current' | 'history' | 'pre_releases'>): string => {
  const days = [
    ...releasesOf(facts).map(({ date }) => date),
    ...facts.pre_releases.flatMap(({ release }) => (release.date ? [importedDate(release.date)] : [])),
  ];
  return `${days.sort().at(-1)!}T00:00:00Z`;
};
