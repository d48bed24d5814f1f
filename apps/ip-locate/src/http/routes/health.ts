import { PUBLIC_HEADERS } from '../views/headers.ts';
import { type Health, type HealthCheck, healthHttpStatus } from '@workspace/schemas';
import type { Clock, Service, Reloadable } from '@workspace/service-kit';
import type { DataInfo } from '../domain/locator.ts';

export interface HealthOptions {
  cities: Reloadable<{ readonly info: DataInfo }>;
  operators?: Reloadable<{ readonly info: DataInfo }>;
  clock: Clock;
  version: string;
}

const DAY = 86_400_000;
/** DB-IP publishes monthly, MaxMind twice a week: older than this, nobody is renewing the data. */
export const STALE_AFTER_DAYS = 45;

/** The state of the data: fail without any, warn when it is old or newer files were refused. */
export function healthRoutes(app: Service, { cities, operators, clock, version }: HealthOptions): void {
  const startedAt = clock();
  app.get('/health', (_request, reply) => {
    const now = clock();
    const checks: Health['checks'] = {
      'database:city': [check(cities, now, 'fail')],
      ...(operators && { 'database:asn': [check(operators, now, 'warn')] }),
      uptime: [
        {
          status: 'pass',
          observedValue: Math.floor((now.getTime() - startedAt.getTime()) / 1000),
          observedUnit: 's',
        },
      ],
    };
    const status = worst(Object.values(checks).flat());
    const body: Health = { status, version, checks };
    return reply
      .code(healthHttpStatus(status))
      .headers({ ...PUBLIC_HEADERS, 'cache-control': 'no-store' })
      .send(body);
  });
}

/** One database: its type, build date and age, and how the last look at its files ended. */
function check(
  { current, lastLoad }: HealthOptions['cities'],
  now: Date,
  missing: 'fail' | 'warn',
): HealthCheck & Record<string, unknown> {
  const builtAt = current?.info.builtAt ?? null;
  const ageDays = builtAt && Math.floor((now.getTime() - builtAt.getTime()) / DAY);
  const stale = current ? ageDays === null || ageDays > STALE_AFTER_DAYS : false;
  const error = lastLoad?.error;
  const status = current ? (stale || error !== undefined ? 'warn' : 'pass') : missing;
  return {
    status,
    componentType: 'datastore',
    observedValue: ageDays,
    observedUnit: 'days',
    ...(current && { types: current.info.types, builtAt: builtAt?.toISOString() ?? null, stale }),
    ...(lastLoad && { lastLoad: { ...lastLoad, at: lastLoad.at.toISOString() } }),
    ...(error !== undefined && { output: error }),
  };
}

function worst(checks: readonly HealthCheck[]): Health['status'] {
  const order = ['fail', 'warn', 'pass'] as const;
  return order.find((status) => checks.some((one) => one.status === status)) ?? 'pass';
}
