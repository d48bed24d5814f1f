import type { BranchFile, Release } from '@workspace/release-catalogue';

/** Where the page of a branch is. */
export const branchPath = ({ branch }: Pick<BranchFile, 'branch'>): string => `/releases/${branch}/`;

/** Where the page of a release is; of `3.0.x (latest)`, which has none, that of its branch. */
export const releasePath = ({ version }: Pick<Release, 'version'>): string => {
  const [, oldBranch] = /^(\d+\.\d+)\.x/.exec(version) ?? [];
  return oldBranch === undefined
    ? `/releases/${version.replaceAll('.', '_')}.php`
    : branchPath({ branch: oldBranch });
};
