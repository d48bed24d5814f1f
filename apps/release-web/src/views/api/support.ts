import { type Static, Type } from '@sinclair/typebox';
import {
  type BranchFile,
  branchOf,
  type Catalogue,
  compareVersions,
  isReleased,
  latestRelease,
  releasesOf,
} from '@workspace/release-catalogue';
import { isSupported, supportState } from '../../domain/support-state.ts';
import { ApiState, lastSupportedDay } from './branch.ts';
import { NullableDate } from './envelope.ts';

/** What the owner of an installation wants to know about its version. */
export const ApiSupport = Type.Object(
  {
    version: Type.String({ examples: ['8.4.20'] }),
    branch: Type.String({ examples: ['8.4'] }),
    is_on_record: Type.Boolean({
      description: 'this very version was released (or the branch, when only it is asked for)',
    }),
    is_yanked: Type.Boolean({ description: 'this very version was withdrawn' }),
    state: ApiState,
    is_supported: Type.Boolean(),
    needs_patch: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'its branch has a newer release; null when only the branch is asked for',
    }),
    needs_upgrade: Type.Boolean({ description: 'its branch is not supported: move to another one' }),
    missed_security_releases: Type.Array(Type.String(), {
      description: 'newer releases of the branch that fix security faults',
    }),
    latest: Type.Union([Type.String(), Type.Null()], { description: 'newest of the branch' }),
    recommended: Type.Union([Type.String(), Type.Null()], {
      description: 'newest of the newest supported branch',
    }),
    last_supported_day: NullableDate('of the branch'),
  },
  { $id: 'Support' },
);
export type ApiSupport = Static<typeof ApiSupport>;

/** @param version `8.4.20`, or `8.4` for the branch alone */
export const supportView = (
  catalogue: Catalogue,
  branch: BranchFile,
  version: string,
  now: Date,
): ApiSupport => {
  const { state, securitySupportEnd } = supportState(branch, now);
  const supported = isSupported(branch, now);
  const latest = latestRelease(branch)?.version ?? null;
  const isBranchOnly = version === branch.branch;
  const newer = isBranchOnly
    ? []
    : releasesOf(branch).filter(
        (release) => !release.yanked && compareVersions(release.version, version) > 0,
      );
  const newest = catalogue.branches.findLast((candidate) => isSupported(candidate, now));
  return {
    version,
    branch: branchOf(version),
    is_on_record: isBranchOnly
      ? isReleased(branch)
      : releasesOf(branch).some((release) => release.version === version),
    is_yanked: releasesOf(branch).some(
      (release) => release.version === version && release.yanked !== undefined,
    ),
    state: isReleased(branch) ? state : 'planned',
    is_supported: supported,
    needs_patch: isBranchOnly ? null : newer.length > 0,
    needs_upgrade: !supported,
    missed_security_releases: newer
      .filter(({ kind }) => kind === 'security')
      .map((release) => release.version)
      .sort(compareVersions),
    latest,
    recommended: (newest && latestRelease(newest)?.version) ?? null,
    last_supported_day: lastSupportedDay(securitySupportEnd),
  };
};
