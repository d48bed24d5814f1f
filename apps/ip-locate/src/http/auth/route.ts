import { METHODS } from 'node:http';
import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { apiResponse, type Clock, ProblemError, type Service } from '@workspace/service-kit';
import { problems } from '../../problems.ts';
import { PUBLIC_HEADERS } from '../headers.ts';
import type { Lookup } from '../lookup/lookup.ts';
import { FIELD_NAMES, type FieldName, recordOf } from '../lookup/fields.ts';
import { GEO_ERROR, geoHeader, geoHeaders } from './geo-headers.ts';
import { RecordQuery } from '../lookup/schemas.ts';
import { fieldsOf, Query } from '../lookup/query.ts';

export interface AuthDeps {
  lookup: Lookup;
  clock: Clock;
  defaultFields: readonly FieldName[];
}

const GeoHeaders = {
  ...Object.fromEntries(
    FIELD_NAMES.map((name) => [
      geoHeader(name),
      Type.String({ description: `${name}, percent-encoded; empty when it is not known or not asked for` }),
    ]),
  ),
  [GEO_ERROR]: Type.String({
    description: 'why there is no location: the code of a problem; empty otherwise',
  }),
};

/** Node gives tunnels to no route. */
const OTHER_METHODS = METHODS.filter(
  (method) => method !== 'GET' && method !== 'HEAD' && method !== 'CONNECT',
);

/**
 * Some proxies append the visitor's path and query to `/auth`. This service ignores both; they need not even be valid. Fastify
 * calls this for every request: about 12 ns of 15 µs.
 * @returns the URL that is routed
 */
export const withoutVisitorsPath = (url: string, path: string): string =>
  url.startsWith(`${path}/`) ? path : url;

/**
 * The caller's location in headers only, for proxies that ask before they pass a request on. It informs and never denies: an
 * unknown caller or a missing database must not lock visitors out of the site that asks. The status is 200, because Envoy takes
 * any other for a denial.
 */
export const authRoute = (app: Service, path: string, { lookup, clock, defaultFields }: AuthDeps): void => {
  const handler = (request: FastifyRequest<{ Querystring: Query }>, reply: FastifyReply): FastifyReply => {
    const { query } = request;
    const fields = fieldsOf(query, defaultFields);
    void reply.headers({ ...PUBLIC_HEADERS, 'cache-control': 'private, no-store' });
    try {
      void reply.headers(geoHeaders(recordOf(lookup.caller(request, query.lang, clock()), fields)));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      request.log.debug({ code: error.kind.code }, 'answered without a location');
      void reply.headers({ ...geoHeaders({}), [GEO_ERROR]: error.kind.code });
    }
    return reply.send();
  };
  const described = {
    operationId: 'auth',
    tags: ['service'],
    summary: "The caller's location in headers, for proxies; never denies",
    description:
      'For auth_request of nginx, ext_authz of Envoy and the like. Any other method, and any path below this one, is answered ' +
      'in the same way; bodies are ignored, and so is the query below this path.',
    described: { querystring: RecordQuery },
    problems: [problems['unknown-field']],
    response: { 200: apiResponse('Headers only.', { headers: GeoHeaders }) },
  };
  app.get(path, { schema: { ...described, querystring: Query }, onRequest: ignoreBody }, handler);
  // No other route of this service has one of these methods, except for POST.
  for (const method of OTHER_METHODS) {
    if (method !== 'POST') app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
  app.route({
    method: OTHER_METHODS as HTTPMethods[],
    url: path,
    schema: { hide: true, querystring: Query },
    onRequest: ignoreBody,
    handler,
  });
};

/** Lets Fastify take the request for one without a body. */
const ignoreBody = ({ raw }: FastifyRequest, _reply: unknown, done: () => void): void => {
  for (const header of ['content-type', 'content-length', 'transfer-encoding']) delete raw.headers[header];
  done();
};
