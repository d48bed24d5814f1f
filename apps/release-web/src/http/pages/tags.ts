import { type BranchFile, isSecurityRelease, type Release, releasesOf } from '@workspace/release-catalogue';
import { hasRelease, supportState } from '../../domain/support-state.ts';

/** The state of a branch as a tag, markup. */
export const stateTag = (branch: BranchFile, now: Date): string => {
  if (!hasRelease(branch)) {
    return releasesOf(branch).length > 0
      ? '<span class="tag bad">Withdrawn</span>'
      : '<span class="tag">In testing</span>';
  }
  const { state } = supportState(branch, now);
  if (state === 'stable') return '<span class="tag stable">Active support</span>';
  if (state === 'security') return '<span class="tag security">Security fixes only</span>';
  return state === 'future'
    ? '<span class="tag">Not released yet</span>'
    : '<span class="tag">End of life</span>';
};

/** What kind of release it is, when readers should know it. */
export const kindTag = (release: Release): string =>
  isSecurityRelease(release) ? '<span class="tag bad">Fixes security issues</span>' : '';
