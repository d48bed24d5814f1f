import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import findMyWay, { type HTTPMethod } from 'find-my-way';

/**
 * Records the methods of every route, with the router that Fastify uses itself, to distinguish two kinds of miss:
 * unknown path (404) or known path with another method (405 and `Allow`).
 *
 * @returns the methods that `path` (without query) allows, sorted; empty for an unknown path
 */
export const allowedMethods = (
  app: FastifyInstance,
  routerOptions: FastifyServerOptions['routerOptions'] = {},
): ((path: string) => string[]) => {
  const { ignoreTrailingSlash, ignoreDuplicateSlashes, caseSensitive, maxParamLength } = routerOptions;
  const router = findMyWay({
    ...(ignoreTrailingSlash !== undefined && { ignoreTrailingSlash }),
    ...(ignoreDuplicateSlashes !== undefined && { ignoreDuplicateSlashes }),
    ...(caseSensitive !== undefined && { caseSensitive }),
    ...(maxParamLength !== undefined && { maxParamLength }),
  });
  const methods = new Set<HTTPMethod>();
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat() as HTTPMethod[]) {
      // A catch-all route answers with problems itself; it does not make a path known.
      if (url === '*' || url === '/*' || router.hasRoute(one, url)) continue;
      methods.add(one);
      router.on(one, url, () => undefined);
    }
  });
  return (path) => [...methods].filter((method) => router.find(method, path) !== null).sort();
};
