import type { AppendListener, LogRecord, PendingAppend, RecordOutcome } from '@workspace/schemas';
import { detach } from '../wire/detach.ts';
import { errorOfCode } from '../wire/kafkajs-protocol.ts';
import type { PartitionResponse } from '../wire/produce-request.ts';
import type { ProducerIdentity } from '../wire/record-batch.ts';
import { type Batch, batchOf } from './batch.ts';
import type { PartitionLeader } from './partition-leader.ts';
import type { ProduceObserver } from './produce-observer.ts';
import { meaningOf } from './produce-errors.ts';
import type { QueueDepth } from './queue-depth.ts';
import { type BatchLimits, type QueuedRecord, RecordQueue } from './record-queue.ts';
import { type Action, type Event, eventOf, type State, transition } from './transitions.ts';
import { Trouble } from './trouble.ts';

export interface PartitionProducerOptions {
  topic: string;
  partition: number;
  leader: PartitionLeader;
  depth: QueueDepth;
  limits: BatchLimits;
  /** milliseconds for the first attempt to be answered */
  requestTimeoutMs: number;
  /** milliseconds after which a batch that may be in the log is no longer sent again */
  deliveryTimeoutMs: number;
  observer: Omit<ProduceObserver, 'throttled'>;
  /** milliseconds, monotonic */
  now: () => number;
  /** milliseconds since 1970 */
  timestamp: () => number;
  /** Waits before the next attempt; returns at once while the producer is being closed. */
  pause: (milliseconds: number) => Promise<void>;
  /** Runs a task once the batches of this iteration of the event loop are written. */
  afterWriting: (task: () => void) => void;
  /** the first sequence number of a producer id; not 0 only in tests */
  firstSequence?: number | undefined;
}

const SEQUENCES = 2 ** 31;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;
/** A batch that timed out is given longer each time, or a slow broker could never answer it. */
const LONGEST_TIMEOUT_FACTOR = 8;
/** Requests that may time out, one after the other, before waiting records are no longer kept waiting. */
export const TIMEOUTS_BEFORE_REJECTION = 2;
/** How often a leader is tried before it counts as not reached. */
const FAILURES_OF_A_START = 2;
const UNAVAILABLE: RecordOutcome = { outcome: 'not-published', reason: 'log-unavailable' };
const TOO_LARGE: RecordOutcome = { outcome: 'not-published', reason: 'record-too-large' };
const CLOSED: RecordOutcome = { outcome: 'not-published', reason: 'closed' };
const UNKNOWN: RecordOutcome = { outcome: 'unknown', reason: 'no-answer' };

/**
 * Sends the records of one partition to its leader, one batch at a time, for as long as that takes, and rejects those
 * that have waited too long for a leader that cannot be reached, does not answer, or does not take them.
 *
 * A batch keeps its bytes, and with them its producer id, epoch and sequence number, until its outcome is known, so that
 * it can be sent again after any failure: the broker appends it once (KIP-98). Only then come the next records, with the
 * next numbers. `transitions.ts` is the whole of its logic; here is what its states and actions mean.
 */
export class PartitionProducer {
  readonly #options: PartitionProducerOptions;
  readonly #queue: RecordQueue;
  /** milliseconds without an answer after which waiting records are rejected and new ones not taken */
  readonly #holdMs: number;
  #state: State = 'connecting';
  #trouble: Trouble | undefined = new Trouble('outage', 'connecting', -Infinity);
  /** attempts that failed since the last success */
  #failures = 0;
  /** in the states `sending` and `resending` */
  #batch: Batch | undefined;
  /** in the state `resending`: since when its answer is waited for, without the time in which this process did not run */
  #unansweredSince = 0;
  #identity: ProducerIdentity | undefined;
  #rejectedIdentity: ProducerIdentity | undefined;
  #sequence: number;
  /** offset after the last acknowledged record */
  #end = 0;
  #isStopping = false;
  #wake: () => void = () => undefined;
  #onTried: () => void = () => undefined;
  /** resolves when the leader was reached, or could not be reached */
  readonly tried = new Promise<void>((resolve) => (this.#onTried = resolve));
  readonly #running: Promise<void>;

  constructor(options: PartitionProducerOptions) {
    this.#options = options;
    this.#queue = new RecordQueue(options.depth, options.limits);
    this.#holdMs = TIMEOUTS_BEFORE_REJECTION * options.requestTimeoutMs;
    this.#sequence = this.#options.firstSequence ?? 0;
    this.#running = this.#run();
  }

  /**
   * @param bytes what the record was entered with into the queue's depth
   * @param sendBefore by the monotonic clock, when it may be sent for the first time at the latest
   */
  append(record: LogRecord, bytes: number, listener: AppendListener, sendBefore: number): PendingAppend {
    const pending = this.#queue.append(record, bytes, listener, sendBefore);
    if (this.#isStopping) this.#queue.settleWaiting(CLOSED);
    else if (this.#isUnavailable) this.#queue.settleWaiting(UNAVAILABLE);
    else this.#wake();
    return pending;
  }

  /** why records are not taken, or were rejected a moment ago; not while they wait for a leader that moves */
  get error(): unknown {
    const trouble = this.#trouble;
    if (!trouble) return undefined;
    if (trouble.cause === 'outage') return this.#isUnavailable ? trouble.error : undefined;
    return trouble.countsAsRejection(this.#holdMs, this.#options.now()) ? trouble.error : undefined;
  }

  /** whether `error` is what the leader answered to the last records, and not an outage */
  get isRejecting(): boolean {
    return this.#trouble?.cause === 'rejection';
  }

  /** Gives up what has no answer yet; resolves when nothing runs any more. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wake();
    await this.#running;
  }

  #ageOf(time: number): number {
    return this.#options.now() - time;
  }

  /** Whether records have waited so long for the leader that no more of them may wait. */
  get #isUnavailable(): boolean {
    if (this.#state === 'resending') return this.#ageOf(this.#unansweredSince) >= this.#holdMs;
    return this.#state === 'connecting' && this.#trouble!.hasLasted(this.#holdMs, this.#options.now());
  }

  get #hasExpired(): boolean {
    return this.#batch !== undefined && this.#ageOf(this.#batch.writtenAt) >= this.#options.deliveryTimeoutMs;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      if (!(await this.#attempt()) && !this.#isStopping) {
        this.#rejectOverdue();
        await this.#recover();
      }
      if (this.#isStopping || this.#state !== 'ready' || !this.#queue.isEmpty) continue;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    this.#on('stop');
    this.#queue.settleWaiting(CLOSED);
  }

  /** One try. @returns whether the next may follow at once */
  async #attempt(): Promise<boolean> {
    const { leader, requestTimeoutMs } = this.#options;
    let isWritten = false;
    const write = (mostBytes: number, isOfSmall: boolean): Buffer | undefined => {
      if (this.#isStopping || this.#hasExpired) return undefined;
      this.#batch ??= this.#cut(mostBytes, isOfSmall);
      if (!this.#batch) return undefined;
      this.#on('written');
      isWritten = true;
      return this.#batch.bytes;
    };
    let response: PartitionResponse | undefined;
    try {
      await leader.connect();
      this.#identity ??= await leader.identity(this.#rejectedIdentity);
      this.#on('reached');
      this.#onTried();
      if (this.#state === 'ready' && this.#queue.isEmpty) return true;
      const factor = Math.min(2 ** this.#failures, LONGEST_TIMEOUT_FACTOR);
      response = await leader.produce(write, requestTimeoutMs * factor, () => this.#queue.hasLarge);
    } catch (error) {
      this.#setTrouble('outage', error);
      if (isWritten) this.#observeSent(error);
      this.#on(isWritten ? 'unanswered' : 'unreachable');
      // A broker that has just started answers COORDINATOR_LOAD_IN_PROGRESS for a moment.
      if (this.#failures >= FAILURES_OF_A_START) this.#onTried();
      return false;
    }
    return response ? this.#onResponse(response) : this.#state === 'ready';
  }

  async #recover(): Promise<void> {
    const { leader, pause } = this.#options;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
    this.#failures += 1;
    await Promise.all([leader.refresh(), pause(pauseMs)]);
  }

  /** Gives up what has waited too long for the leader's answer. */
  #rejectOverdue(): void {
    if (this.#state === 'resending' && this.#hasExpired) this.#on('expired');
    if (this.#isUnavailable) this.#queue.settleWaiting(UNAVAILABLE);
  }

  /** The broker has answered the batch that was written. @returns whether the next may follow at once */
  #onResponse(response: PartitionResponse): boolean {
    const { errorCode, baseOffset } = response;
    const event = eventOf(response, this.#batch!.records.length);
    if (event === 'appended') {
      this.#trouble = undefined;
      this.#failures = 0;
      this.#observeSent();
      this.#on(event, baseOffset);
      return true;
    }
    const error = errorOfCode(errorCode);
    this.#observeSent(error);
    const action = this.#on(event);
    // It is the records' fault and not the leader's.
    if (action === 'split') return true;
    this.#setTrouble('rejection', error, action === 'reject');
    const isLasting = this.#trouble!.hasLasted(this.#holdMs, this.#options.now());
    if ((action === 'requeue' || action === 'renumber') && isLasting) this.#queue.settleWaiting(UNAVAILABLE);
    const isOfRecord = meaningOf(errorCode) === 'invalid-records';
    return this.#state === 'ready' && (this.#queue.isEmpty || isOfRecord);
  }

  #setTrouble(cause: Trouble['cause'], error: unknown, isFinal = false): void {
    this.#trouble = new Trouble(cause, error, this.#options.now(), this.#trouble, isFinal);
  }

  /** Makes a transition. @param baseOffset offset of the batch, with `appended` @returns what was done with the batch */
  #on(event: Event, baseOffset = -1): Action | undefined {
    const { to, action } = transition(this.#state, event);
    if (this.#state === 'connecting' && to === 'ready') {
      this.#trouble = undefined;
      this.#failures = 0;
    }
    if (this.#state === 'sending' && to === 'resending') {
      const { now, requestTimeoutMs } = this.#options;
      this.#unansweredSince = Math.max(this.#batch!.writtenAt, now() - requestTimeoutMs);
    }
    this.#state = to;
    if (action) this.#act(action, baseOffset);
    return action;
  }

  #act(action: Action, baseOffset: number): void {
    const { records, bytes, sequence } = this.#batch!;
    this.#batch = undefined;
    if (action === 'accept') {
      detach(bytes);
      this.#sequence = (sequence + records.length) % SEQUENCES;
      this.#accept(records, baseOffset);
    } else if (action === 'reject') {
      this.#settle(records, UNAVAILABLE);
      this.#queue.settleBehind(records, UNAVAILABLE);
    } else if (action === 'split' && records.length === 1) this.#settle(records, TOO_LARGE);
    else if (action === 'give-up') this.#settle(records, UNKNOWN);
    else this.#queue.putBack(records, action === 'split');
    if (action === 'give-up' || action === 'renumber') this.#renewIdentity();
  }

  #accept(records: readonly QueuedRecord[], baseOffset: number): void {
    const { topic, partition, observer, afterWriting } = this.#options;
    if (baseOffset < this.#end) observer.acknowledgedLost(this.#end - baseOffset, baseOffset);
    this.#end = baseOffset + records.length;
    const settle = (): void => {
      for (let index = 0; index < records.length; index += 1) {
        records[index]!.settle({ outcome: 'accepted', topic, partition, offset: baseOffset + index });
      }
    };
    // The broker works on the next batch while these are answered.
    if (this.#queue.isEmpty) settle();
    else afterWriting(settle);
    observer.settled('accepted', records.length);
  }

  #settle(records: readonly QueuedRecord[], outcome: RecordOutcome): void {
    for (const one of records) one.settle(outcome);
    this.#options.observer.settled(outcome.outcome, records.length);
  }

  #renewIdentity(): void {
    this.#rejectedIdentity = this.#identity;
    this.#identity = undefined;
    this.#sequence = this.#options.firstSequence ?? 0;
    this.#options.observer.producerIdRenewed();
  }

  /** The next batch; undefined when nothing waits. */
  #cut(mostBytes: number, isOfSmall: boolean): Batch | undefined {
    const { now, timestamp } = this.#options;
    const writtenAt = now();
    const queued = this.#queue.take(writtenAt, mostBytes, isOfSmall);
    if (queued.length === 0) return undefined;
    return batchOf(queued, this.#identity!, this.#sequence, writtenAt, timestamp());
  }

  #observeSent(error?: unknown): void {
    const { records, writtenAt } = this.#batch!;
    const milliseconds = this.#ageOf(writtenAt);
    const attempt = { records: records.length, milliseconds };
    this.#options.observer.sent(error === undefined ? attempt : { ...attempt, error });
  }
}
