import type { KeyOutcome } from './idempotency-store.ts';
import type { SequenceOutcome } from './sequence-store.ts';
import type { UnknownReason } from './submit-result.ts';

/** `perhaps-out-of-sequence`: the number is denied to this attempt; an earlier one may be in the log */
export type Answer =
  | 'accepted'
  | 'replayed'
  | 'not-published'
  | 'out-of-sequence'
  | 'perhaps-out-of-sequence'
  | 'key-reused'
  | UnknownReason;

/** What the store learns of key and number, as far as the submission has them. */
export interface Settlement {
  readonly key: KeyOutcome['outcome'];
  readonly number?: SequenceOutcome;
}

/** One that has ended asks for nothing. */
export type State = keyof typeof TRANSITIONS;

export interface Transition {
  readonly to: State;
  readonly settle?: Settlement;
  /** what the client gets, once all is settled */
  readonly answer?: Answer;
}

const to = <Next extends string>(state: Next) => ({ to: state });
const ends = (answer: Answer) => ({ to: 'ended', answer }) as const;
const settles = (answer: Answer, settle: Settlement) => ({ to: 'settling', settle, answer }) as const;

const ACCEPTED = { key: 'accepted', number: 'accepted' } as const;
const NOT_PUBLISHED = { key: 'not-published', number: 'not-published' } as const;
/** It has no number yet. */
const RELEASED = { key: 'not-published' } as const;
/** The number stays taken: its holder may be in the log. */
const UNKNOWN = { key: 'unknown' } as const;

const REPLIES = {
  accepted: ends('replayed'),
  reused: ends('key-reused'),
  'in-flight': ends('in-flight'),
  'store-unavailable': ends('store-unavailable'),
};

/**
 * What a submission waits for, what can happen then, in the words of the ports, and what follows. It begins with `claiming` if it
 * has a key, else with `numbering` if it has a number or comes after another one, else with `sending`.
 */
export const TRANSITIONS = {
  /** for the reply of the key store to the claim on its key */
  claiming: {
    claimed: to('numbering'),
    'perhaps-forgotten': to('verifying'),
    unknown: to('searching'),
    ...REPLIES,
  },
  /** for what the log has of the key, which is not claimed: an earlier attempt has an unknown outcome */
  searching: {
    absent: to('reclaiming'),
    found: settles('replayed', ACCEPTED),
    'found-other': ends('key-reused'),
    'may-arrive': ends('no-answer'),
    unsearchable: ends('no-answer'),
  },
  /** for the reply to a second claim: the log, searched just now, does not have it */
  reclaiming: {
    claimed: to('numbering'),
    'perhaps-forgotten': to('numbering'),
    unknown: ends('no-answer'),
    ...REPLIES,
  },
  /** for what the log has of the key, which is claimed, and which the store may have forgotten */
  verifying: {
    absent: to('numbering'),
    found: settles('replayed', ACCEPTED),
    'found-other': settles('key-reused', RELEASED),
    'may-arrive': settles('no-answer', RELEASED),
    unsearchable: settles('no-answer', RELEASED),
  },
  /** for its number; without one, it is `taken` at once */
  numbering: {
    taken: to('waiting'),
    'out-of-sequence': settles('out-of-sequence', RELEASED),
    'store-unavailable': settles('store-unavailable', RELEASED),
  },
  /** until the submission before it in its stream is queued; `late`: its time is over */
  waiting: {
    queued: to('sending'),
    refused: settles('not-published', NOT_PUBLISHED),
    late: settles('not-published', NOT_PUBLISHED),
  },
  /** for the outcome of its record */
  sending: {
    accepted: settles('accepted', ACCEPTED),
    'not-published': settles('not-published', NOT_PUBLISHED),
    unknown: settles('no-answer', UNKNOWN),
  },
  /** until the store has confirmed what it learns; the answer follows */
  settling: { settled: to('ended') },
  ended: {},
};

type EventIn<One> = One extends State ? keyof (typeof TRANSITIONS)[One] : never;
/** `deadline`: the client waits no longer, which decides nothing */
export type SubmissionEvent = EventIn<State> | 'deadline';

const ALL: Record<State, Partial<Record<SubmissionEvent, Transition>>> = TRANSITIONS;

/** What the client gets instead where an earlier attempt may be in the log: that this one is not proves nothing. */
const UNSURE: Partial<Record<Answer, Answer>> = {
  'not-published': 'no-answer',
  'out-of-sequence': 'perhaps-out-of-sequence',
};

/** @param isAfterUnknown whether an earlier attempt with the key has an unknown outcome */
export const transition = (state: State, event: SubmissionEvent, isAfterUnknown: boolean): Transition => {
  if (event === 'deadline' && state !== 'ended') return { to: state, answer: 'no-answer' };
  const next = ALL[state][event];
  if (!next) throw new Error(`${event} in the state ${state}`);
  if (!isAfterUnknown || !next.answer) return next;
  // The number of the earlier attempt is not free.
  const settle = next.settle === NOT_PUBLISHED ? RELEASED : next.settle;
  return { to: next.to, ...(settle && { settle }), answer: UNSURE[next.answer] ?? next.answer };
};
