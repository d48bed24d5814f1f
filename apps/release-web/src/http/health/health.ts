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
import { type Violation, violationText } from '@workspace/release-catalogue';
import { daysSince, isStale } from '../../domain/utc-day.ts';

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

/**
 * Whether the newest data is served; `warn` when the last valid data is served instead, or data that is old; `fail` when
 * none is, and why.
 * @param staleDays days without new facts after which newer ones may exist
 */
export const healthOf = (data: DataStatus, version: string, now: Date, staleDays: number): Health => {
  const { revision, violations } = data;
  const served = !revision ? 'fail' : violations.length > 0 ? 'warn' : 'pass';
  const age = revision && ageOf(revision, now, staleDays);
  const status = served === 'pass' && age ? age.status : served;
  const output = `${servedText(data)}: ${summaryOf(violations)}`;
  return {
    status,
    version,
    checks: {
      'data:revision': [
        {
          status: served,
          componentType: 'datastore',
          observedValue: revision && revision.toISOString(),
          time: now.toISOString(),
          ...(violations.length > 0 && { output }),
        },
      ],
      ...(age && { 'data:age': [{ ...age, time: now.toISOString() }] }),
    },
  };
};

const ageOf = (revision: Date, now: Date, staleDays: number) => {
  const days = daysSince(revision, now);
  const isOld = isStale(revision, now, staleDays);
  return {
    status: isOld ? ('warn' as const) : ('pass' as const),
    observedValue: days,
    observedUnit: 'days',
    ...(isOld && { output: `no new facts for ${days} days: newer releases may exist` }),
  };
};

const servedText = ({ revision, isKept }: DataStatus): string => {
  if (!revision) return 'there is no data to serve; the data is invalid';
  return isKept
    ? 'serving the last valid data, which was kept before the start; the data is invalid'
    : 'still serving the last valid data; the newer data is invalid';
};

/** Anyone may read /health, so it stays small; `release-data validate` prints every violation in full. */
const SHOWN_VIOLATIONS = 10;
const SHOWN_CHARACTERS = 250;

const summaryOf = (violations: readonly Violation[]): string => {
  const shown = violations.slice(0, SHOWN_VIOLATIONS).map((violation) => {
    const text = violationText(violation);
    return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
  });
  const more = violations.length - shown.length;
  return `${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
};
