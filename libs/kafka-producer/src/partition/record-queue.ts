import {
  AppendError,
  type AppendListener,
  type LogRecord,
  type PendingAppend,
  type Receipt,
} from '../record.ts';
import type { QueueDepth } from './queue-depth.ts';
import { BATCH_OVERHEAD } from '../wire/record-batch.ts';

/** A record on its way, and whom to tell. */
export class QueuedRecord implements PendingAppend {
  readonly record: LogRecord;
  /** what it was entered with into the queue's depth */
  readonly bytes: number;
  readonly #listener: AppendListener;
  readonly #depth: QueueDepth;
  state: 'waiting' | 'taken' | 'settled' = 'waiting';
  /** was too large in company: goes by itself */
  isAlone = false;
  /** its caller stopped waiting while it was on its way: once it is put back, it is not sent again */
  isAbandoned = false;

  constructor(record: LogRecord, bytes: number, listener: AppendListener, depth: QueueDepth) {
    this.record = record;
    this.bytes = bytes;
    this.#listener = listener;
    this.#depth = depth;
  }

  acknowledge(receipt: Receipt): void {
    this.#settle();
    this.#listener.acknowledged(receipt);
  }

  reject(error: AppendError): void {
    this.#settle();
    this.#listener.failed(error);
  }

  withdraw(): boolean {
    this.isAbandoned = true;
    if (this.state !== 'waiting') return false;
    this.reject(withdrawn());
    return true;
  }

  #settle(): void {
    this.state = 'settled';
    this.#depth.leave(this.bytes);
  }
}

const withdrawn = (): AppendError => new AppendError('withdrawn', 'not-published');

export interface BatchLimits {
  /** most records in one batch */
  batchRecords: number;
  /** most bytes in one batch; a single record may exceed it */
  batchBytes: number;
}

/** The records of one partition that wait for their batch. */
export interface RecordQueue {
  readonly isEmpty: boolean;
  /** whether the next record goes by itself */
  readonly isNextAlone: boolean;
  /** @param bytes what the record was entered with into the queue's depth */
  append(record: LogRecord, bytes: number, listener: AppendListener): PendingAppend;
  /** Takes the records of the next batch, in order; none when all were withdrawn. */
  take(): QueuedRecord[];
  /** Puts records back that are certainly not in the log, before all others. */
  putBack(records: readonly QueuedRecord[], isAlone: boolean): void;
  acknowledge(records: readonly QueuedRecord[], receiptOf: (index: number) => Receipt): void;
  reject(records: readonly QueuedRecord[], error: () => AppendError): void;
  rejectWaiting(error: () => AppendError): void;
}

export const createRecordQueue = (depth: QueueDepth, limits: BatchLimits): RecordQueue => {
  let waiting: QueuedRecord[] = [];

  const reject: RecordQueue['reject'] = (records, error) => {
    for (const one of records) if (one.state !== 'settled') one.reject(error());
  };

  return {
    get isEmpty() {
      return waiting.length === 0;
    },
    get isNextAlone() {
      return waiting[0]?.isAlone ?? false;
    },
    append: (record, bytes, listener) => {
      const added = new QueuedRecord(record, bytes, listener, depth);
      waiting.push(added);
      return added;
    },
    take: () => {
      const taken: QueuedRecord[] = [];
      let size = BATCH_OVERHEAD;
      let index = 0;
      for (; index < waiting.length && taken.length < limits.batchRecords; index += 1) {
        const one = waiting[index]!;
        if (one.state !== 'waiting') continue;
        size += one.bytes;
        if (taken.length > 0 && (size > limits.batchBytes || one.isAlone || taken[0]!.isAlone)) break;
        one.state = 'taken';
        taken.push(one);
      }
      waiting = waiting.slice(index);
      return taken;
    },
    putBack: (records, isAlone) => {
      reject(
        records.filter(({ isAbandoned }) => isAbandoned),
        withdrawn,
      );
      const kept = records.filter(({ state }) => state !== 'settled');
      for (const one of kept) {
        one.state = 'waiting';
        one.isAlone = isAlone;
      }
      waiting = [...kept, ...waiting];
    },
    acknowledge: (records, receiptOf) => {
      for (let index = 0; index < records.length; index += 1) {
        records[index]!.acknowledge(receiptOf(index));
      }
    },
    reject,
    rejectWaiting: (error) => {
      const rejected = waiting;
      waiting = [];
      reject(rejected, error);
    },
  };
};
