import type { PartitionResponse } from '../wire/produce-request.ts';
import { type Meaning, meaningOf } from './produce-errors.ts';

/** What the producer of a partition is doing. */
export type State =
  /** the leader has not been reached since it was lost; nothing is on its way */
  | 'connecting'
  /** the leader was reached; nothing is on its way */
  | 'ready'
  /** a batch was written for the first time: it is in the log only if this attempt appends it */
  | 'sending'
  /** a batch may be in the log: the same bytes are sent until the broker gives their offset */
  | 'resending'
  | 'stopped';

/** What happens to it. */
export type Event =
  /** the leader is connected, and there is a producer id */
  | 'reached'
  /** no connection, or no producer id */
  | 'unreachable'
  /** the batch goes out */
  | 'written'
  /** the broker answered, see `Meaning` */
  | Meaning
  /** the batch is in the log, and the broker does not say where */
  | 'appended-somewhere'
  /** the connection ended, or the answer is late */
  | 'unanswered'
  /** the batch was sent for as long as it may be */
  | 'expired'
  | 'stop';

/** What is done with the batch. */
export type Action =
  /** its records are accepted; the next batch has the next numbers */
  | 'accept'
  /** its records wait again, for a batch with the same numbers */
  | 'requeue'
  /** its records wait again, each for a batch of its own; a single one is rejected */
  | 'split'
  /** its records are not published; its numbers are free */
  | 'reject'
  /** its records wait again, for a batch of another producer id */
  | 'renumber'
  /** the outcome of its records is unknown; its numbers must not be used again, so another producer id follows */
  | 'give-up';

export interface Transition {
  readonly to: State;
  /** what is done with the batch; it stays as it is when left out */
  readonly action?: Action;
}

const ready = (action: Action): Transition => ({ to: 'ready', action });
const stay = { to: 'resending' } as const;

/** Every transition. What is not here cannot happen. */
export const TRANSITIONS: Readonly<Record<State, Readonly<Partial<Record<Event, Transition>>>>> = {
  connecting: {
    reached: { to: 'ready' },
    unreachable: { to: 'connecting' },
    stop: { to: 'stopped' },
  },
  ready: {
    reached: { to: 'ready' },
    unreachable: { to: 'connecting' },
    written: { to: 'sending' },
    stop: { to: 'stopped' },
  },
  sending: {
    appended: ready('accept'),
    'appended-somewhere': ready('give-up'),
    'maybe-appended': stay,
    unanswered: stay,
    'not-now': ready('requeue'),
    never: ready('reject'),
    'too-large': ready('split'),
    'invalid-records': ready('split'),
    'not-followed': ready('renumber'),
  },
  // An earlier attempt may have been appended, so that the rejection of a later one does not prove absence.
  resending: {
    reached: stay,
    unreachable: stay,
    written: stay,
    appended: ready('accept'),
    'appended-somewhere': ready('give-up'),
    'maybe-appended': stay,
    unanswered: stay,
    'not-now': stay,
    never: ready('give-up'),
    'too-large': ready('give-up'),
    'invalid-records': ready('give-up'),
    'not-followed': ready('give-up'),
    expired: { to: 'connecting', action: 'give-up' },
    stop: { to: 'stopped', action: 'give-up' },
  },
  stopped: {},
};

/** What the broker's answer is to a batch of so many records. */
export const eventOf = ({ errorCode, baseOffset }: PartitionResponse, records: number): Event => {
  const meaning = meaningOf(errorCode);
  if (meaning === 'appended' && baseOffset < 0) return 'appended-somewhere';
  return meaning === 'invalid-records' && records === 1 ? 'never' : meaning;
};

/** @throws for an event that the state does not have: a mistake of ours */
export const transition = (state: State, event: Event): Transition => {
  const found = TRANSITIONS[state][event];
  if (!found) throw new Error(`no transition from ${state} on ${event}`);
  return found;
};
