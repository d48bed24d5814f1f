import { OPEN_API_CONTENT_TYPE, type Service } from '@workspace/service-kit';
import { PUBLIC_HEADERS } from '../views/headers.ts';
import { type ApiFacts, openApi } from '../views/open-api.ts';
import { Batch } from './batch.ts';
import { Query } from './query.ts';

export type OpenApiOptions = Omit<ApiFacts, 'query' | 'batch'>;

/** GET /openapi.json: the API's description of itself, the same for the life of a process. */
export function openApiRoutes(app: Service, options: OpenApiOptions): void {
  // Bytes, because Fastify adds a charset to the type of texts, which JSON has none of.
  const body = Buffer.from(JSON.stringify(openApi({ ...options, query: Query, batch: Batch }), null, 2));
  app.get('/openapi.json', (_request, reply) =>
    reply
      .headers({ ...PUBLIC_HEADERS, 'cache-control': 'public, max-age=300' })
      .type(OPEN_API_CONTENT_TYPE)
      .send(body),
  );
}
