import type { Logger } from '@workspace/logging';
import type { Drain } from './drain.ts';
import type { Metrics } from './metrics.ts';
import { createService, type Service } from '../http/service.ts';

/** Whether a service may be sent requests, and if not, why. */
export type Readiness = { ready: true } | { ready: false; reason: string };

export interface ManagementOptions {
  logger: Logger;
  drain: Drain;
  metrics?: Metrics;
  version: string;
  ready: () => Readiness;
}

/**
 * The listener for the operator, never for the public: `/live` (the loop turns), `/ready` (send requests), `/metrics`
 * (Prometheus text), `/version`.
 */
export const buildManagement = ({ logger, drain, metrics, version, ready }: ManagementOptions): Service => {
  const app = createService({ logger });
  app.get('/live', () => ({ status: 'pass' }));
  app.get('/ready', (_request, reply) => {
    const readiness: Readiness = drain.draining ? { ready: false, reason: 'draining' } : ready();
    void reply.code(readiness.ready ? 200 : 503).header('cache-control', 'no-store');
    return readiness;
  });
  app.get('/version', () => ({ version }));
  if (metrics) {
    app.get('/metrics', async (_request, reply) => {
      void reply.type(metrics.registry.contentType);
      return metrics.registry.metrics();
    });
  }
  return app;
};
