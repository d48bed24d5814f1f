import { type Static, Type } from '@sinclair/typebox';
import { HealthCheck } from '@workspace/schemas';

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
