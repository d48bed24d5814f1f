import { type Clock, ProblemError, type Service } from '@workspace/service-kit';
import { PUBLIC_HEADERS } from '../headers.ts';
import type { Lookup } from '../lookup.ts';
import { type FieldName, recordOf } from '../representations/fields.ts';
import { geoHeaders } from '../representations/geo-headers.ts';
import { fieldsOf, Query } from '../schemas/query.ts';

export interface AuthDeps {
  lookup: Lookup;
  clock: Clock;
  defaultFields: readonly FieldName[];
}

/**
 * The caller's location in headers only, for nginx's auth_request and similar modules. It informs and never denies: an
 * unknown caller or a missing database must not lock visitors out of the site that asks.
 */
export function authRoute(app: Service, path: string, { lookup, clock, defaultFields }: AuthDeps): void {
  app.get(path, { schema: { querystring: Query } }, (request, reply) => {
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
