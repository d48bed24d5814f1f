import type { FastifySchema } from 'fastify';
import type { Service } from '@workspace/service-kit';

/**
 * One schema for a path and its aliases. The API reference has the path; its aliases are described in words.
 * @returns path and schema, in the order of the paths
 */
export const aliased = <S extends FastifySchema>(
  [path = '', ...aliases]: readonly string[],
  schema: S,
): (readonly [string, S])[] => [
  [path, schema],
  ...aliases.map((alias) => [alias, { ...schema, hide: true }] as const),
];

/** Lets all later paths that begin so answer with a slash at the end, too: clients of endoflife.date and people write it. */
export const alsoWithSlash = (app: Service, prefix: string): void => {
  app.addHook('onRoute', (route) => {
    const { url, method, schema } = route;
    if (method !== 'GET' || !url.startsWith(prefix) || url.endsWith('/')) return;
    app.route({ ...route, url: `${url}/`, schema: { ...schema, hide: true } });
  });
};
