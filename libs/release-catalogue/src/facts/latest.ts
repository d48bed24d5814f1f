import type { BranchFile, Release } from '../schemas/index.ts';
import { releasesOf } from './catalogue.ts';
import { compareVersions } from './version.ts';

/** The release with the highest version of a branch that was not withdrawn. */
export const latestRelease = (branch: BranchFile): Release | undefined =>
  releasesOf(branch)
    .filter(({ yanked }) => !yanked)
    .reduce<Release | undefined>(
      (newest, release) =>
        // Stryker disable next-line EqualityOperator: a version is on record once
        newest === undefined || compareVersions(release.version, newest.version) > 0 ? release : newest,
      undefined,
    );
