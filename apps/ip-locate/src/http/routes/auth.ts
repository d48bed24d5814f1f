import { Type } from '@sinclair/typebox';
import { apiResponse, type Clock, ProblemError, type Service } from '@workspace/service-kit';
import { problems } from '../../problems.ts';
import { PUBLIC_HEADERS } from '../headers.ts';
import type { Lookup } from '../lookup.ts';
import { ALL_FIELDS, type FieldName, recordOf } from '../representations/fields.ts';
import { geoHeader, geoHeaders } from '../representations/geo-headers.ts';
import { RecordQuery } from '../schemas/location.ts';
import { fieldsOf, Query } from '../schemas/query.ts';

export interface AuthDeps {
  lookup: Lookup;
  clock: Clock;
  defaultFields: readonly FieldName[];
}

const GeoHeaders = {
  ...Object.fromEntries(
    ALL_FIELDS.map((name) => [
      geoHeader(name),
      Type.String({ description: `${name}, percent-encoded; only when it is known` }),
    ]),
  ),
  'x-geo-error': Type.String({ description: 'why there is no location: the code of a problem' }),
};

/**
 * The caller's location in headers only, for nginx's auth_request and similar modules. It informs and never denies: an
 * unknown caller or a missing database must not lock visitors out of the site that asks.
 */
export function authRoute(app: Service, path: string, { lookup, clock, defaultFields }: AuthDeps): void {
  const schema = {
    operationId: 'auth',
    tags: ['service'],
    summary: "The caller's location in headers, for nginx's auth_request; never denies",
    querystring: Query,
    described: { querystring: RecordQuery },
    problems: [problems['unknown-field']],
    response: { 204: apiResponse('Headers only.', { headers: GeoHeaders }) },
  };
  app.get(path, { schema }, (request, reply) => {
    const { query } = request;
    const fields = fieldsOf(query, defaultFields);
    void reply.code(204).headers({ ...PUBLIC_HEADERS, 'cache-control': 'private, no-store' });
    try {
      void reply.headers(geoHeaders(recordOf(lookup.caller(request, query.lang, clock()), fields)));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      request.log.debug({ code: error.kind.code }, 'answered without a location');
      void reply.header('x-geo-error', error.kind.code);
    }
    return reply.send();
  });
}
