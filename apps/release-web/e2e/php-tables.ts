import {
  type Catalogue,
  currentTable,
  historyTable,
  majors,
  preReleases,
} from '@workspace/release-catalogue';

/** The catalogue as the tables php.net keeps. */
export const phpTables = (catalogue: Catalogue, now: Date): object => {
  const table = (of: typeof currentTable) =>
    Object.fromEntries(
      majors(catalogue).map((major) => [
        major,
        Object.fromEntries(of(catalogue, major).map(({ release }) => [release.version, release.published])),
      ]),
    );
  return {
    now: now.toISOString(),
    current: table(currentTable),
    old: table(historyTable),
    overrides: Object.fromEntries(
      catalogue.branches.flatMap(({ branch, overrides }) => (overrides ? [[branch, overrides]] : [])),
    ),
    qa: Object.fromEntries(
      preReleases(catalogue).map(({ version, active, release }) => [version, { active, release }]),
    ),
  };
};
