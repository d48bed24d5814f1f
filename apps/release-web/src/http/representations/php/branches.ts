import { type Catalogue, latestRelease } from '@workspace/release-catalogue';
import type { PhpValue } from './php-value.ts';
import { type SupportState, supportState } from '../../../domain/support-state.ts';
import { phpDateTime } from './php-date-time.ts';

/** `/releases/branches.php`: every branch with a release, newest first. */
export const branchesView = (catalogue: Catalogue, now: Date): PhpValue[] =>
  catalogue.branches
    .flatMap((branch) => {
      const latest = latestRelease(branch);
      return latest
        ? [{ branch: branch.branch, latest: latest.version, ...stateMembers(supportState(branch, now)) }]
        : [];
    })
    .reverse();

/** A support state in php.net's words. */
export const stateMembers = (support: SupportState) => ({
  state: support.state,
  initial_release: phpDateTime(support.initialRelease),
  active_support_end: phpDateTime(support.activeSupportEnd),
  security_support_end: phpDateTime(support.securitySupportEnd),
});
