import type { AppendListener, LogRecord, PendingAppend, RecordOutcome } from '@workspace/schemas';
import { BATCH_OVERHEAD } from '../wire/record-batch.ts';
import type { QueueDepth } from './queue-depth.ts';

const WITHDRAWN: RecordOutcome = { outcome: 'not-published', reason: 'withdrawn' };
/** Larger records may be overtaken: what 64 clients send that is not larger fits into one batch or two. */
const LARGE_BYTES = 16_384;

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
  /** whether smaller records overtake it */
  readonly isLarge: boolean;
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
    this.isLarge = bytes > LARGE_BYTES;
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

/** Whether it may be sent; it is withdrawn when its time is over. */
const isWaiting = (one: QueuedRecord, now: number): boolean => {
  if (one.state === 'waiting' && one.sendBefore <= now) one.withdraw();
  return one.state === 'waiting';
};

/** The records of a batch, while they are taken. */
class BatchOfRecords {
  readonly records: QueuedRecord[] = [];
  readonly #mostRecords: number;
  readonly #mostBytes: number;
  #bytes = BATCH_OVERHEAD;

  constructor(mostRecords: number, mostBytes: number) {
    this.#mostRecords = mostRecords;
    this.#mostBytes = mostBytes;
  }

  /** @returns whether it has room for it; the first always has */
  add(one: QueuedRecord): boolean {
    const [first] = this.records;
    if (first && (one.isAlone || first.isAlone)) return false;
    if (first && this.#bytes + one.bytes > this.#mostBytes) return false;
    if (this.records.length >= this.#mostRecords) return false;
    this.#bytes += one.bytes;
    one.state = 'taken';
    this.records.push(one);
    return true;
  }
}

/** The records of one partition that wait for their batch, in order of arrival. Records of one key stay in order. */
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

  /** whether large records wait */
  get hasLarge(): boolean {
    return this.#waiting.some(({ isLarge }) => isLarge);
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
   * Takes the records of the next batch; none when all were withdrawn. Those whose time is over are withdrawn: in a process
   * that did not run for a while, no other code may have had the time.
   *
   * @param now of the monotonic clock
   * @param mostBytes that their batch should have
   * @param isOfSmall whether large ones stay behind, overtaken by small ones
   */
  take(now: number, mostBytes = Infinity, isOfSmall = false): QueuedRecord[] {
    const batchBytes = Math.min(this.#limits.batchBytes, mostBytes);
    return isOfSmall && this.hasLarge ? this.#takeSmall(now, batchBytes) : this.#takeInOrder(now, batchBytes);
  }

  #takeInOrder(now: number, batchBytes: number): QueuedRecord[] {
    const batch = new BatchOfRecords(this.#limits.batchRecords, batchBytes);
    let index = 0;
    for (; index < this.#waiting.length; index += 1) {
      const one = this.#waiting[index]!;
      if (isWaiting(one, now) && !batch.add(one)) break;
    }
    this.#waiting = this.#waiting.slice(index);
    return batch.records;
  }

  /** Leaves large ones, and what must stay behind them. */
  #takeSmall(now: number, batchBytes: number): QueuedRecord[] {
    const batch = new BatchOfRecords(this.#limits.batchRecords, batchBytes);
    const left: QueuedRecord[] = [];
    const keys = new Set<string>();
    let index = 0;
    for (; index < this.#waiting.length; index += 1) {
      const one = this.#waiting[index]!;
      const { key } = one.record;
      if (one.isLarge || one.isAlone || keys.has(key)) {
        left.push(one);
        keys.add(key);
      } else if (isWaiting(one, now) && !batch.add(one)) break;
    }
    this.#waiting = left.concat(this.#waiting.slice(index));
    return batch.records;
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
    this.#settle(outcome, () => true);
  }

  /** Settles what waits with a key of these records, which may be sent again: it must not overtake them. */
  settleBehind(records: readonly QueuedRecord[], outcome: RecordOutcome): void {
    const keys = new Set(records.map(({ record }) => record.key));
    this.#settle(outcome, ({ record }) => keys.has(record.key));
  }

  #settle(outcome: RecordOutcome, isMeant: (one: QueuedRecord) => boolean): void {
    const settled = this.#waiting.filter(isMeant);
    this.#waiting = this.#waiting.filter((one) => !isMeant(one));
    for (const one of settled) if (one.state === 'waiting') one.settle(outcome);
  }
}
