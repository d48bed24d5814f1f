import type { AppendListener, NotPublishedReason, PendingAppend, RecordOutcome } from '@workspace/schemas';
import type { Timers } from '@workspace/service-process';
import type { FillRandomly } from '../domain/randomness.ts';
import { newSubmissionId, submissionIdOf } from '../domain/submission-id.ts';
import type { SubmissionOutcomes } from './acceptance-watch.ts';
import {
  type Claim,
  type IdempotencyStore,
  type KeyOutcome,
  StoreUnavailable,
  type SyncKeyClaim,
} from './idempotency-store.ts';
import type { EarlierAttempt, KeyLookup } from './key-lookup.ts';
import type { SharedLog } from './queue-shares.ts';
import type { SequenceClaim } from './sequence-store.ts';
import { type AcceptedSubmission, acceptedSubmission, toRecord } from './submission-record.ts';
import {
  type Answer,
  type Settlement,
  type State,
  type SubmissionEvent,
  type Transition,
  transition,
} from './submission-states.ts';
import { InFlight, type SubmissionsInFlight } from './submissions-in-flight.ts';
import { fingerprintOfSubmit, type QueueResult, type Submit } from './submit.ts';
import type { SubmitListener, SubmitResult } from './submit-result.ts';
import { type NumberDenied, numberOf, type TakeNumber } from './take-number.ts';

export interface AttemptOptions {
  readonly log: SharedLog;
  readonly store: IdempotencyStore;
  /** milliseconds after which the caller is answered with what is known by then */
  readonly deadlineMs: number;
  /** all of them, for who asks what became of one, and until the deadline for those who wait */
  readonly inFlight: SubmissionsInFlight;
  /** called with what clients get */
  readonly outcomes?: SubmissionOutcomes;
  readonly timers: Timers;
  readonly fillRandomly: FillRandomly;
}

/** What all attempts have in common. */
export interface AttemptContext extends AttemptOptions, KeyLookup {
  readonly takeNumber: TakeNumber;
  /** last owner of a claim in a store that no other process uses */
  owners: number;
}

/** A record that is too large is its client's fault, a full queue the fault of many; a process that stops says so itself. */
const isOfKafka = (reason: NotPublishedReason | 'no-answer' | undefined): boolean =>
  reason === 'no-answer' || reason === 'log-unavailable' || reason === 'withdrawn';

type Cause = Parameters<SubmissionOutcomes['failed']>[0];

/** What keeps a submission in a state until its deadline. */
const WAITS_FOR: Partial<Record<State, Cause>> = {
  claiming: 'key-store',
  reclaiming: 'key-store',
  numbering: 'key-store',
  searching: 'search',
  verifying: 'search',
  sending: 'kafka',
  settling: 'key-store',
};

/**
 * A submission on its way through its states, for a client who waits no longer than until the deadline. Then its record is
 * withdrawn if nothing of it was sent (not published), or the log goes on with it: a send is never given up, and the store
 * learns its outcome, however late. Where only the log answers later, there is no promise: each is garbage.
 */
export class SubmissionAttempt extends InFlight implements AppendListener {
  readonly id: string;
  readonly #submit: Submit;
  /** undefined without a key */
  readonly #claim: SyncKeyClaim | undefined;
  readonly #number: SequenceClaim | undefined;
  readonly #context: AttemptContext;
  /** undefined once it was called */
  #listener: SubmitListener | undefined;
  #state: State;
  /** how it is settled and answered */
  #end: Transition | undefined = undefined;
  #pending: PendingAppend | undefined = undefined;
  #recorded: ((event: SubmissionEvent) => void) | undefined = undefined;
  #earlier: EarlierAttempt | undefined = undefined;
  #isAfterUnknown = false;
  #accepted: AcceptedSubmission | undefined = undefined;
  #denied: NumberDenied | undefined = undefined;
  /** why it is not accepted, as far as that is known */
  #reason: NotPublishedReason | 'no-answer' | undefined = undefined;

  constructor(submit: Submit, listener: SubmitListener, context: AttemptContext) {
    super();
    const { idempotencyKey: key, principal, now } = submit;
    const { store, fillRandomly } = context;
    this.#submit = submit;
    this.#listener = listener;
    this.#context = context;
    this.id = key === undefined ? newSubmissionId(now, fillRandomly) : submissionIdOf(key, principal);
    if (key !== undefined) {
      const owner = store.sync ? String((context.owners += 1)) : newSubmissionId(now, fillRandomly);
      this.#claim = { id: this.id, fingerprint: fingerprintOfSubmit(submit), owner, principal, slot: -1 };
    }
    this.#number = numberOf(submit, this.id, this.#claim?.owner ?? this.id);
    if (this.#claim) this.#state = 'claiming';
    else this.#state = this.#number || submit.order?.before ? 'numbering' : 'sending';
  }

  get principal(): string | undefined {
    return this.#submit.principal;
  }

  start(): void {
    this.#context.inFlight.add(this);
    this.#enter();
  }

  expire(): void {
    if (this.#pending?.withdraw()) return;
    // What Kafka failed with is counted with the answer.
    if (!isOfKafka(this.#reason)) this.#count(WAITS_FOR[this.#state]);
    this.#happen('deadline');
  }

  settled(outcome: RecordOutcome): void {
    if (outcome.outcome === 'accepted')
      this.#accepted = acceptedSubmission(this.id, this.#submit.submission.operations, outcome);
    else this.#reason = outcome.reason;
    if (this.#recorded) this.#recorded(outcome.outcome);
    else this.#happen(outcome.outcome);
  }

  #happen(event: SubmissionEvent): void {
    const next = transition(this.#state, event, this.#isAfterUnknown);
    if (next.to === this.#state) return this.#answer(next.answer!);
    this.#state = next.to;
    if (next.answer) this.#end = next;
    this.#enter();
  }

  #enter(): void {
    try {
      const asked = this.#ask();
      if (typeof asked === 'string') this.#happen(asked);
      else
        asked?.then(
          (event) => this.#happen(event),
          (error: unknown) => this.#fail(error),
        );
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Asks for what the state waits for. undefined: the log calls back, or it has ended */
  #ask(): SubmissionEvent | Promise<SubmissionEvent> | undefined {
    const state = this.#state;
    if (state === 'claiming') return this.#claimKey(this.#claim!);
    if (state === 'reclaiming') return this.#claimKey({ ...this.#claim!, isAbsent: true });
    if (state === 'searching' || state === 'verifying') return this.#search(this.#claim!);
    if (state === 'numbering') return this.#number ? this.#takeNumber(this.#number) : 'taken';
    if (state === 'waiting') return this.#wait(this.#submit.order?.before);
    if (state === 'sending') return this.#send();
    if (state === 'settling') return this.#settle(this.#end!.settle!);
    this.#context.inFlight.remove(this);
    this.#answer(this.#end!.answer!);
    return undefined;
  }

  #claimKey(claim: SyncKeyClaim): SubmissionEvent | Promise<SubmissionEvent> {
    const { store } = this.#context;
    if (store.sync) return this.#claimed(store.sync.claim(claim));
    return store.claim(claim).then(
      (claimed) => this.#claimed(claimed),
      (error: unknown) => this.#unavailable(error),
    );
  }

  #claimed(claimed: Claim): SubmissionEvent {
    if (claimed.state === 'accepted') this.#accepted = claimed.answer;
    if (claimed.state === 'unknown') this.#earlier = claimed;
    if (claimed.state !== 'claimed') return claimed.state;
    this.#isAfterUnknown = claimed.outcomeUnknown;
    return this.#context.isPerhapsForgotten(this.#submit.now) ? 'perhaps-forgotten' : 'claimed';
  }

  #unavailable(error: unknown): SubmissionEvent {
    if (!(error instanceof StoreUnavailable)) throw error;
    this.#count('key-store');
    return 'store-unavailable';
  }

  async #search(claim: SyncKeyClaim): Promise<SubmissionEvent> {
    const { event, answer, cause } = await this.#context.lookUpKey(claim, this.#submit.now, this.#earlier);
    this.#accepted = answer;
    this.#count(cause);
    return event;
  }

  async #takeNumber(number: SequenceClaim): Promise<SubmissionEvent> {
    try {
      this.#denied = await this.#context.takeNumber(number, this.principal);
      return this.#denied?.outcome ?? 'taken';
    } catch (error) {
      return this.#unavailable(error);
    }
  }

  #wait(before: Promise<QueueResult> | undefined): SubmissionEvent | Promise<SubmissionEvent> {
    if (before) return before.then((result) => this.#follow(result));
    return this.#follow('queued');
  }

  #follow(before: QueueResult): SubmissionEvent {
    if (before === 'refused') this.#reason = 'queue-full';
    // In a process that did not run for a while, the lease of the claim may be over: another request may have the key now.
    else if (this.#leftMs() <= 0) return 'late';
    return before;
  }

  #leftMs(): number {
    return this.endsAt - this.#context.timers.now();
  }

  #send(): Promise<SubmissionEvent> | undefined {
    const { log, store, deadlineMs } = this.#context;
    const { submission, clients, order } = this.#submit;
    let event: Promise<SubmissionEvent> | undefined;
    // Where the store answers later, its span is part of the request's trace only behind a promise: the log calls back from its connection.
    if (this.#number || (this.#claim && !store.sync))
      event = new Promise((resolve) => (this.#recorded = resolve));
    const waitMs = this.#claim || this.#number ? this.#leftMs() : deadlineMs;
    const record = (this.#submit.toRecord ?? toRecord)(this.id, submission, this.#submit);
    this.#pending = log.append(record, this, waitMs, clients);
    if (!this.#reason) order?.over('queued');
    return event;
  }

  #settle({ key, number }: Settlement): SubmissionEvent | Promise<SubmissionEvent> {
    const { sync, settle, sequences } = this.#context.store;
    const ofKey = this.#claim && (sync?.settle ?? settle)(this.#claim, this.#outcome(key));
    const ofNumber = number && this.#number && sequences.settle(this.#number, number);
    return ofKey || ofNumber ? Promise.all([ofKey, ofNumber]).then(() => 'settled') : 'settled';
  }

  #outcome(outcome: KeyOutcome['outcome']): KeyOutcome {
    if (outcome === 'accepted') return { outcome, answer: this.#accepted! };
    return outcome === 'unknown' ? { outcome } : this.#notPublished();
  }

  #notPublished(): Extract<KeyOutcome, { outcome: 'not-published' }> {
    return {
      outcome: 'not-published',
      reason: (this.#reason as NotPublishedReason | undefined) ?? 'withdrawn',
    };
  }

  /** Counts a failure that its client sees: after the deadline it has been counted. */
  #count(cause: Cause | undefined): void {
    if (cause && this.#listener) this.#context.outcomes?.failed(cause);
  }

  #answer(answer: Answer): void {
    if (answer !== 'accepted' && isOfKafka(this.#reason)) this.#count('kafka');
    const listener = this.#leave();
    if (!listener) return;
    if (answer === 'accepted') this.#context.outcomes?.accepted();
    listener.resolved(this.#resultOf(answer));
  }

  #resultOf(answer: Answer): SubmitResult {
    if (answer === 'accepted' || answer === 'replayed')
      return { outcome: 'accepted', answer: this.#accepted!, replayed: answer === 'replayed' };
    if (answer === 'not-published') return this.#notPublished();
    if (answer === 'out-of-sequence') return this.#denied!;
    if (answer === 'perhaps-out-of-sequence') return { ...this.#denied!, perhapsAs: this.id };
    if (answer === 'key-reused') return { outcome: answer, submissionId: this.id };
    return { outcome: 'unknown', reason: answer, submissionId: this.id };
  }

  /** For a mistake of ours. A key that is claimed stays so until its lease ends. */
  #fail(error: unknown): void {
    this.#context.inFlight.remove(this);
    this.#leave()?.failed(error);
  }

  #leave(): SubmitListener | undefined {
    const listener = this.#listener;
    this.#listener = undefined;
    return listener;
  }
}
