import type { Service } from '@workspace/service-kit';
import { cacheable } from '../cacheable.ts';
import { PhpBranches } from '../schemas/php.ts';
import { aliased } from './aliased.ts';
import { responder, type ResponseSource } from './respond.ts';

/** Branch states. @param paths the documented one first */
export const branches = (app: Service, paths: readonly string[], source: ResponseSource): void => {
  const respond = responder(source);
  const route = {
    operationId: 'phpBranches',
    tags: ['contract'],
    summary: 'Every branch with its state now, newest first',
    response: cacheable('The branches.', { 'application/json': PhpBranches }),
  };
  for (const [path, schema] of aliased(paths, route)) {
    app.get(path, { schema }, (request, reply) =>
      respond(request, reply, ({ responses }) => responses.branches),
    );
  }
};
