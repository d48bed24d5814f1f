import { type TObject, type TSchema, Type } from '@sinclair/typebox';
import { Problem, PROBLEM_CONTENT_TYPE, problemType } from '@workspace/schemas';
import type { ProblemType } from './problem-error.ts';

/** Schemas by media type. */
type Content = Readonly<Record<string, TSchema>>;

export interface ApiResponse {
  readonly description: string;
  readonly headers?: TObject;
  readonly content?: Content;
}

/** One operation of an HTTP API, in the schemas that judge its requests and answers. */
export interface ApiOperation {
  readonly method: 'get' | 'post';
  /** as Fastify writes it: `/branches/:branch` */
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly headers?: TObject;
  /** required when there is one */
  readonly body?: { readonly description?: string; readonly content: Content };
  /** by status, or `default` */
  readonly responses: Readonly<Record<string, ApiResponse>>;
  /** name of the security scheme it asks for */
  readonly security?: string;
}

export interface ApiDescription {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** public address; left out, that of the document */
  readonly server?: string;
  readonly operations: readonly ApiOperation[];
  /** as OpenAPI writes them */
  readonly securitySchemes?: Readonly<Record<string, object>>;
}

export const OPEN_API_CONTENT_TYPE = 'application/vnd.oai.openapi+json;version=3.1';

/**
 * An API as OpenAPI 3.1, made of the schemas the service works with, so that the description cannot lie. Schemas with an
 * `$id` become components.
 */
export const openApiDocument = (api: ApiDescription): object => {
  const schemas: Record<string, unknown> = {};
  const hoist = (schema: TSchema): unknown => hoisted(JSON.parse(JSON.stringify(schema)), schemas);
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of api.operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.method]: operationObject(operation, hoist) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: api.title,
      version: api.version,
      description: api.description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    ...(api.server !== undefined && { servers: [{ url: api.server }] }),
    paths,
    components: { schemas, ...(api.securitySchemes && { securitySchemes: api.securitySchemes }) },
  };
};

/**
 * What an operation may refuse: one response a status, whose problems carry these codes.
 * @param members schemas of members that problems have besides those of the house, all optional
 */
export const problemResponses = (
  kinds: readonly ProblemType[],
  members: Readonly<Record<string, TSchema>> = {},
): Record<string, ApiResponse> =>
  Object.fromEntries(
    kinds.map(({ status }) => [
      String(status),
      problemResponse(
        status,
        kinds.filter((kind) => kind.status === status),
        members,
      ),
    ]),
  );

const problemResponse = (
  status: number,
  kinds: readonly ProblemType[],
  members: Readonly<Record<string, TSchema>>,
): ApiResponse => ({
  description: kinds.map(({ title, code }) => `${title} (\`${code}\`).`).join(' '),
  content: {
    [PROBLEM_CONTENT_TYPE]: Type.Object(
      {
        ...Problem.properties,
        type: Type.Unsafe<string>({ type: 'string', enum: kinds.map(({ code }) => problemType(code)) }),
        status: Type.Literal(status),
        ...Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, Type.Optional(schema)])),
      },
      { additionalProperties: true },
    ),
  },
});

type Hoist = (schema: TSchema) => unknown;

const operationObject = (operation: ApiOperation, hoist: Hoist): object => {
  const { id, tag, summary, params, query, headers, body, responses, security } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    parameters: [
      ...parameters('path', params, hoist),
      ...parameters('query', query, hoist),
      ...parameters('header', headers, hoist),
    ],
    ...(body && {
      requestBody: { ...described(body), required: true, content: contentObject(body.content, hoist) },
    }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, responseObject(response, hoist)]),
    ),
    ...(security !== undefined && { security: [{ [security]: [] }] }),
  };
};

const responseObject = ({ description, headers, content }: ApiResponse, hoist: Hoist): object => ({
  description,
  ...(headers && {
    headers: Object.fromEntries(
      Object.entries(headers.properties).map(([name, schema]) => [
        name,
        { ...described(schema), required: isRequired(headers, name), schema: hoist(schema) },
      ]),
    ),
  }),
  ...(content && { content: contentObject(content, hoist) }),
});

const contentObject = (content: Content, hoist: Hoist): object =>
  Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema: hoist(schema) }]));

const parameters = (
  place: 'path' | 'query' | 'header',
  object: TObject = Type.Object({}),
  hoist: Hoist,
): object[] =>
  Object.entries(object.properties).map(([name, schema]) => ({
    name,
    in: place,
    // What has a default need not be said.
    required: isRequired(object, name) && schema['default'] === undefined,
    ...described(schema),
    schema: hoist(schema),
  }));

const isRequired = (object: TObject, name: string): boolean => object.required?.includes(name) ?? false;

const described = ({ description }: { readonly description?: string }) =>
  description === undefined ? {} : { description };

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
