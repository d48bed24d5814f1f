import type { Service } from '@workspace/service-kit';
import { openApi } from '../http/open-api.ts';
import type { Operation } from '../http/operation.ts';

/** The API's description of itself; the same for the life of a process. */
export const openApiRoute = (
  app: Service,
  operations: readonly Operation[],
  version: string,
  baseUrl: string,
): void => {
  const body = JSON.stringify(openApi(operations, version, baseUrl), null, 2);
  app.get('/api/v1/openapi.json', (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=300')
      .type('application/vnd.oai.openapi+json;version=3.1')
      .send(body),
  );
};
