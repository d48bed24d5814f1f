import { type Catalogue, latestRelease } from '@workspace/release-catalogue';
import type { Service } from '@workspace/service-kit';
import { type SupportState, supportState } from '../../domain/support-state.ts';
import { aliased } from '../rendering/aliased.ts';
import type { Answers } from '../rendering/answers.ts';
import { cacheable } from '../rendering/cacheable.ts';
import { phpDateTime } from './php-date-time.ts';
import { jsonRepresentation } from './php-representation.ts';
import type { PhpValue } from './php-value.ts';
import { PhpBranches } from './schemas.ts';

/** Branch states. @param paths the documented one first */
export const branches = (app: Service, paths: readonly string[], answers: Answers): void => {
  const answer = answers.prepare(({ catalogue, builtAt }) =>
    jsonRepresentation(branchesView(catalogue, builtAt)),
  );
  const route = {
    operationId: 'phpBranches',
    tags: ['contract'],
    summary: 'Every branch with its state now, newest first',
    response: cacheable('The branches.', { 'application/json': PhpBranches }),
  };
  for (const [path, schema] of aliased(paths, route)) {
    app.get(path, { schema }, (request, reply) => answers.respond(request, reply, answer));
  }
};

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
