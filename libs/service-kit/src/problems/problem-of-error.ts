import type { FastifyError } from 'fastify';
import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import { fragmentStep, type ProblemItem } from '@workspace/schemas';
import { commonProblems, ProblemError, type ProblemType } from './problem-error.ts';

const byFastifyCode: Readonly<Record<string, ProblemType>> = {
  FST_ERR_BAD_URL: commonProblems['bad-request'],
  FST_ERR_MAX_PARAM_LENGTH: commonProblems['uri-too-long'],
  FST_ERR_CTP_EMPTY_JSON_BODY: commonProblems['malformed-json'],
  FST_ERR_CTP_INVALID_JSON_BODY: commonProblems['malformed-json'],
  FST_ERR_CTP_BODY_TOO_LARGE: commonProblems['body-too-large'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: commonProblems['unsupported-media-type'],
};

const byStatus = (status: number): ProblemType =>
  Object.values(commonProblems).find((type) => type.status === status) ?? commonProblems['bad-request'];

/** Ajv's errors as problem items; outside the body the pointer starts with the part it is in (`#/querystring/limit`). */
const itemsOf = (error: FastifyError): ProblemItem[] =>
  (error.validation ?? []).map((violation) => {
    const { instancePath, keyword, params } = violation;
    const part = error.validationContext === 'body' ? '' : `/${error.validationContext}`;
    const member = params['missingProperty'] ?? params['additionalProperty'];
    const step = member === undefined ? '' : fragmentStep(String(member));
    // Ajv's path is a plain pointer; inside a URI fragment its steps are percent-encoded.
    const path = instancePath.split('/').map(encodeURIComponent).join('/');
    return { pointer: `#${part}${path}${step}`, code: keyword, detail: detailOf(violation) };
  });

type Violation = FastifySchemaValidationError & {
  /** there with Ajv's option `verbose` */
  readonly parentSchema?: { readonly examples?: readonly unknown[] };
};

/** Ajv's sentence; for a pattern, what such a text looks like: a regular expression is no help to people. */
const detailOf = ({ keyword, message, parentSchema }: Violation): string => {
  if (keyword !== 'pattern') return message ?? keyword;
  const [example] = parentSchema?.examples ?? [];
  return example === undefined ? 'must have another form' : `must be like ${String(example)}`;
};

/**
 * The problem for a thrown value. Errors are recognised by class or code, never by text. Any other error is a failure of
 * the service, and the client only learns its request id.
 */
export const problemOfError = (error: unknown): ProblemError => {
  if (error instanceof ProblemError) return error;
  const { code, statusCode, validation } = error as Partial<FastifyError>;
  if (validation) {
    const errors = itemsOf(error as FastifyError);
    return new ProblemError(commonProblems['invalid-request'], { errors, cause: error });
  }
  const known = code === undefined ? undefined : byFastifyCode[code];
  if (known) return new ProblemError(known, { cause: error });
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new ProblemError(byStatus(statusCode), { cause: error });
  }
  return new ProblemError(commonProblems['internal-error'], { cause: error });
};
