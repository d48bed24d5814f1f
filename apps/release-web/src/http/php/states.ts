import { type Catalogue, majorOf } from '@workspace/release-catalogue';
import type { Service } from '@workspace/service-kit';
import { hasRelease, supportState } from '../../domain/support-state.ts';
import { aliased } from '../rendering/aliased.ts';
import type { Answers } from '../rendering/answers.ts';
import { cacheable } from '../rendering/cacheable.ts';
import { stateMembers } from './branches.ts';
import { jsonRepresentation } from './php-representation.ts';
import type { PhpValue } from './php-value.ts';
import { PhpStates } from './schemas.ts';

/** Branch states by major version. @param paths the documented one first */
export const branchStates = (app: Service, paths: readonly string[], answers: Answers): void => {
  const answer = answers.prepare(({ catalogue, builtAt }) =>
    jsonRepresentation(statesView(catalogue, builtAt)),
  );
  const route = {
    operationId: 'phpStates',
    tags: ['php.net'],
    summary: 'The state of every branch by major version',
    response: cacheable('The states.', { 'application/json': PhpStates }),
  };
  for (const [path, schema] of aliased(paths, route)) {
    app.get(path, { schema }, (request, reply) => answers.respond(request, reply, answer));
  }
};

/** `/releases/states.php`: the state of every branch by major, both descending. */
export const statesView = (catalogue: Catalogue, now: Date): PhpValue => {
  const byMajor = new Map<string, Map<string, PhpValue>>();
  for (const branch of catalogue.branches.filter(hasRelease).reverse()) {
    const major = String(majorOf(branch.branch));
    const states = byMajor.get(major) ?? new Map<string, PhpValue>();
    byMajor.set(major, states.set(branch.branch, stateMembers(supportState(branch, now))));
  }
  return byMajor;
};
