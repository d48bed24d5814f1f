import { createService, type Service, type ServiceOptions } from '@workspace/service-kit';
import { contractRoutes } from './routes/contract.ts';
import { type HealthSource, healthRoutes } from './routes/health.ts';
import { neighbourRoutes } from './routes/neighbours.ts';
import type { AnswerSource } from './routes/answers.ts';
import { redirectRoutes } from './routes/redirects.ts';

export interface AppNeeds extends ServiceOptions, AnswerSource, HealthSource {
  /** no slash at the end */
  readonly baseUrl: string;
}

/** Every route of release-web. */
export const buildApp = ({ store, clock, data, version, baseUrl, ...kit }: AppNeeds): Service => {
  const app = createService(kit);
  // Public facts: any page may read them, and saying so never depends on who asks.
  app.addHook('onRequest', (_request, reply, done) => {
    void reply.header('access-control-allow-origin', '*');
    done();
  });
  contractRoutes(app, { store, clock });
  redirectRoutes(app, baseUrl);
  neighbourRoutes(app, { store, clock });
  healthRoutes(app, { clock, version, data });
  return app;
};
