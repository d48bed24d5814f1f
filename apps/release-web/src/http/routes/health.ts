import { Type } from '@sinclair/typebox';
import { apiResponse, type Clock, type Service } from '@workspace/service-kit';
import { Health, healthHttpStatus } from '@workspace/schemas';
import type { DataStatus } from '../../application/catalogue-watcher.ts';
import { type Violation, violationText } from '@workspace/release-catalogue';
import { aliased } from './aliased.ts';

/** What the health routes need. */
export interface HealthSource {
  readonly clock: Clock;
  readonly version: string;
  readonly data: () => DataStatus;
}

const tags = ['service'];
const headers = { 'Cache-Control': Type.Literal('no-store') };

/** `/health` and `/readyz` say whether the newest data is served, `/healthz` only that the loop turns. */
export const healthRoutes = (app: Service, { clock, version, data }: HealthSource): void => {
  const health = aliased(['/health', '/readyz'], {
    operationId: 'health',
    tags,
    summary: 'Whether the newest data is served; warn: the last valid data is served, and why',
    response: {
      200: apiResponse('The state.', { content: { 'application/json': Health }, headers }),
      503: apiResponse('There is no data to serve.', { content: { 'application/json': Health }, headers }),
    },
  });
  for (const [path, schema] of health) {
    app.get(path, { schema }, (_request, reply) => {
      const body = healthOf(data(), version, clock());
      return reply.code(healthHttpStatus(body.status)).header('cache-control', 'no-store').send(body);
    });
  }
  const Live = Type.Object({ status: Type.Literal('pass') });
  app.get(
    '/healthz',
    {
      schema: {
        operationId: 'alive',
        tags,
        summary: 'Whether the process answers at all',
        response: { 200: apiResponse('It does.', { content: { 'application/json': Live }, headers }) },
      },
    },
    (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'pass' }),
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
