import type { FastifyError } from 'fastify';
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
  (error.validation ?? []).map(({ instancePath, keyword, message, params }) => {
    const part = error.validationContext === 'body' ? '' : `/${error.validationContext}`;
    const member = params['missingProperty'] ?? params['additionalProperty'];
    const step = member === undefined ? '' : fragmentStep(String(member));
    // Ajv's path is a plain pointer; inside a URI fragment its steps are percent-encoded.
    const path = instancePath.split('/').map(encodeURIComponent).join('/');
    return { pointer: `#${part}${path}${step}`, code: keyword, detail: message ?? keyword };
  });

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
