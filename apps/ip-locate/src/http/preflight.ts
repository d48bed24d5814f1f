import type { Service } from '@workspace/service-kit';
import { PUBLIC_HEADERS } from './headers.ts';

/** Answers CORS preflight requests. */
export const preflightRoute = (app: Service, path: string): void => {
  app.options(path, (request, reply) =>
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
};
