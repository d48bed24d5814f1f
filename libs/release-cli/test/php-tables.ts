import type { BranchFile, Release } from '@workspace/release-catalogue';
import type { DataCopy } from '@workspace/release-catalogue/testing';

/** The frozen data as php.net's tables again: what the import was made from. */
export const phpTables = (data: DataCopy) => {
  const branches = Object.entries(data.texts())
    .filter(([file]) => file.startsWith('branches/'))
    .map(([, text]) => JSON.parse(text) as BranchFile);
  const table = (pick: (branch: BranchFile) => Release[]) => {
    const rows = branches.flatMap(pick).sort((a, b) => b.rank - a.rank);
    const majors = [...new Set(rows.map(({ version }) => version[0]!))];
    return Object.fromEntries(
      majors.map((major) => [
        major,
        Object.fromEntries(
          rows
            .filter(({ version }) => version[0] === major)
            .map(({ version, published }) => [version, published]),
        ),
      ]),
    );
  };
  return {
    'current.json': table(({ current }) => (current ? [current] : [])),
    'old.json': table(({ history }) => history),
    'overrides.json': Object.fromEntries(
      branches.flatMap(({ branch, overrides }) => (overrides ? [[branch, overrides]] : [])),
    ),
    'qa.json': Object.fromEntries(
      branches.flatMap(({ pre_releases }) => pre_releases.map(({ version, ...slot }) => [version, slot])),
    ),
  };
};
