import { type Static, Type } from '@sinclair/typebox';
import { HealthCheck } from '@workspace/schemas';
import type { LogStatus } from '../domain/operation-log.ts';

/** health+json (draft-inadarei-api-health-check, `up`/`down` are its aliases of pass/fail) with the original's members. */
export const OperationsHealth = Type.Object(
  {
    status: Type.Union([Type.Literal('up'), Type.Literal('warn'), Type.Literal('down')]),
    app: Type.Literal('operations-service'),
    version: Type.String(),
    kafka: Type.Object({
      status: Type.Union([Type.Literal('connected'), Type.Literal('disconnected')]),
      'bootstrap-servers': Type.String(),
      topic: Type.String(),
      latencyMs: Type.Optional(Type.Number({ description: 'of the last probe' })),
      error: Type.Optional(Type.String()),
    }),
    checks: Type.Record(Type.String(), Type.Array(HealthCheck)),
  },
  { $id: 'OperationsHealth' },
);
export type OperationsHealth = Static<typeof OperationsHealth>;

/** What /health/live says. */
export const LiveBody = Type.Object({ status: Type.Literal('up') }, { $id: 'Live' });

export interface HealthFacts {
  log: LogStatus;
  storeFault: string | undefined;
  draining: boolean;
  version: string;
  bootstrapServers: string;
  topic: string;
  now: Date;
}

/** What /health says: down when submissions cannot be taken, warn when those with an Idempotency-Key cannot. */
export const healthView = (facts: HealthFacts): OperationsHealth => {
  const { log, storeFault, draining } = facts;
  const usable = log.connected && !draining;
  return {
    status: !usable ? 'down' : storeFault === undefined ? 'up' : 'warn',
    app: 'operations-service',
    version: facts.version,
    kafka: {
      status: log.connected ? 'connected' : 'disconnected',
      'bootstrap-servers': facts.bootstrapServers,
      topic: facts.topic,
      ...(log.latencyMs !== undefined && { latencyMs: log.latencyMs }),
      ...(log.error !== undefined && { error: log.error }),
    },
    checks: {
      'kafka:connection': [
        {
          componentType: 'datastore',
          status: log.connected ? 'pass' : 'fail',
          time: (log.checkedAt ?? facts.now).toISOString(),
          ...(log.latencyMs !== undefined && { observedValue: log.latencyMs, observedUnit: 'ms' }),
          ...(log.error !== undefined && { output: log.error }),
        },
      ],
      ...(storeFault !== undefined && {
        'idempotency-store:connection': [
          { componentType: 'datastore', status: 'warn', time: facts.now.toISOString(), output: storeFault },
        ],
      }),
      ...(draining && {
        'service:draining': [{ componentType: 'system', status: 'fail', time: facts.now.toISOString() }],
      }),
    },
  };
};
