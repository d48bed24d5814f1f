import type { RecordOutcome } from '@workspace/schemas';
import type { AppendListener, LogRecord, PendingAppend } from '../record.ts';
import { BATCH_OVERHEAD } from '../wire/record-batch.ts';
import type { QueueDepth } from './queue-depth.ts';

const WITHDRAWN: RecordOutcome = { outcome: 'not-published', reason: 'withdrawn' };

/** A record on its way, and its listener. */
export class QueuedRecord implements PendingAppend {
  readonly record: LogRecord;
  /** what it was entered with into the queue's depth */
  readonly bytes: number;
  /** by the monotonic clock, when it may be sent for the first time at the latest */
  readonly sendBefore: number;
  readonly #listener: AppendListener;
  readonly #depth: QueueDepth;
  state: 'waiting' | 'taken' | 'settled' = 'waiting';
  /** its batch was too large: it goes by itself */
  isAlone = false;
  /** its caller stopped waiting while it was on its way: once it is put back, it is not sent again */
  isAbandoned = false;

  constructor(
    record: LogRecord,
    bytes: number,
    listener: AppendListener,
    sendBefore: number,
    depth: QueueDepth,
  ) {
    this.record = record;
    this.bytes = bytes;
    this.sendBefore = sendBefore;
    this.#listener = listener;
    this.#depth = depth;
  }

  settle(outcome: RecordOutcome): void {
    this.state = 'settled';
    this.#depth.leave(this.bytes);
    this.#listener.settled(outcome);
  }

  withdraw(): boolean {
    this.isAbandoned = true;
    if (this.state !== 'waiting') return false;
    this.settle(WITHDRAWN);
    return true;
  }
}

export interface BatchLimits {
  /** most records in one batch */
  batchRecords: number;
  /** most bytes in one batch; a single record may exceed it */
  batchBytes: number;
}

/** The records of one partition that wait for their batch. */
export class RecordQueue {
  readonly #depth: QueueDepth;
  readonly #limits: BatchLimits;
  #waiting: QueuedRecord[] = [];

  constructor(depth: QueueDepth, limits: BatchLimits) {
    this.#depth = depth;
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /**
   * @param bytes what the record was entered with into the queue's depth
   * @param sendBefore by the monotonic clock, when it may be sent for the first time at the latest
   */
  append(record: LogRecord, bytes: number, listener: AppendListener, sendBefore: number): PendingAppend {
    const added = new QueuedRecord(record, bytes, listener, sendBefore, this.#depth);
    this.#waiting.push(added);
    return added;
  }

  /**
   * Takes the records of the next batch, in order; none when all were withdrawn. Those whose time is over are withdrawn: in a
   * process that did not run for a while, no other code may have had the time.
   *
   * @param now of the monotonic clock
   * @param mostBytes that their batch should have
   */
  take(now: number, mostBytes = Infinity): QueuedRecord[] {
    const { batchRecords } = this.#limits;
    const batchBytes = Math.min(this.#limits.batchBytes, mostBytes);
    const taken: QueuedRecord[] = [];
    let size = BATCH_OVERHEAD;
    let index = 0;
    for (; index < this.#waiting.length && taken.length < batchRecords; index += 1) {
      const one = this.#waiting[index]!;
      if (one.state !== 'waiting') continue;
      if (one.sendBefore <= now) {
        one.withdraw();
        continue;
      }
      size += one.bytes;
      if (taken.length > 0 && (size > batchBytes || one.isAlone || taken[0]!.isAlone)) break;
      one.state = 'taken';
      taken.push(one);
    }
    this.#waiting = this.#waiting.slice(index);
    return taken;
  }

  /** Puts records back that are certainly not in the log, before all others. */
  putBack(records: readonly QueuedRecord[], isAlone: boolean): void {
    const kept: QueuedRecord[] = [];
    for (const one of records) {
      if (one.isAbandoned) {
        one.settle(WITHDRAWN);
        continue;
      }
      one.state = 'waiting';
      one.isAlone = isAlone;
      kept.push(one);
    }
    this.#waiting = [...kept, ...this.#waiting];
  }

  /** Settles everything that waits. */
  settleWaiting(outcome: RecordOutcome): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const one of waiting) if (one.state === 'waiting') one.settle(outcome);
  }
}
