import type { FastifySchema } from 'fastify';

/**
 * One schema for a path and its aliases. Each alias gets an operation id of its own, because an id names one operation.
 * @returns path and schema, in the order of the paths
 */
export const aliased = <S extends FastifySchema & { operationId: string; summary: string }>(
  [path = '', ...aliases]: readonly string[],
  schema: S,
): (readonly [string, S])[] => [
  [path, schema],
  ...aliases.map((alias, index) => {
    const operationId = `${schema.operationId}Alias${index === 0 ? '' : index + 1}`;
    return [alias, { ...schema, operationId, summary: `Same as ${path}` }] as const;
  }),
];
