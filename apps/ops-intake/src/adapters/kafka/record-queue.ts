import {
  AppendError,
  type LogRecord,
  type PendingAppend,
  type Receipt,
} from '../../application/operation-log.ts';
import type { QueueDepth } from './queue-depth.ts';
import { BATCH_OVERHEAD } from './protocol/record-batch.ts';

/** A record on its way, and whom to tell. */
export interface QueuedRecord {
  readonly record: LogRecord;
  readonly bytes: number;
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: AppendError) => void;
  state: 'waiting' | 'taken' | 'settled';
  /** was too large in company: goes by itself */
  isAlone: boolean;
  /** its caller stopped waiting while it was on its way: once it is put back, it is not sent again */
  isAbandoned: boolean;
}

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
  append(record: LogRecord, bytes: number): PendingAppend;
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

  const leave = (one: QueuedRecord): void => {
    one.state = 'settled';
    depth.leave(one.bytes);
  };
  const reject: RecordQueue['reject'] = (records, error) => {
    for (const one of records) {
      if (one.state === 'settled') continue;
      leave(one);
      one.reject(error());
    }
  };
  const withdrawn = (): AppendError => new AppendError('withdrawn', 'not-published');

  return {
    get isEmpty() {
      return waiting.length === 0;
    },
    get isNextAlone() {
      return waiting[0]?.isAlone ?? false;
    },
    append: (record, bytes) => {
      let added: QueuedRecord | undefined;
      const settled = new Promise<Receipt>((resolve, rejectPromise) => {
        const fields = { state: 'waiting', isAlone: false, isAbandoned: false } as const;
        added = { record, bytes, resolve, reject: rejectPromise, ...fields };
        waiting.push(added);
      });
      const withdraw = (): boolean => {
        const one = added as QueuedRecord;
        one.isAbandoned = true;
        if (one.state !== 'waiting') return false;
        reject([one], withdrawn);
        return true;
      };
      return { settled, withdraw };
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
        leave(records[index]!);
        records[index]!.resolve(receiptOf(index));
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
