import { type Static, Type } from '@sinclair/typebox';

/** One violation in a request: its location (a JSON Pointer as a URI fragment, `#/3/unit-cost`), a stable code, a sentence. */
export const ProblemItem = Type.Object({
  pointer: Type.String({
    description: 'JSON Pointer (RFC 6901) as a URI fragment',
    examples: ['#/0/quantity'],
  }),
  code: Type.String({ description: 'stable code of the violation' }),
  detail: Type.String({ description: 'what is wrong, for a person' }),
});
export type ProblemItem = Static<typeof ProblemItem>;

/**
 * Problem details, RFC 9457: the one shape of every problem.
 * `type` is contract (`urn:problem-type:<code>`), sentences are not. Services may add members of their own.
 */
export const Problem = Type.Object(
  {
    type: Type.String({ description: 'urn:problem-type:<code>; the code is contract' }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.Optional(Type.String()),
    instance: Type.Optional(Type.String()),
    requestId: Type.Optional(Type.String({ description: 'as in the x-request-id header and the log' })),
    errors: Type.Optional(Type.Array(ProblemItem)),
  },
  { $id: 'Problem', additionalProperties: true },
);
export type Problem = Static<typeof Problem>;

export const PROBLEM_CONTENT_TYPE = 'application/problem+json';

const TYPE_PREFIX = 'urn:problem-type:';

/** The `type` member for a catalogue code: `queue-full` → `urn:problem-type:queue-full`. */
export const problemType = (code: string): string => TYPE_PREFIX + code;
