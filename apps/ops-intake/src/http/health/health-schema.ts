import { type Static, Type } from '@sinclair/typebox';
import { HealthCheck } from '@workspace/schemas';

/** health+json (draft-inadarei-api-health-check, `up`/`down` are its aliases of pass/fail) with the original's members. */
export const OperationsHealth = Type.Object(
  {
    status: Type.Union([Type.Literal('up'), Type.Literal('warn'), Type.Literal('down')]),
    app: Type.Literal('operations-service'),
    version: Type.String({ examples: ['0.1.0'] }),
    kafka: Type.Object({
      status: Type.Union([Type.Literal('connected'), Type.Literal('disconnected')]),
      'bootstrap-servers': Type.Optional(
        Type.String({
          description: 'where clients have to authenticate: for those who do, as is `topic` and `error`',
          examples: ['localhost:9092'],
        }),
      ),
      topic: Type.Optional(Type.String({ examples: ['operations'] })),
      latencyMs: Type.Optional(Type.Number({ description: 'of the last probe' })),
      error: Type.Optional(Type.String({ examples: ['connect ECONNREFUSED 127.0.0.1:9092'] })),
    }),
    checks: Type.Record(Type.String(), Type.Array(HealthCheck), {
      examples: [{ 'kafka:connection': [{ status: 'pass', observedValue: 3.1, observedUnit: 'ms' }] }],
    }),
  },
  { $id: 'OperationsHealth' },
);
export type OperationsHealth = Static<typeof OperationsHealth>;
