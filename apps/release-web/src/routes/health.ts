import type { Clock, Service } from '@workspace/service-kit';
import { Health, healthHttpStatus } from '@workspace/schemas';
import { findingText } from '../domain/finding.ts';
import type { DataStatus } from '../adapters/data-watcher.ts';

/** What the health routes need. */
export interface HealthSource {
  readonly clock: Clock;
  readonly version: string;
  readonly data: () => DataStatus;
}

/** `/health` and `/readyz` say whether the newest data is served, `/healthz` only that the loop turns. */
export const healthRoutes = (app: Service, { clock, version, data }: HealthSource): void => {
  const health = (): Health => {
    const { revision, faults } = data();
    return {
      status: faults.length > 0 ? 'warn' : 'pass',
      version,
      checks: {
        'data:revision': [
          {
            status: faults.length > 0 ? 'warn' : 'pass',
            componentType: 'datastore',
            observedValue: revision.toISOString(),
            time: clock().toISOString(),
            ...(faults.length > 0 && {
              output: `the last good data is served; the newer one is faulty: ${faults.map(findingText).join('; ')}`,
            }),
          },
        ],
      },
    };
  };
  for (const path of ['/health', '/readyz']) {
    app.get(path, { schema: { response: { 200: Health, 503: Health } } }, (_request, reply) => {
      const body = health();
      void reply.code(healthHttpStatus(body.status)).header('cache-control', 'no-store');
      return body;
    });
  }
  app.get('/healthz', (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'pass' }),
  );
};
