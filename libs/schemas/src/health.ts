import { type Static, Type } from '@sinclair/typebox';
import { DateTime } from './scalars.ts';

export const HealthStatus = Type.Union([Type.Literal('pass'), Type.Literal('warn'), Type.Literal('fail')]);
export type HealthStatus = Static<typeof HealthStatus>;

/** One measured part of a service, after draft-inadarei-api-health-check. */
export const HealthCheck = Type.Object(
  {
    status: HealthStatus,
    componentType: Type.Optional(Type.String()),
    time: Type.Optional(DateTime),
    observedValue: Type.Optional(Type.Union([Type.Number(), Type.String(), Type.Null()])),
    observedUnit: Type.Optional(Type.String()),
    output: Type.Optional(Type.String({ description: 'why it is not pass' })),
  },
  // Each part adds members of its own; without this, generated clients drop or reject them.
  { additionalProperties: true },
);
export type HealthCheck = Static<typeof HealthCheck>;

/** A service's health: 200 for pass and warn, 503 for fail. `checks` is keyed `component:measurement`. */
export const Health = Type.Object(
  {
    status: HealthStatus,
    version: Type.String({ examples: ['0.1.0'] }),
    checks: Type.Record(Type.String(), Type.Array(HealthCheck), {
      examples: [{ 'data:age': [{ status: 'pass', observedValue: 9, observedUnit: 'days' }] }],
    }),
  },
  { $id: 'Health' },
);
export type Health = Static<typeof Health>;

/** The HTTP status that goes with a health status. */
export const healthHttpStatus = (status: HealthStatus): 200 | 503 => (status === 'fail' ? 503 : 200);
