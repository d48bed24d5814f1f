import { OPEN_API_CONTENT_TYPE } from './open-api.ts';
import type { Service } from './service.ts';

/**
 * GET /openapi.json: a service's description of itself, the same for the life of a process.
 * @param headers that all answers of the service have
 */
export const openApiRoute = (
  app: Service,
  document: object,
  headers: Readonly<Record<string, string>> = {},
): void => {
  // Bytes, because Fastify adds a charset to the type of texts, which JSON has none of.
  const body = Buffer.from(JSON.stringify(document, null, 2));
  app.get('/openapi.json', (_request, reply) =>
    reply
      .headers({ ...headers, 'cache-control': 'public, max-age=300' })
      .type(OPEN_API_CONTENT_TYPE)
      .send(body),
  );
};
