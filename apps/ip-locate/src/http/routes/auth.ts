import { ProblemError, type Service } from '@workspace/service-kit';
import { recordOf } from '../domain/fields.ts';
import { geoHeaders, PUBLIC_HEADERS } from '../views/headers.ts';
import type { Lookup } from './lookup.ts';
import { fieldsOf, Query } from './query.ts';

/**
 * Where the caller is, in headers only, for nginx's auth_request and the like. It informs and never denies: a caller
 * who is nowhere, or data that is missing, must not lock people out of the site that asks.
 */
export function authRoutes(app: Service, { lookup }: { lookup: Lookup }): void {
  app.get('/auth', { schema: { querystring: Query } }, (request, reply) => {
    const fields = fieldsOf(request.query);
    void reply.code(204).headers({ ...PUBLIC_HEADERS, 'cache-control': 'private, no-store' });
    try {
      const finding = lookup.find(lookup.caller(request), request.query.lang ?? 'en');
      void reply.headers(geoHeaders(recordOf(finding, fields)));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      request.log.debug({ code: error.kind.code }, 'auth answered without a place');
      void reply.header('x-geo-error', error.kind.code);
    }
    return reply.send();
  });
}
