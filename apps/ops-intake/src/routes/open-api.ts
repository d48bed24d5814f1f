import { OPEN_API_CONTENT_TYPE, type Service } from '@workspace/service-kit';

/** GET /openapi.json: the API's description of itself, the same for the life of a process. */
export const openApiRoute = (app: Service, document: object): void => {
  // Bytes, because Fastify adds a charset to the type of texts, which JSON has none of.
  const body = Buffer.from(JSON.stringify(document, null, 2));
  app.get('/openapi.json', (_request, reply) =>
    reply.header('cache-control', 'public, max-age=300').type(OPEN_API_CONTENT_TYPE).send(body),
  );
};
