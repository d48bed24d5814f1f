import { Type } from '@sinclair/typebox';
import { type Clock } from '@workspace/service-kit';
import { Health, healthHttpStatus } from '@workspace/schemas';
import type { DataStatus } from '../domain/data-status.ts';
import { violationText } from '@workspace/release-catalogue';
import type { Operations } from '../http/operation.ts';

/** What the health routes need. */
export interface HealthSource {
  readonly clock: Clock;
  readonly version: string;
  readonly data: () => DataStatus;
}

/** `/health` and `/readyz` say whether the newest data is served, `/healthz` only that the loop turns. */
export const healthRoutes = (operations: Operations, { clock, version, data }: HealthSource): void => {
  operations.get(
    {
      path: '/health',
      aliases: ['/readyz'],
      id: 'health',
      tag: 'service',
      summary: 'Whether the newest data is served; warn: the last good data is, and why',
      answers: { 'application/json': Health },
    },
    (_request, reply) => {
      const body = healthOf(data(), version, clock());
      void reply.code(healthHttpStatus(body.status)).header('cache-control', 'no-store');
      return body;
    },
  );
  operations.get(
    {
      path: '/healthz',
      id: 'alive',
      tag: 'service',
      summary: 'Whether the process answers at all',
      answers: { 'application/json': Type.Object({ status: Type.Literal('pass') }) },
    },
    (_request, reply) => {
      void reply.header('cache-control', 'no-store');
      return { status: 'pass' };
    },
  );
};

const healthOf = ({ revision, faults }: DataStatus, version: string, now: Date): Health => {
  const status = faults.length > 0 ? 'warn' : 'pass';
  const output = `the last good data is served; the newer one is faulty: ${faults.map(violationText).join('; ')}`;
  return {
    status,
    version,
    checks: {
      'data:revision': [
        {
          status,
          componentType: 'datastore',
          observedValue: revision.toISOString(),
          time: now.toISOString(),
          ...(faults.length > 0 && { output }),
        },
      ],
    },
  };
};
