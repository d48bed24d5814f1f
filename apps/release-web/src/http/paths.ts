import type { BranchFile, Release } from '@workspace/release-catalogue';

/** Where the page of a branch is. */
export const branchPath = ({ branch }: Pick<BranchFile, 'branch'>): string => `/releases/${branch}/`;

/** Where the page of a release is. */
export const releasePath = ({ version }: Pick<Release, 'version'>): string =>
  `/releases/${version.replaceAll('.', '_')}.php`;
