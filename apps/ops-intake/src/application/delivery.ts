import type {
  AppendListener,
  LogRecord,
  NotPublishedReason,
  PendingAppend,
  RecordOutcome,
} from '@workspace/schemas';
import type { Timers } from '@workspace/service-process';
import { type Deadlines, TimedEntry } from './deadlines.ts';
import type { IdempotencyStore, SyncKeyClaim, KeyOutcome } from './idempotency-store.ts';
import type { SharedLog } from './queue-shares.ts';
import type { SubmissionOutcomes } from './acceptance-watch.ts';
import { acceptedSubmission } from './submission-record.ts';
import type { InFlight, SubmissionsInFlight } from './submissions-in-flight.ts';
import { fingerprintOfSubmit, type Submit } from './submit.ts';
import { type SubmissionOutcome, type SubmitListener, unknownOutcome } from './submit-result.ts';

/**
 * What is done once it is known what became of a record, however late, and before its caller is answered.
 * @returns a promise when the caller has to wait for it
 */
export type OnSettled = (outcome: KeyOutcome) => Promise<unknown> | undefined;

/** A record that is too large is its client's fault, a full queue the fault of many; a process that stops says so itself. */
const isOfKafka = (reason: NotPublishedReason): boolean =>
  reason === 'log-unavailable' || reason === 'withdrawn';

/**
 * One record on its way, for a caller who waits no longer than until the deadline. Then it is withdrawn if nothing of it
 * was sent (not published), or the log goes on with it: a send is never given up.
 */
abstract class Delivery extends TimedEntry implements AppendListener {
  readonly id: string;
  readonly #operations: number;
  readonly #listener: SubmitListener<SubmissionOutcome>;
  readonly #outcomes: SubmissionOutcomes;
  /** whether the listener was called: after the deadline, the outcome is still for the store */
  #isOver = false;
  #deadlines: Deadlines | undefined;
  #stopTimer: (() => void) | undefined;
  #pending: PendingAppend | undefined;

  constructor(
    id: string,
    operations: number,
    listener: SubmitListener<SubmissionOutcome>,
    outcomes: SubmissionOutcomes,
  ) {
    super();
    this.id = id;
    this.#operations = operations;
    this.#listener = listener;
    this.#outcomes = outcomes;
  }

  protected abstract onSettled(outcome: KeyOutcome): ReturnType<OnSettled>;

  start(log: SharedLog, record: LogRecord, maxWaitMs: number, clients: Submit['clients']): void {
    this.#pending = log.append(record, this, maxWaitMs, clients);
  }

  /** Once it is started: has it expire together with others. */
  expireWith(deadlines: Deadlines): void {
    if (this.#isOver) return;
    this.#deadlines = deadlines;
    deadlines.add(this);
  }

  /** Once it is started: sets a timer of its own. */
  expireAfter(milliseconds: number, timers: Timers): void {
    if (this.#isOver) return;
    const timer = timers.setTimeout(() => this.expire(), milliseconds, undefined);
    this.#stopTimer = () => timers.clearTimeout(timer);
  }

  expire(): void {
    if (!this.#pending?.withdraw()) this.#report(unknownOutcome('no-answer', this.id));
  }

  settled(outcome: RecordOutcome): void {
    const known = this.#outcomeOf(outcome);
    const settling = this.onSettled(known);
    if (settling === undefined) this.#report(known);
    else
      settling.then(
        () => this.#report(known),
        (error) => this.#isFirst() && this.#listener.failed(error),
      );
  }

  #outcomeOf(outcome: RecordOutcome): SubmissionOutcome {
    if (outcome.outcome === 'not-published') return outcome;
    if (outcome.outcome === 'unknown') return unknownOutcome(outcome.reason, this.id);
    const answer = acceptedSubmission(this.id, this.#operations, outcome);
    return { outcome: 'accepted', answer, replayed: false };
  }

  #report(outcome: SubmissionOutcome): void {
    if (!this.#isFirst()) return;
    if (outcome.outcome === 'accepted') this.#outcomes.accepted();
    else if (outcome.outcome === 'unknown' || isOfKafka(outcome.reason)) this.#outcomes.failed('kafka');
    this.#listener.resolved(outcome);
  }

  /** Whether the listener is called for the first time. */
  #isFirst(): boolean {
    const isFirst = !this.#isOver;
    this.#isOver = true;
    this.#deadlines?.remove(this);
    this.#stopTimer?.();
    return isFirst;
  }
}

/** One whose caller says what is done once its outcome is known. */
export class SingleDelivery extends Delivery {
  protected readonly onSettled: OnSettled;

  constructor(
    id: string,
    operations: number,
    onSettled: OnSettled,
    listener: SubmitListener<SubmissionOutcome>,
    outcomes: SubmissionOutcomes,
  ) {
    super(id, operations, listener, outcomes);
    this.onSettled = onSettled;
  }
}

/** One without a key or a number. */
export class KeylessDelivery extends Delivery implements InFlight {
  readonly principal: string | undefined;
  sameSlot: InFlight | undefined = undefined;
  readonly #inFlight: SubmissionsInFlight;

  constructor(
    id: string,
    { submission, principal }: Submit,
    inFlight: SubmissionsInFlight,
    listener: SubmitListener,
    outcomes: SubmissionOutcomes,
  ) {
    super(id, submission.operations, listener, outcomes);
    this.#inFlight = inFlight;
    this.principal = principal;
    inFlight.add(this);
  }

  protected onSettled(): undefined {
    this.#inFlight.remove(this);
  }
}

/** One whose key is in a store of this process. It is its own claim: one object instead of three. */
export class KeyedDelivery extends Delivery implements SyncKeyClaim {
  readonly fingerprint: string;
  readonly owner: string;
  readonly principal: string | undefined;
  slot = -1;
  readonly #store: NonNullable<IdempotencyStore['sync']>;

  constructor(
    id: string,
    submit: Submit,
    owner: string,
    store: NonNullable<IdempotencyStore['sync']>,
    listener: SubmitListener,
    outcomes: SubmissionOutcomes,
  ) {
    super(id, submit.submission.operations, listener, outcomes);
    this.fingerprint = fingerprintOfSubmit(submit);
    this.owner = owner;
    this.principal = submit.principal;
    this.#store = store;
  }

  protected onSettled(outcome: KeyOutcome): undefined {
    this.#store.settle(this, outcome);
  }
}
