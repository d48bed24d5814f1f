import { type TSchema, Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { yieldToEventLoop } from '@workspace/http-connections';
import { apiResponse, asciiJson, yamlSchema } from '@workspace/service-kit';
import { typeName } from './type-name.ts';

const route = (
  operationId: string,
  summary: string,
  type: string,
  body: TSchema,
  text: () => Promise<string>,
) => {
  let made: Buffer | undefined;
  return {
    schema: {
      operationId,
      tags: ['records'],
      summary,
      response: {
        200: apiResponse('The document.', {
          content: { [type]: body },
          headers: { 'Cache-Control': Type.String() },
        }),
      },
    },
    handler: async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      // Bytes, because Fastify adds a charset to the type of texts, and JSON has no charset.
      const body = (made ??= Buffer.from(await text()));
      await yieldToEventLoop(reply.raw);
      return reply.type(type).header('cache-control', 'public, max-age=300').send(body);
    },
  };
};

const json = (document: object) => (): Promise<string> =>
  Promise.resolve(asciiJson(JSON.stringify(document, null, 2)));

/** GET /asyncapi.json: the topic and its records. */
export const asyncApiJsonRoute = (document: object) =>
  route(
    'asyncApiJson',
    'The topic and its records, as AsyncAPI 3.0',
    'application/vnd.aai.asyncapi+json;version=3.0.0',
    Type.Object({}, { additionalProperties: true }),
    json(document),
  );

/** GET /asyncapi.yaml: the same as YAML. */
export const asyncApiYamlRoute = (document: object) =>
  route(
    'asyncApiYaml',
    'The topic and its records, as AsyncAPI 3.0 in YAML',
    'application/yaml',
    yamlSchema('the members of /asyncapi.json'),
    async () => (await import('./yaml.ts')).yamlOf(document),
  );

/**
 * GET /schemas/operations.submitted.v1.json and the like: the JSON Schema of a record's value.
 * @param name of the schema, where there are several
 */
export const recordSchemaRoute = (schema: object, name?: string) =>
  route(
    name === undefined ? 'recordSchema' : `recordSchema${typeName(name)}`,
    `The value of a record${name === undefined ? '' : ` of ${name}`}, as JSON Schema 2020-12`,
    'application/schema+json',
    Type.Object({}, { additionalProperties: true }),
    json(schema),
  );
