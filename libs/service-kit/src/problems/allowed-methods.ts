import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import findMyWay, { type HTTPMethod } from 'find-my-way';
import { commonProblems } from './problem-error.ts';

const METHODS = 'methodsOf';

/** The methods that a URL allows, sorted; empty for an unknown path. */
export const methodsOf = (app: Pick<FastifyInstance, 'getDecorator'>, url: string): readonly string[] =>
  app.getDecorator<(path: string) => string[]>(METHODS)(url.split('?', 1)[0]!);

/**
 * Records the methods of every route, with the router that Fastify uses itself, to distinguish two kinds of miss:
 * unknown path (404) or known path with another method (405 and `Allow`).
 * Call it before the routes are added; `methodsOf` then has the methods.
 */
export const recordMethods = (
  app: FastifyInstance,
  routerOptions: FastifyServerOptions['routerOptions'] = {},
): void => {
  const { ignoreTrailingSlash, ignoreDuplicateSlashes, caseSensitive, maxParamLength } = routerOptions;
  const routes: { method: HTTPMethod; url: string }[] = [];
  app.addHook('onRoute', ({ method, url, schema }) => {
    // A catch-all route answers with problems itself; it does not make a path known.
    if (url === '*' || url === '/*') return;
    // It only keeps a route with a parameter from answering.
    if (schema?.hide && schema.problems?.includes(commonProblems['method-not-allowed'])) return;
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
  app.decorate(METHODS, (path: string) => {
    const known = (router ??= build());
    const found = [...methods].flatMap((method) => {
      const route = known.find(method, path);
      // An empty parameter names nothing: `/operations/` is no resource where `/operations/:id` is one.
      const isNamed = route !== null && !Object.values(route.params).includes('');
      return isNamed ? [{ method, isStatic: Object.keys(route.params).length === 0 }] : [];
    });
    // `/batch` is a resource of its own, although `GET /:name` matches it, too.
    const own = found.filter(({ isStatic }) => isStatic);
    return (own.length > 0 ? own : found).map(({ method }) => method).sort();
  });
};
