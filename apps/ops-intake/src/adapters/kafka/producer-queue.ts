import {
  AppendError,
  type PendingAppend,
  type LogRecord,
  type Receipt,
} from '../../application/operation-log.ts';

/** A record with the partition it belongs to. */
export interface PartitionedRecord {
  readonly record: LogRecord;
  readonly partition: number;
}

/** What became of one record of a batch: where it is, or why it is not known to be in the log. */
export type AppendResult = Receipt | AppendError;

export interface ProducerQueueOptions {
  /**
   * Sends one batch, all of one leader, and reports on each record in the same order. Never rejects, is never called
   * before the last call has settled, and is never given up: only so can an idempotent producer keep its promise.
   */
  send(batch: readonly PartitionedRecord[]): Promise<readonly AppendResult[]>;
  /** The broker that leads a partition now; one batch goes to one leader, so that one failure is one failure. */
  leaderOf(partition: number): number;
  limits: QueueLimits;
}

export interface QueueLimits {
  /** most records that wait or are being sent */
  queueRecords: number;
  /** most bytes that wait or are being sent */
  queueBytes: number;
  /** most records in one batch */
  batchRecords: number;
  /** most bytes of one partition in one batch; a single record may exceed it */
  batchBytes: number;
}

export interface ProducerQueue {
  append(routed: PartitionedRecord): PendingAppend;
  /** Batches are sent from now on. */
  resume(): void;
  /** Records wait for `resume` or `fail`. */
  pause(): void;
  /** Rejects what waits, and whatever comes until `resume`: `log-unavailable`, `not-published`. */
  fail(cause: unknown): void;
  /** Rejects new records; resolves when nothing waits or is being sent any more. */
  drain(): Promise<void>;
  /** whether a record of any size would be rejected for want of room */
  isFull(): boolean;
  readonly depth: { records: number; bytes: number };
}

/** Bytes a record takes besides its value: key, headers, framing; measured at 430, rounded up. */
const RECORD_OVERHEAD = 512;

interface Entry {
  readonly routed: PartitionedRecord;
  readonly bytes: number;
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: AppendError) => void;
  state: 'waiting' | 'sent' | 'done';
  /** rejected as too large together with others: sent again on its own */
  alone: boolean;
  /** its caller stopped waiting while it was out: not sent a second time */
  abandoned: boolean;
}

/**
 * A queue in front of an idempotent producer, with one batch in flight at a time. Idle, a record is sent at once; while
 * one batch is in flight the next collects. kafkajs loses acknowledged messages when idempotent sends overlap, and one
 * batch at a time is faster than many sends (README, "Why a producer queue").
 */
export const createProducerQueue = ({ send, leaderOf, limits }: ProducerQueueOptions): ProducerQueue => {
  let waiting: Entry[] = [];
  const depth = { records: 0, bytes: 0 };
  let state: 'running' | 'paused' | 'failed' = 'failed';
  let failedBy: unknown;
  let closing = false;
  let flushing = false;
  let emptied: (() => void)[] = [];

  const finish = (entry: Entry, result: AppendResult): void => {
    entry.state = 'done';
    depth.records -= 1;
    depth.bytes -= entry.bytes;
    if (result instanceof AppendError) entry.reject(result);
    else entry.resolve(result);
    if (depth.records > 0) return;
    for (const tell of emptied) tell();
    emptied = [];
  };

  /** Takes the next batch off the queue: in order, of one leader, within the limits. */
  const takeBatch = (): Entry[] => {
    const batch: Entry[] = [];
    const rest: Entry[] = [];
    const bytesOf = new Map<number, number>();
    let leader: number | undefined;
    for (const entry of waiting) {
      if (entry.state !== 'waiting') continue;
      const { partition } = entry.routed;
      const bytes = (bytesOf.get(partition) ?? 0) + entry.bytes;
      const fits =
        batch.length === 0 ||
        (batch.length < limits.batchRecords &&
          !entry.alone &&
          !batch[0]?.alone &&
          bytes <= limits.batchBytes &&
          leaderOf(partition) === leader);
      if (!fits) {
        rest.push(entry);
        continue;
      }
      leader ??= leaderOf(partition);
      bytesOf.set(partition, bytes);
      entry.state = 'sent';
      batch.push(entry);
    }
    waiting = rest;
    return batch;
  };

  /** The broker rejected a whole batch for its size; each record is judged on its own. */
  const goesAlone = (entry: Entry, result: AppendResult, batch: readonly Entry[]): boolean =>
    result instanceof AppendError &&
    result.failure === 'record-too-large' &&
    batch.some((other) => other !== entry && other.routed.partition === entry.routed.partition);

  const flush = async (): Promise<void> => {
    if (flushing) return;
    flushing = true;
    while (state === 'running' && waiting.length > 0) {
      const batch = takeBatch();
      if (batch.length === 0) break;
      const results = await send(batch.map((entry) => entry.routed));
      const again: Entry[] = [];
      for (const [index, entry] of batch.entries()) {
        const result = results[index] ?? new AppendError('log-unavailable', 'unknown');
        if (!goesAlone(entry, result, batch)) finish(entry, result);
        else if (entry.abandoned) finish(entry, new AppendError('withdrawn', 'not-published'));
        else again.push(Object.assign(entry, { alone: true, state: 'waiting' }));
      }
      if (again.length > 0) waiting = [...again, ...waiting];
    }
    flushing = false;
  };

  const rejected = (error: AppendError): PendingAppend => {
    const settled = Promise.reject(error);
    return { settled, withdraw: () => false };
  };

  const isFull = (): boolean => depth.records >= limits.queueRecords || depth.bytes >= limits.queueBytes;

  const append = (routed: PartitionedRecord): PendingAppend => {
    if (closing) return rejected(new AppendError('closed', 'not-published'));
    if (state === 'failed')
      return rejected(new AppendError('log-unavailable', 'not-published', { cause: failedBy }));
    const bytes = routed.record.value.length + RECORD_OVERHEAD;
    if (isFull() || depth.bytes + bytes > limits.queueBytes) {
      return rejected(new AppendError('queue-full', 'not-published'));
    }
    depth.records += 1;
    depth.bytes += bytes;
    let entry: Entry | undefined;
    const settled = new Promise<Receipt>((resolve, reject) => {
      entry = { routed, bytes, resolve, reject, state: 'waiting', alone: false, abandoned: false };
      waiting.push(entry);
    });
    void flush();
    const withdraw = (): boolean => {
      if (entry?.state !== 'waiting') {
        if (entry) entry.abandoned = true;
        return false;
      }
      finish(entry, new AppendError('withdrawn', 'not-published'));
      return true;
    };
    return { settled, withdraw };
  };

  return {
    append,
    isFull,
    depth,
    resume: () => {
      state = 'running';
      void flush();
    },
    pause: () => {
      state = 'paused';
    },
    fail: (cause) => {
      state = 'failed';
      failedBy = cause;
      const unsent = waiting.filter((entry) => entry.state === 'waiting');
      waiting = [];
      for (const entry of unsent) {
        finish(entry, new AppendError('log-unavailable', 'not-published', { cause }));
      }
    },
    drain: () => {
      closing = true;
      return depth.records === 0 ? Promise.resolve() : new Promise((resolve) => emptied.push(resolve));
    },
  };
};
