import {
  type BranchFile,
  type Catalogue,
  compareVersions,
  devVersions,
  isReleased,
  latestRelease,
  type Release,
  releasesOf,
} from '@workspace/release-catalogue';
import { hasRelease, isSupported, recommendedBranch, supportState } from '../../../domain/support-state.ts';
import { lastSupportedDay } from './branch.ts';
import type { ReportedVersion } from '../../../domain/reported-version.ts';
import type { ApiSupport } from '../../schemas/support.ts';

/** @param text as it was asked for; `version` is what it says */
export const supportView = (
  catalogue: Catalogue,
  branch: BranchFile,
  text: string,
  version: ReportedVersion,
  now: Date,
): ApiSupport => {
  const { base, isBranch, preRelease, isDistributionBuild } = version;
  const { state, securitySupportEnd } = supportState(branch, now);
  const isBranchSupported = isSupported(branch, now);
  const newer = isBranch ? [] : newerReleases(branch, version);
  const isKnown = isOnRecord(branch, version);
  const newest = recommendedBranch(catalogue.branches, now);
  return {
    version: text,
    base_version: base,
    branch: branch.branch,
    is_distribution_build: isDistributionBuild,
    is_on_record: isKnown,
    is_yanked:
      preRelease === undefined &&
      releasesOf(branch).some((release) => release.version === base && release.yanked !== undefined),
    state: hasRelease(branch) ? state : 'planned',
    is_supported: isBranchSupported && preRelease === undefined ? (isKnown ? true : null) : false,
    needs_patch: isBranch || (newer.length === 0 && !isKnown) ? null : newer.length > 0,
    needs_upgrade: !isBranchSupported,
    missed_security_releases: newer
      .filter(({ kind }) => kind === 'security')
      .map((release) => release.version)
      .sort(compareVersions),
    latest: latestRelease(branch)?.version ?? null,
    recommended: (newest && latestRelease(newest)?.version) ?? null,
    last_supported_day: lastSupportedDay(securitySupportEnd),
  };
};

/** A pre-release comes before the release of its base version. */
const newerReleases = (branch: BranchFile, { base, preRelease }: ReportedVersion): Release[] =>
  releasesOf(branch).filter(({ version, yanked }) => {
    const order = compareVersions(version, base);
    return !yanked && (order > 0 || (order === 0 && preRelease !== undefined));
  });

const isOnRecord = (branch: BranchFile, { base, isBranch, preRelease }: ReportedVersion): boolean => {
  if (preRelease !== undefined) {
    return (
      devVersions(branch.pre_releases).includes(preRelease) ||
      branch.retired_builds.some(({ version }) => version === preRelease)
    );
  }
  return isBranch ? isReleased(branch) : releasesOf(branch).some(({ version }) => version === base);
};
