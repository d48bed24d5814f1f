import type { FastifySchema } from 'fastify';

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
