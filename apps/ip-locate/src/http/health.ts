import { Type } from '@sinclair/typebox';
import { Health, type HealthCheck, healthHttpStatus } from '@workspace/schemas';
import { apiResponse, type Clock, type Reloadable, type Service } from '@workspace/service-kit';
import type { DatabaseInfo, Overlay } from '../application/location-database.ts';
import { daysSince, isStale, isToCome } from '../domain/build-date.ts';
import { PUBLIC_HEADERS } from './headers.ts';

type Database = Reloadable<{ readonly info: DatabaseInfo }>;

export interface HealthDeps {
  locations: Database;
  operators?: Database;
  further?: readonly Database[];
  anonymous?: Database | undefined;
  overlay?: Reloadable<Overlay> | undefined;
  /** left out: there are no rules */
  accessRules?: Reloadable<object> | undefined;
  /** of options, by the name of the check */
  warnings?: (() => Readonly<Record<string, string>>) | undefined;
  clock: Clock;
  version: string;
}

/** The state of the databases: `fail` without a city database, `warn` when one is old, dated in the future, or a newer one was rejected. */
export const healthRoute = (
  app: Service,
  path: string,
  {
    locations,
    operators,
    further = [],
    anonymous,
    overlay,
    accessRules,
    warnings,
    clock,
    version,
  }: HealthDeps,
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
      ...(overlay && { overlay: [checkOverlay(overlay, now)] }),
      ...(accessRules && { rules: [checkRules(accessRules)] }),
      ...Object.fromEntries(
        Object.entries(warnings?.() ?? {}).map(([name, output]) => [
          name,
          [{ status: 'warn' as const, componentType: 'datastore' as const, output }],
        ]),
      ),
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
  { current, lastLoad }: Database,
  now: Date,
  missing: 'fail' | 'warn',
): HealthCheck & Record<string, unknown> => {
  const builtAt = current?.info.builtAt ?? null;
  const ageDays = builtAt && daysSince(builtAt, now);
  const stale = current !== undefined && isStale(builtAt, now);
  const ahead = builtAt && isToCome(builtAt, now) ? 'the data is dated in the future' : undefined;
  const output = lastLoad?.error ?? ahead;
  const status = current ? (stale || output !== undefined ? 'warn' : 'pass') : missing;
  return {
    status,
    componentType: 'datastore',
    observedValue: ageDays,
    observedUnit: 'days',
    ...(current && { types: current.info.types, builtAt: builtAt?.toISOString() ?? null, stale }),
    ...(lastLoad && { lastLoad: { ...lastLoad, at: lastLoad.at.toISOString() } }),
    ...(output !== undefined && { output }),
  };
};

/** The overlay: its age is that of the file, and old is not stale, because only its owner knows what it should say. */
const checkOverlay = (
  { current, lastLoad }: Reloadable<Overlay>,
  now: Date,
): HealthCheck & Record<string, unknown> => {
  const modifiedAt = current?.info.modifiedAt ?? null;
  const error = lastLoad?.error;
  return {
    status: error === undefined ? 'pass' : 'warn',
    componentType: 'datastore',
    observedValue: modifiedAt && daysSince(modifiedAt, now),
    observedUnit: 'days',
    networks: current?.info.networks ?? 0,
    modifiedAt: modifiedAt?.toISOString() ?? null,
    ...(lastLoad && { lastLoad: { ...lastLoad, at: lastLoad.at.toISOString() } }),
    ...(error !== undefined && { output: error }),
  };
};

/** The rules: those in use stay when newer ones are rejected. */
const checkRules = ({ lastLoad }: Reloadable<object>): HealthCheck & Record<string, unknown> => ({
  status: lastLoad?.error === undefined ? 'pass' : 'warn',
  componentType: 'component',
  ...(lastLoad && { lastLoad: { ...lastLoad, at: lastLoad.at.toISOString() } }),
  ...(lastLoad?.error !== undefined && { output: lastLoad.error }),
});

const worst = (checks: readonly HealthCheck[]): Health['status'] => {
  const order = ['fail', 'warn', 'pass'] as const;
  return order.find((status) => checks.some((one) => one.status === status)) ?? 'pass';
};
