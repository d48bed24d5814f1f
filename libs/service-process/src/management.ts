import type { Logger } from '@workspace/logging';
import type { Drain } from '@workspace/http-connections';
import {
  createService,
  livenessProbe,
  type Readiness,
  readinessProbe,
  type Service,
} from '@workspace/service-kit';
import type { Metrics } from './metrics.ts';

export interface ManagementOptions {
  logger: Logger;
  drain: Drain;
  metrics?: Metrics;
  version: string;
  ready: () => Readiness;
}

/**
 * The listener for the operator, never for the public: `/health/live`, `/health/ready`, `/metrics` (Prometheus text),
 * `/version`. `/live` and `/ready` are short for the first two.
 */
export const buildManagement = ({ logger, drain, metrics, version, ready }: ManagementOptions): Service => {
  const app = createService({ logger });
  for (const path of ['/health/live', '/live']) app.get(path, livenessProbe());
  for (const path of ['/health/ready', '/ready']) app.get(path, readinessProbe({ drain, ready }));
  app.get('/version', () => ({ version }));
  if (metrics) {
    app.get('/metrics', async (_request, reply) => {
      void reply.type(metrics.registry.contentType);
      return metrics.registry.metrics();
    });
  }
  return app;
};
