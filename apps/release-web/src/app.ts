import { createService, type Service, type ServiceOptions } from '@workspace/service-kit';
import { Operations } from './http/operation.ts';
import { apiBranchRoutes } from './routes/api-branches.ts';
import { apiDocumentRoutes } from './routes/api-documents.ts';
import { apiReleaseRoutes } from './routes/api-releases.ts';
import { contractRoutes } from './routes/contract.ts';
import { type HealthSource, healthRoutes } from './routes/health.ts';
import { phpNeighbourRoutes } from './routes/php-neighbours.ts';
import type { AnswerSource } from './routes/answers.ts';
import { openApiRoute } from './routes/open-api.ts';
import { releasePageRoutes } from './routes/release-pages.ts';
import { redirectRoutes } from './routes/redirects.ts';
import type { Site } from './snapshot/site.ts';

export interface AppNeeds extends ServiceOptions, AnswerSource, HealthSource {
  readonly site: Site;
}

/** Every route of release-web. */
export const buildApp = ({ store, clock, data, version, site, ...kit }: AppNeeds): Service => {
  // What caches may store tells no request id: it would be that of somebody else's request.
  const app = createService({ ...kit, tellRequestIds: false });
  // Public facts: any page may read them, and saying so never depends on who asks.
  // And no browser may take one kind of file for another.
  app.addHook('onRequest', (_request, reply, done) => {
    void reply.headers({ 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' });
    done();
  });
  const source = { store, clock };
  const operations = new Operations(app);
  contractRoutes(operations, source);
  redirectRoutes(app, site.redirectBase);
  phpNeighbourRoutes(operations, source);
  releasePageRoutes(app, source);
  apiBranchRoutes(operations, source);
  apiReleaseRoutes(operations, source);
  apiDocumentRoutes(operations, source);
  healthRoutes(operations, { clock, version, data });
  openApiRoute(app, { operations: operations.all, version, baseUrl: site.baseUrl, clock });
  return app;
};
