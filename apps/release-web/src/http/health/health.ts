import { Type } from '@sinclair/typebox';
import { Health, healthHttpStatus } from '@workspace/schemas';
import { createDrain, type Drain } from '@workspace/http-connections';
import {
  apiResponse,
  livenessProbe,
  type Readiness,
  readinessProbe,
  type Service,
} from '@workspace/service-kit';
import type { Clock } from '@workspace/service-process';
import type { DataStatus } from '../../application/catalogue-watcher.ts';
import { healthOf } from './report.ts';

/** What the health routes need. */
export interface HealthSource {
  readonly clock: Clock;
  readonly version: string;
  readonly data: () => DataStatus;
  /** days without new facts after which newer ones may exist */
  readonly staleDays: number;
}

const tags = ['service'];
const headers = { 'Cache-Control': Type.Literal('no-store') };

/** Whether the service can answer, and whether with the newest data. */
export const health = (
  app: Service,
  path: string,
  { clock, version, data, staleDays }: HealthSource,
): void => {
  const schema = {
    operationId: 'health',
    tags,
    summary:
      'Whether the newest data is served; warn: the last valid data is served, or data that is old, and why',
    response: {
      200: apiResponse('The state.', { content: { 'application/json': Health }, headers }),
      503: apiResponse('There is no data to serve.', { content: { 'application/json': Health }, headers }),
    },
  };
  app.get(path, { schema }, (_request, reply) => {
    const body = healthOf(data(), version, clock(), staleDays);
    return reply.code(healthHttpStatus(body.status)).header('cache-control', 'no-store').send(body);
  });
};

/** Whether there is data to answer with. */
export const readiness = ({ revision }: DataStatus): Readiness =>
  revision ? { ready: true } : { ready: false, reason: 'no valid data loaded' };

/** Whether requests may be sent here: while there is data, until the service shuts down. */
export const ready = (
  app: Service,
  path: string,
  data: () => DataStatus,
  drain: Drain = createDrain(),
): void => {
  const { schema, handler } = readinessProbe({ drain, ready: () => readiness(data()) });
  app.get(path, { schema }, handler);
};

/** Whether the process runs. */
export const live = (app: Service, path: string): void => {
  const { schema, handler } = livenessProbe();
  app.get(path, { schema }, handler);
};
