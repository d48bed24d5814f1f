import type { TSchema } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify';
import { commonProblems, ProblemError, type ProblemType } from './problem-error.ts';

declare module 'fastify' {
  interface FastifySchema {
    /** the problem types of this route, beside those that every request may meet */
    problems?: readonly ProblemType[];
    /** parts of the request that the handler checks itself: described, and not validated by Fastify */
    described?: { headers?: TSchema; querystring?: TSchema; params?: TSchema; body?: TSchema };
    /** whether API references leave it out */
    hide?: boolean;
  }
}

/** Declares problem types of all routes that are added from here on, beside those of their schemas. */
export const declareProblems = (
  app: Pick<FastifyInstance, 'addHook'>,
  ...types: readonly ProblemType[]
): void => {
  app.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, problems: [...(route.schema?.problems ?? []), ...types] };
  });
};

/** The problem types that a request to a route may meet: those of its schema, and those of service-kit. */
export const declaredProblems = (url: string, schema: FastifySchema): readonly ProblemType[] => {
  const { params, querystring, headers, body, described, problems = [] } = schema;
  const isValidated = Boolean(params ?? querystring ?? headers ?? body);
  const hasBody = Boolean(body ?? described?.body);
  return [
    ...problems,
    commonProblems['bad-request'],
    ...(isValidated ? [commonProblems['invalid-request']] : []),
    ...(url.includes(':') ? [commonProblems['uri-too-long']] : []),
    ...(hasBody
      ? [
          commonProblems['malformed-json'],
          commonProblems['body-too-large'],
          commonProblems['unsupported-media-type'],
        ]
      : []),
    commonProblems['request-timeout'],
    commonProblems['headers-too-large'],
    commonProblems['internal-error'],
  ];
};

/** Problems of requests that break HTTP itself, on any path: they are described once, on the page of errors. */
const HTTP_PROBLEMS: readonly ProblemType[] = [
  commonProblems['expectation-failed'],
  commonProblems['transfer-coding-not-implemented'],
  commonProblems['http-version-not-supported'],
];

/** The problem itself, or an internal error that names it where the route of the request does not declare it. */
export const declaredOnly = (
  problem: ProblemError,
  { method, routeOptions }: FastifyRequest,
): ProblemError => {
  const { url, schema = {} } = routeOptions;
  // Without a route, it is about the path or the method.
  if (url === undefined || HTTP_PROBLEMS.includes(problem.type)) return problem;
  if (declaredProblems(url, schema).some(({ code }) => code === problem.type.code)) return problem;
  const detail = `${method} ${url} does not declare ${problem.type.code} in the \`problems\` of its schema.`;
  return new ProblemError(commonProblems['internal-error'], { detail, cause: problem });
};
