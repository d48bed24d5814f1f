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
  const routes: { method: HTTPMethod; url: string }[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    // A catch-all route answers with problems itself; it does not make a path known.
    if (url === '*' || url === '/*') return;
    routes.push(...[method].flat().map((one) => ({ method: one as HTTPMethod, url })));
  });
  const methods = new Set<HTTPMethod>();
  const build = () => {
    const router = findMyWay({
      ...(ignoreTrailingSlash !== undefined && { ignoreTrailingSlash }),
      ...(ignoreDuplicateSlashes !== undefined && { ignoreDuplicateSlashes }),
      ...(caseSensitive !== undefined && { caseSensitive }),
      ...(maxParamLength !== undefined && { maxParamLength }),
    });
    for (const { method, url } of routes) {
      if (router.hasRoute(method, url)) continue;
      methods.add(method);
      router.on(method, url, () => undefined);
    }
    return router;
  };
  // Made for the first miss, not for the start.
  let router: ReturnType<typeof build> | undefined;
  return (path) => {
    const known = (router ??= build());
    // An empty parameter names nothing: `/operations/` is no resource where `/operations/:id` is one.
    const names = (method: HTTPMethod): boolean => {
      const route = known.find(method, path);
      return route !== null && !Object.values(route.params).includes('');
    };
    return [...methods].filter(names).sort();
  };
};
