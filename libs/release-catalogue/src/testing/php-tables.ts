import { isoDate, parseDateText } from '../facts/calendar-date.ts';
import { type Catalogue, currentTable, historyTable, majors, releasesOf } from '../facts/catalogue.ts';
import { branchOf, compareVersions } from '../facts/version.ts';
import type { BranchFile, Overrides, PreRelease, Published, Release } from '../schemas/index.ts';

type ReleaseTable = Record<string, Record<string, Published>>;

/** php.net's four tables: releases by major version, support and slots by version. */
export interface PhpTables {
  current: ReleaseTable;
  old: ReleaseTable;
  overrides: Record<string, Overrides>;
  qa: Record<string, Omit<PreRelease, 'version'>>;
}

/** A catalogue as the tables that php.net keeps. */
export const phpTables = (catalogue: Catalogue): PhpTables => {
  const table = (of: typeof currentTable): ReleaseTable =>
    Object.fromEntries(
      majors(catalogue).map((major) => [
        major,
        Object.fromEntries(of(catalogue, major).map(({ release }) => [release.version, release.published])),
      ]),
    );
  // Tests change it, and a catalogue is frozen.
  return structuredClone({
    current: table(currentTable),
    old: table(historyTable),
    overrides: Object.fromEntries(
      catalogue.branches.flatMap(({ branch, overrides }) => (overrides ? [[branch, overrides]] : [])),
    ),
    qa: Object.fromEntries(
      catalogue.branches.flatMap(({ pre_releases }) =>
        pre_releases.map(({ version, ...slot }) => [version, slot]),
      ),
    ),
  });
};

/** The tables as branch files: every release and every stored member kept, in its order and wording. */
export const branchesOfTables = (tables: PhpTables): BranchFile[] => {
  const files = new Map<string, BranchFile>();
  const fileOf = (branch: string): BranchFile => {
    const file = files.get(branch) ?? emptyBranch(branch, tables.overrides[branch]);
    files.set(branch, file);
    return file;
  };

  for (const { version, release } of rows(tables.old)) fileOf(branchOf(version)).history.push(release);
  for (const { version, release } of rows(tables.current)) fileOf(branchOf(version)).current = release;
  for (const [version, slot] of Object.entries(tables.qa))
    fileOf(branchOf(version)).pre_releases.push({ version, ...slot });
  for (const branch of Object.keys(tables.overrides)) fileOf(branch);
  return [...files.values()].sort((a, b) => compareVersions(a.branch, b.branch)).map(dated);
};

const emptyBranch = (branch: string, overrides: Overrides | undefined): BranchFile => ({
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
const dated = ({ branch, updated: _, ...facts }: BranchFile): BranchFile => {
  const newest = releasesOf(facts).sort((a, b) => compareVersions(b.version, a.version))[0];
  return { branch, updated: newestDate(facts), ...(newest && { imported: newest.version }), ...facts };
};

const rows = (table: ReleaseTable): { version: string; release: Release }[] =>
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
    ...facts.pre_releases.flatMap(({ release }) => (release?.date ? [importedDate(release.date)] : [])),
  ];
  return `${days.sort().at(-1)!}T00:00:00Z`;
};
