import { type Static, Type } from '@sinclair/typebox';
import { NullableDate } from './envelope.ts';
import { ApiEvent } from './event.ts';

export const ApiState = Type.Union(
  [
    ...(['planned', 'future', 'stable', 'security', 'eol'] as const).map((state) => Type.Literal(state)),
    Type.Null(),
  ],
  { description: 'planned: without a release so far, or all were withdrawn; null: a date is not known' },
);

/** A branch with its state now. */
export const ApiBranch = Type.Object(
  {
    branch: Type.String({ examples: ['8.4'] }),
    state: ApiState,
    is_supported: Type.Boolean({ description: 'security issues are still fixed' }),
    latest: Type.Union([Type.String(), Type.Null()], { examples: ['8.4.24'] }),
    initial_release: NullableDate('day of the first release'),
    expected_release: NullableDate('planned day of the first release, while there is none'),
    active_support_end: NullableDate('from this day on, 00:00 UTC, only security issues are fixed'),
    security_support_end: NullableDate('from this day on, 00:00 UTC, nothing is fixed'),
    last_supported_day: NullableDate('the day before security_support_end'),
    next_transition: Type.Union([ApiEvent, Type.Null()]),
  },
  { $id: 'Branch' },
);
export type ApiBranch = Static<typeof ApiBranch>;
