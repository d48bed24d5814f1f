import fastifySwagger from '@fastify/swagger';
import type { TObject } from '@sinclair/typebox';
import { fastify, type FastifySchema } from 'fastify';
import { type ApiResponses, type ProblemFormat, problemResponses } from '@workspace/service-kit';
import { declaredProblems } from '@workspace/service-kit/problems';
import { extractComponents } from './api-components.ts';

/** A route as the service registered it. */
export interface ApiRoute {
  readonly method: string;
  readonly url: string;
  readonly schema: FastifySchema;
}

export interface ApiDescription {
  readonly title: string;
  /** of the interface */
  readonly version: string;
  /** of the software, where the interface has a version of its own */
  readonly softwareVersion?: string;
  readonly description: string;
  /** the groups of operations, in the order in which they are shown */
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** as OpenAPI writes them */
  readonly securitySchemes?: Readonly<Record<string, object>>;
  readonly problemFormat: ProblemFormat;
}

/**
 * The OpenAPI 3.1 document of these routes. @fastify/swagger reads them in an app of its own, in which nothing is
 * compiled and no handler ever runs.
 */
export const openApiDocument = async (routes: readonly ApiRoute[], api: ApiDescription): Promise<object> => {
  const app = fastify({ exposeHeadRoutes: false });
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: api.title,
        version: api.version,
        description: api.description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
        ...(api.softwareVersion !== undefined && { 'x-software-version': api.softwareVersion }),
      },
      // Relative: requests go to wherever this document came from, through a proxy or not.
      servers: [{ url: '/' }],
      tags: [...api.tags],
      ...(api.securitySchemes && { components: { securitySchemes: api.securitySchemes as never } }),
      security: [],
    },
    refResolver: { buildLocalReference: (schema) => String(schema['$id']) },
  });
  const operations = routes.map((route) => operationOf(route, api));
  const components = new Map<string, object>();
  const described = operations.map((operation) => ({
    ...operation,
    schema: extractComponents(operation.schema, components) as FastifySchema,
  }));
  for (const schema of components.values()) app.addSchema(schema);
  for (const operation of described) app.route({ ...operation, handler: () => undefined });
  await app.ready();
  return withSharedResponses(app.swagger() as unknown as Document);
};

type Response = {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly examples?: Readonly<Record<string, unknown>> }>>;
};
interface Document {
  readonly paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
  readonly components: Record<string, Record<string, unknown>>;
}

/** A response that stands for one problem type is the same everywhere: the document has it once, under its code. */
const withSharedResponses = (document: Document): Document => {
  const responses: Record<string, unknown> = (document.components['responses'] = {});
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    for (const [status, response] of Object.entries(operation.responses as Record<string, Response>)) {
      const [media] = Object.values(response.content ?? {});
      const [code, more] = Object.keys(media?.examples ?? {});
      if (code === undefined || more !== undefined) continue;
      responses[code] = response;
      operation.responses[status] = { $ref: `#/components/responses/${code}` };
    }
  }
  return document;
};

/** A route as it is described. */
const operationOf = ({ method, url, schema }: ApiRoute, api: ApiDescription): ApiRoute => {
  const { problems: _problems, described, ...rest } = schema;
  const parts = { ...rest, ...described };
  const full = {
    ...parts,
    ...(parts.querystring !== undefined && { querystring: defaultsOptional(parts.querystring as TObject) }),
    response: responsesOf(url, schema, api),
  };
  return { method, url, schema: full };
};

/** To TypeBox a member with a default is required, as it is there once the default was filled in; a client may leave it out. */
const defaultsOptional = (schema: TObject): TObject => ({
  ...schema,
  required: (schema.required ?? []).filter((name) => schema.properties[name]?.default === undefined),
});

const responsesOf = (
  url: string,
  schema: FastifySchema,
  { problemFormat }: ApiDescription,
): ApiResponses => ({
  ...problemResponses(declaredProblems(url, schema), problemFormat),
  ...(schema.response as ApiResponses | undefined),
});
