import type { TSchema } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';
import { Problem, PROBLEM_CONTENT_TYPE } from '@workspace/schemas';
import { ProblemError, type ProblemType } from './problems/problem-error.ts';
import { RATE_LIMIT_HEADERS } from './rate-limit/rate-limiter.ts';

/** Responses by HTTP status, as `schema.response` of a route takes them. They describe; nothing is serialised by them. */
export type ApiResponses = Record<number, unknown>;

export interface ApiResponse {
  /** the schema of the body by media type; left out where there is no body */
  readonly content?: Readonly<Record<string, TSchema>>;
  /** the schema of each header by name */
  readonly headers?: Readonly<Record<string, TSchema>>;
}

/**
 * One response of a route, for `schema.response`.
 * @param description one sentence
 */
export const apiResponse = (description: string, { content, headers }: ApiResponse = {}): unknown => ({
  description,
  ...(headers && { headers }),
  ...(content
    ? { content: Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }])) }
    : // @fastify/swagger takes this type for a response without a body.
      { type: 'null' }),
});

/**
 * The schema of an answer in YAML: any value. As an object, openapi-python-client, hey-api and orval take the text for one, and
 * oapi-codegen loses members with an underscore; as a string, oapi-codegen and schemathesis, which parse YAML, fail.
 * @param description what the parsed value has
 */
export const yamlSchema = (description: string, ...examples: readonly string[]): TSchema =>
  Type.Unknown({ description, ...(examples.length > 0 && { examples }) });

/** How a service writes problems. */
export interface ProblemFormat {
  readonly contentType: string;
  readonly schema: TSchema;
  /** the body that is sent for a problem */
  readonly body: (problem: Problem) => object;
}

/** RFC 9457 as it is. */
export const standardProblemFormat: ProblemFormat = {
  contentType: PROBLEM_CONTENT_TYPE,
  schema: Problem,
  body: (problem) => problem,
};

const RetryAfter = Type.Integer({ minimum: 0, description: 'seconds to wait before the next attempt' });

/** The headers that come with a status, whichever problem it is (RFC 9110, RFC 6585). */
const HEADERS_BY_STATUS: Readonly<Record<number, Readonly<Record<string, TSchema>>>> = {
  401: { 'WWW-Authenticate': Type.String({ description: 'how to authenticate (RFC 6750)' }) },
  409: { 'Retry-After': RetryAfter },
  429: { 'Retry-After': RetryAfter, ...RATE_LIMIT_HEADERS },
  503: { 'Retry-After': RetryAfter },
};

/** The responses that carry these problem types: one for each status, with an example for each type. */
export const problemResponses = (
  types: readonly ProblemType[],
  format: ProblemFormat = standardProblemFormat,
): ApiResponses =>
  Object.fromEntries(
    types.map(({ status }) => [
      status,
      problemResponse(
        status,
        types.filter((type) => type.status === status),
        format,
      ),
    ]),
  );

const problemResponse = (status: number, types: readonly ProblemType[], format: ProblemFormat): object => ({
  description: types.map(({ title, code }) => `${title} (\`${code}\`).`).join(' '),
  ...(HEADERS_BY_STATUS[status] && { headers: HEADERS_BY_STATUS[status] }),
  content: {
    [format.contentType]: {
      schema: format.schema,
      examples: Object.fromEntries(
        types.map((type) => [
          type.code,
          {
            summary: type.title,
            ...(type.advice !== undefined && { description: type.advice }),
            value: format.body(new ProblemError(type).toProblem()),
          },
        ]),
      ),
    },
  },
});
