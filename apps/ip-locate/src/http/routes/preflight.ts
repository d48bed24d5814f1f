import type { Service } from '@workspace/service-kit';
import { PUBLIC_HEADERS } from '../views/headers.ts';

/** Answers browsers that ask before they ask. */
export function preflightRoutes(app: Service): void {
  app.options('/*', (request, reply) =>
    reply
      .code(204)
      .headers({
        ...PUBLIC_HEADERS,
        'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
        'access-control-allow-headers': request.headers['access-control-request-headers'] ?? 'content-type',
        'access-control-max-age': '86400',
      })
      .send(),
  );
}
