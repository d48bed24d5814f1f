import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { Problem, problemType } from '@workspace/schemas';
import type { ProblemFormat } from '@workspace/service-kit';
import type { RenderProblem } from '@workspace/service-kit/problems';
import { FORMATS, SCRIPT_TYPE } from './lookup/formats/formats.ts';
import { PUBLIC_HEADERS } from './headers.ts';
import { isCallback, jsonp } from './lookup/formats/jsonp.ts';

/** The two problems ipapi.co answers with status 200. */
const IMITATED: readonly string[] = ['invalid-address', 'reserved-address'].map(problemType);

/**
 * One error shape everywhere: first the members of ipapi.co (`error`, `reason`, `message`, `ip`, `reserved`), then those of
 * RFC 9457. Clients of ipapi.co go by `reason`, other clients by `type`.
 */
export const problemBody = ({ type, title, status, ...more }: Problem): Record<string, unknown> => ({
  error: true,
  reason: title,
  message: more.detail ?? title,
  ...more,
  type,
  title,
  status,
});

/** What the API reference says of problems. */
export const LOCATION_PROBLEMS: ProblemFormat = {
  contentType: FORMATS.json.type,
  schema: Type.Object(
    {
      error: Type.Boolean({ examples: [true] }),
      reason: Type.String({ description: 'the title, which is contract as type is' }),
      message: Type.String(),
      ip: Type.Optional(Type.String({ description: 'the address it is about' })),
      reserved: Type.Optional(Type.Boolean({ examples: [true] })),
      ...Problem.properties,
    },
    { $id: 'Problem', additionalProperties: true },
  ),
  body: problemBody,
};

/**
 * Writes a problem as JSON, whatever format the request asks for. Only JSONP answers are scripts, with status 200: a
 * script element can read neither another status nor another type.
 * @param imitatedStatus status for invalid and reserved addresses instead of 400
 */
export const renderProblem =
  (imitatedStatus?: number): RenderProblem =>
  (problem, request) => {
    const body = JSON.stringify(problemBody(problem));
    const headers = PUBLIC_HEADERS;
    const callback = request && scriptCallback(request);
    if (callback !== undefined) {
      return { contentType: SCRIPT_TYPE, body: jsonp(body, callback), status: 200, headers };
    }
    const imitated = imitatedStatus !== undefined && IMITATED.includes(problem.type);
    return { contentType: FORMATS.json.type, body, headers, ...(imitated && { status: imitatedStatus }) };
  };

/** The callback of a JSONP request, if it is valid. */
const scriptCallback = ({ routeOptions, url }: FastifyRequest): string | undefined => {
  if (!routeOptions.url?.includes('/jsonp')) return undefined;
  const callback = new URLSearchParams(url.split('?', 2)[1]).get('callback') ?? 'callback';
  return isCallback(callback) ? callback : undefined;
};
