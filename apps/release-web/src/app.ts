import { apiReference, createService, type Service, type ServiceOptions } from '@workspace/service-kit';
import { apiBranchRoutes } from './http/routes/api-branches.ts';
import { apiDocumentRoutes } from './http/routes/api-documents.ts';
import { apiReleaseRoutes } from './http/routes/api-releases.ts';
import { contractRoutes } from './http/routes/contract.ts';
import { type HealthSource, healthRoutes } from './http/routes/health.ts';
import { phpNeighbourRoutes } from './http/routes/php-compat.ts';
import type { AnswerSource } from './http/routes/answers.ts';
import { releasePageRoutes } from './http/routes/release-pages.ts';
import { redirectRoutes } from './http/routes/redirects.ts';
import type { Site } from './http/site.ts';

export interface AppNeeds extends ServiceOptions, AnswerSource, HealthSource {
  readonly site: Site;
}

/** The version of php.net's interface that the contract describes. */
const CONTRACT_VERSION = '2025.4.1';

const API_TAGS = [
  { name: 'contract', description: 'The paths of the contract, as php.net answers them.' },
  {
    name: 'api',
    description: 'The same facts for new clients: versioned JSON, a calendar, a picture, a feed.',
  },
  { name: 'php.net', description: 'What else php.net answers, for the clients it has.' },
  { name: 'service', description: 'The service itself.' },
];

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
  apiReference(app, {
    title: 'release-web',
    version: CONTRACT_VERSION,
    softwareVersion: version,
    description: 'Releases, support states and pre-release builds of PHP. Read only, for everybody.',
    tags: API_TAGS,
    aliases: ['/api/v1/openapi.json'],
  });
  contractRoutes(app, source);
  redirectRoutes(app, site.redirectBase);
  phpNeighbourRoutes(app, source);
  releasePageRoutes(app, source);
  apiBranchRoutes(app, source);
  apiReleaseRoutes(app, source);
  apiDocumentRoutes(app, source);
  healthRoutes(app, { clock, version, data });
  return app;
};
