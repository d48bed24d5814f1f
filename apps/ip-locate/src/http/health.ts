import { Type } from '@sinclair/typebox';
import { Health, type HealthCheck, healthHttpStatus } from '@workspace/schemas';
import { apiResponse, type Service } from '@workspace/service-kit';
import type { Clock, Reloadable } from '@workspace/service-process';
import type { DatabaseInfo } from '../application/location-database.ts';
import { daysSince, isStale, isToCome } from '../domain/build-date.ts';
import { PUBLIC_HEADERS } from './headers.ts';

/** Checks by name. */
export type Checks = Readonly<Record<string, (HealthCheck & Record<string, unknown>)[]>>;

type Database = Reloadable<{ readonly info: DatabaseInfo }>;

export interface HealthDeps {
  locations: Database;
  operators?: Database;
  further?: readonly Database[];
  anonymous?: Database | undefined;
  /** of options */
  others?: readonly ((now: Date) => Checks)[];
  clock: Clock;
  version: string;
}

/** The state of the databases: `fail` without a city database, `warn` when one is old, dated in the future, or a newer one was rejected. */
export const healthRoute = (
  app: Service,
  path: string,
  { locations, operators, further = [], anonymous, others = [], clock, version }: HealthDeps,
): void => {
  const startedAt = clock();
  const state = (description: string) =>
    apiResponse(description, {
      content: { 'application/json': Health },
      headers: { 'Cache-Control': Type.Literal('no-store') },
    });
  const schema = {
    operationId: 'health',
    tags: ['service'],
    summary: 'The state of the databases',
    response: { 200: state('Lookups are answered.'), 503: state('No city database is loaded.') },
  };
  app.get(path, { schema }, (_request, reply) => {
    const now = clock();
    const checks: Health['checks'] = {
      'database:city': [check(locations, now, 'fail')],
      ...(operators && { 'database:asn': [check(operators, now, 'warn')] }),
      ...Object.fromEntries(further.map((one, at) => [`database:${at + 2}`, [check(one, now, 'warn')]])),
      ...(anonymous && { 'database:anonymous': [check(anonymous, now, 'warn')] }),
      ...Object.assign({}, ...others.map((checksAt) => checksAt(now))),
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
};

/** One database: its type, build date and age, and how the last attempt to load it ended. */
const check = (
  database: Database,
  now: Date,
  missing: 'fail' | 'warn',
): HealthCheck & Record<string, unknown> => {
  const { current, lastLoad } = database;
  const builtAt = current?.info.builtAt ?? null;
  const ageDays = builtAt && daysSince(builtAt, now);
  const stale = current !== undefined && isStale(builtAt, now);
  const ahead = builtAt && isToCome(builtAt, now) ? 'the data is dated in the future' : undefined;
  const output = lastLoad?.error ?? ahead;
  const status = current ? (stale || output !== undefined ? 'warn' : 'pass') : missing;
  const facts = {
    componentType: 'datastore',
    observedValue: ageDays,
    observedUnit: 'days',
    ...(current && { types: current.info.types, builtAt: builtAt?.toISOString() ?? null, stale }),
  };
  return { ...fileCheck(database, facts), status, ...(output !== undefined && { output }) };
};

/** Files of an option: those in use stay when newer ones are rejected. */
export const fileCheck = <Facts extends object>(
  { lastLoad }: Reloadable<object>,
  facts: Facts,
): HealthCheck & Facts => ({
  status: lastLoad?.error === undefined ? 'pass' : 'warn',
  ...facts,
  ...(lastLoad && { lastLoad: { ...lastLoad, at: lastLoad.at.toISOString() } }),
  ...(lastLoad?.error !== undefined && { output: lastLoad.error }),
});

const worst = (checks: readonly HealthCheck[]): Health['status'] => {
  const order = ['fail', 'warn', 'pass'] as const;
  return order.find((status) => checks.some((one) => one.status === status)) ?? 'pass';
};
