import { METHODS } from 'node:http';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { apiResponse, ignoreBody, type Service } from '@workspace/service-kit';
import type { Lookups } from '../../extension-points.ts';
import { problems as common } from '../../problems.ts';
import { PUBLIC_HEADERS } from '../../http/headers.ts';
import { FIELD_NAMES, isTrait } from '../../http/lookup/fields.ts';
import type { Current } from '../../application/location-database.ts';
import type { FileRules } from '../../domain/access/rules-text.ts';
import { Access, AccessQuery } from './access.ts';
import { denialOf } from './denial.ts';
import { createGeoAnswer } from './geo-answer.ts';
import { GEO_DECISION, GEO_ERROR, GEO_REASON, geoHeader } from './geo-headers.ts';
import { problems } from './problems.ts';
import { RecordQuery } from '../../http/lookup/schemas.ts';
import { fieldsOf, Query } from '../../http/lookup/query.ts';

const GeoHeaders = {
  ...Object.fromEntries(
    FIELD_NAMES.map((name) => {
      const header = Type.String({
        description: `${name}, percent-encoded; empty when it is not known or not asked for`,
      });
      return [geoHeader(name), isTrait(name) ? Type.Optional(header) : header];
    }),
  ),
  [GEO_ERROR]: Type.String({
    description: 'why there is no location: the code of a problem; empty otherwise',
  }),
  [GEO_DECISION]: Type.Optional(
    Type.String({ description: 'with rules: allow, deny, or would-deny in a dry run' }),
  ),
  [GEO_REASON]: Type.Optional(Type.String({ description: 'with rules: the one that decided' })),
};

/** Node gives tunnels to no route. */
const OTHER_METHODS = METHODS.filter(
  (method) => method !== 'GET' && method !== 'HEAD' && method !== 'CONNECT',
);

/** Rules after a slash, `/auth/?deny=DE`: whoever writes them means to deny someone. */
const WITH_RULES = /^\/+\?(?:.*&)?(?:allow|deny|dry_run|fail_open)=/i;

/**
 * Some proxies append the visitor's path and query to `/auth`. This service ignores both; they need not even be valid. Fastify
 * calls this for every request: about 12 ns of 15 µs.
 * @returns the URL that is routed
 */
export const withoutVisitorsPath = (url: string, path: string): string => {
  if (!url.startsWith(`${path}/`)) return url;
  return WITH_RULES.test(url.slice(path.length)) ? url : path;
};

/** Closed: a parameter that is misspelt would admit those whom it should deny. */
const AuthQuery = Type.Composite([Type.Omit(Query, ['callback']), AccessQuery], {
  additionalProperties: false,
});
type AuthQuery = Static<typeof AuthQuery>;

/**
 * The caller's location in headers only, for proxies that ask before they pass a request on. Without rules it informs and never
 * denies: an unknown caller or a missing database must not lock visitors out of the site that asks. The status is 200, because
 * Envoy takes any other for a denial.
 */
export const authRoute = (
  app: Service,
  path: string,
  { rules, ...lookups }: Lookups & { rules: Current<FileRules> | undefined },
): void => {
  const geoAnswer = createGeoAnswer(lookups);
  const access = new Access(rules, lookups.flags);
  const handler = (
    { query, raw, log }: FastifyRequest<{ Querystring: AuthQuery }>,
    reply: FastifyReply,
  ): FastifyReply => {
    const { headers, decision, error } = geoAnswer({
      raw,
      fields: fieldsOf(query, lookups),
      lang: query.lang,
      rules: access.rulesOf(query),
    });
    if (error !== undefined) log.debug({ code: error }, 'answered without a location');
    if (decision?.outcome === 'deny') {
      throw denialOf(headers);
    }
    return reply.headers({ ...PUBLIC_HEADERS, 'cache-control': 'private, no-store', ...headers }).send();
  };
  const onRequest = ({ raw }: FastifyRequest, _reply: unknown, done: () => void): void => {
    ignoreBody(raw);
    done();
  };
  const described = {
    operationId: 'auth',
    tags: ['service'],
    summary: "The caller's location in headers, for proxies; denies only by rules",
    description:
      'For auth_request of nginx, ext_authz of Envoy and the like. Any other method, and any path below this one, is answered ' +
      'in the same way; bodies are ignored, and so is the query below this path.',
    described: { querystring: Type.Composite([RecordQuery, AccessQuery]) },
    problems: [common['unknown-field'], problems['invalid-rules'], problems['access-denied']],
    response: { 200: apiResponse('Headers only.', { headers: GeoHeaders }) },
  };
  app.get(path, { schema: { ...described, querystring: AuthQuery }, onRequest }, handler);
  // No other route of this service has one of these methods, except for POST.
  for (const method of OTHER_METHODS) {
    if (method !== 'POST') app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
  app.route({
    method: OTHER_METHODS as HTTPMethods[],
    url: path,
    schema: { hide: true, querystring: AuthQuery, problems: described.problems },
    onRequest,
    handler,
  });
};
