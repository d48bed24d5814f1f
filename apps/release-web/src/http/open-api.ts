import { type TObject, type TSchema, Type } from '@sinclair/typebox';
import { Problem } from '@workspace/schemas';
import type { Operation } from './operation.ts';

/** The description of all operations as OpenAPI 3.1, made of the schemas that judge requests and answers. */
export const openApi = (operations: readonly Operation[], version: string, baseUrl: string): object => {
  const components: Record<string, unknown> = {};
  const hoist = (schema: TSchema): unknown => hoisted(JSON.parse(JSON.stringify(schema)), components);
  const problem = { 'application/problem+json': { schema: hoist(Problem) } };
  return {
    openapi: '3.1.0',
    info: {
      title: 'release-web',
      version,
      description: 'Releases, support states and pre-release builds; read only, for everybody.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    paths: Object.fromEntries(
      operations.map((operation) => [
        operation.path.replace(/:(\w+)/g, '{$1}'),
        {
          get: {
            operationId: operation.id,
            tags: [operation.tag],
            summary: operation.summary,
            parameters: [
              ...parameters('path', operation.params, hoist),
              ...parameters('query', operation.query, hoist),
            ],
            responses: {
              200: {
                description: 'The answer; ETag and Last-Modified allow conditional requests.',
                content: Object.fromEntries(
                  Object.entries(operation.answers).map(([type, schema]) => [
                    type,
                    { schema: hoist(schema) },
                  ]),
                ),
              },
              default: { description: 'A refusal, RFC 9457.', content: problem },
            },
          },
        },
      ]),
    ),
    components: { schemas: components },
  };
};

const parameters = (
  place: 'path' | 'query',
  object: TObject = Type.Object({}),
  hoist: (schema: TSchema) => unknown,
): object[] =>
  Object.entries(object.properties).map(([name, schema]) => ({
    name,
    in: place,
    // What has a default need not be said.
    required: (object.required?.includes(name) ?? false) && schema['default'] === undefined,
    ...(schema.description !== undefined && { description: schema.description }),
    schema: hoist(schema),
  }));

/** A schema with every named part replaced by a reference to `components`. */
const hoisted = (schema: unknown, components: Record<string, unknown>): unknown => {
  if (Array.isArray(schema)) return schema.map((part) => hoisted(part, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $id, ...rest } = schema as Record<string, unknown>;
  const parts = Object.fromEntries(
    Object.entries(rest).map(([key, part]) => [key, hoisted(part, components)]),
  );
  if (typeof $id !== 'string') return parts;
  components[$id] = parts;
  return { $ref: `#/components/schemas/${$id}` };
};
