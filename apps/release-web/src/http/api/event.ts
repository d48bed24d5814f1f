import { type Static, Type } from '@sinclair/typebox';
import { isoDate } from '@workspace/release-catalogue';
import { type Transition, TRANSITION_KINDS } from '../../domain/transitions.ts';

/** A day on which a branch enters another part of its life, at 00:00 UTC. */
export const ApiEvent = Type.Object(
  {
    date: Type.String({ format: 'date', examples: ['2026-12-31'] }),
    branch: Type.String({ examples: ['8.4'] }),
    kind: Type.Union(TRANSITION_KINDS.map((kind) => Type.Literal(kind))),
    is_past: Type.Boolean(),
  },
  { $id: 'Event' },
);
export type ApiEvent = Static<typeof ApiEvent>;

export const eventView = ({ at, branch, kind }: Transition, now: Date): ApiEvent => ({
  date: isoDate(at),
  branch,
  kind,
  is_past: at <= now,
});
