import fastifyEtag from '@fastify/etag';
import fastifySwagger from '@fastify/swagger';
import fastifySwaggerUi from '@fastify/swagger-ui';
import { fastify, type FastifyInstance } from 'fastify';
import { OPEN_API_JSON_TYPE, OPEN_API_YAML_TYPE } from './media-types.ts';

/** Nothing from elsewhere, nothing inline; Swagger UI draws its icons from `data:` addresses. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * An app that answers `/openapi.json`, `/openapi.yaml` and `/docs` with this document. It listens nowhere; requests are
 * injected.
 */
export const openApiPages = async (document: object, title: string): Promise<FastifyInstance> => {
  const app = fastify({ exposeHeadRoutes: false });
  await app.register(fastifyEtag);
  await app.register(fastifySwagger, { mode: 'static', specification: { document: document as never } });
  await app.register(fastifySwaggerUi, {
    routePrefix: '/docs',
    staticCSP: CONTENT_SECURITY_POLICY,
    theme: { title },
    uiConfig: {
      layout: 'BaseLayout',
      deepLinking: true,
      docExpansion: 'list',
      tryItOutEnabled: true,
      displayRequestDuration: true,
      defaultModelsExpandDepth: 0,
    },
  });
  const publish = (path: string, type: string, text: () => string) =>
    app.get(path, (_request, reply) =>
      // Bytes, because Fastify adds a charset to the type of texts, which JSON has none of.
      reply.type(type).header('cache-control', 'public, max-age=300').send(Buffer.from(text())),
    );
  publish('/openapi.json', OPEN_API_JSON_TYPE, () => JSON.stringify(document, null, 2));
  publish('/openapi.yaml', OPEN_API_YAML_TYPE, () => app.swagger({ yaml: true }));
  await app.ready();
  return app;
};
