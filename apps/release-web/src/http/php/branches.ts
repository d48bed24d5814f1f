import {
  type BranchFile,
  type Catalogue,
  latestRelease,
  majorOf,
  supportDates,
} from '@workspace/release-catalogue';
import { hasRelease, type SupportState, supportState } from '../../domain/support-state.ts';
import { graceEnd } from '../../domain/transitions.ts';
import type { Answers } from '../rendering/answers.ts';
import { cacheable } from '../rendering/cacheable.ts';
import { jsonRepresentation, phpDateTime, type PhpValue } from './php-value.ts';
import { published } from './release-index.ts';
import { PhpActive, PhpBranches, PhpStates } from './schemas.ts';

/** Branch states. @param paths the documented one first */
export const branches = (answers: Answers, paths: readonly string[]): void =>
  answers.route(
    paths,
    {
      operationId: 'phpBranches',
      tags: ['contract'],
      summary: 'Every branch with its state now, newest first',
      response: cacheable('The branches.', { 'application/json': PhpBranches }),
    },
    ({ catalogue, builtAt }) => jsonRepresentation(branchesView(catalogue, builtAt)),
  );

/** Branch states by major version. @param paths the documented one first */
export const branchStates = (answers: Answers, paths: readonly string[]): void =>
  answers.route(
    paths,
    {
      operationId: 'phpStates',
      tags: ['php.net'],
      summary: 'The state of every branch by major version',
      response: cacheable('The states.', { 'application/json': PhpStates }),
    },
    ({ catalogue, builtAt }) => jsonRepresentation(statesView(catalogue, builtAt)),
  );

/** Current releases by major version and branch. @param paths the documented one first */
export const activeReleases = (answers: Answers, paths: readonly string[]): void =>
  answers.route(
    paths,
    {
      operationId: 'phpActive',
      tags: ['php.net'],
      summary: 'Current releases by major version and branch',
      response: cacheable('The releases.', { 'application/json': PhpActive }),
    },
    ({ catalogue, builtAt }) => jsonRepresentation(activeView(catalogue, builtAt)),
  );

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

/** `/releases/states.php`: the state of every branch by major, both descending. */
export const statesView = (catalogue: Catalogue, now: Date): PhpValue =>
  byMajor(catalogue.branches.filter(hasRelease).reverse(), (branch) =>
    stateMembers(supportState(branch, now)),
  );

/** `/releases/active.php`: current releases by major and branch, ascending, four weeks beyond their end. */
export const activeView = (catalogue: Catalogue, now: Date): PhpValue =>
  byMajor(catalogue.branches, (branch) => {
    const { securitySupportEnd } = supportDates(branch);
    const release = branch.current && latestRelease(branch);
    if (!release || !securitySupportEnd || now >= graceEnd(securitySupportEnd)) return undefined;
    return { ...published(release), version: release.version };
  });

/** What is known about branches by major version and branch. @param view undefined: nothing */
const byMajor = (
  branchFiles: readonly BranchFile[],
  view: (branch: BranchFile) => PhpValue | undefined,
): PhpValue => {
  const majors = new Map<string, Map<string, PhpValue>>();
  for (const branch of branchFiles) {
    const value = view(branch);
    if (value === undefined) continue;
    const major = String(majorOf(branch.branch));
    majors.set(major, (majors.get(major) ?? new Map<string, PhpValue>()).set(branch.branch, value));
  }
  return majors;
};

/** A support state in php.net's words. */
const stateMembers = (support: SupportState) => ({
  state: support.state,
  initial_release: phpDateTime(support.initialRelease),
  active_support_end: phpDateTime(support.activeSupportEnd),
  security_support_end: phpDateTime(support.securitySupportEnd),
});
