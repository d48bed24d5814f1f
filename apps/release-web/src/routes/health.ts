import { Type } from '@sinclair/typebox';
import { type Clock } from '@workspace/service-kit';
import { Health, healthHttpStatus } from '@workspace/schemas';
import type { DataStatus } from '../application/catalogue-watcher.ts';
import { type Violation, violationText } from '@workspace/release-catalogue';
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
      summary: 'Whether the newest data is served; warn: the last valid data is served, and why',
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

const healthOf = ({ revision, violations }: DataStatus, version: string, now: Date): Health => {
  const status = violations.length > 0 ? 'warn' : 'pass';
  const output = `still serving the last valid data; the newer data is invalid: ${summaryOf(violations)}`;
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
          ...(violations.length > 0 && { output }),
        },
      ],
    },
  };
};

/** Everybody may read /health, so it stays small; `release-data validate` prints every violation in full. */
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
