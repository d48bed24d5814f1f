import { AppendError, type Appending, type LogRecord, type Receipt } from './operation-log.ts';

/** A record with the partition it belongs to. */
export interface Routed {
  readonly record: LogRecord;
  readonly partition: number;
}

/** What became of one record of a batch: where it is, or why it is not known to be there. */
export type SendResult = Receipt | AppendError;

export interface LaneOptions {
  /**
   * Sends one batch, all of one leader, and reports on each record in the same order. Never rejects, is never called
   * before the last call has settled, and is never given up: only so can an idempotent producer keep its promise.
   */
  send(batch: readonly Routed[]): Promise<readonly SendResult[]>;
  /** The broker that leads a partition now; one batch goes to one leader, so that one failure is one failure. */
  leaderOf(partition: number): number;
  limits: LaneLimits;
}

export interface LaneLimits {
  /** most records that wait or fly */
  queueRecords: number;
  /** most bytes that wait or fly */
  queueBytes: number;
  /** most records in one batch */
  batchRecords: number;
  /** most bytes of one partition in one batch; a single record may exceed it */
  batchBytes: number;
}

export interface Lane {
  append(routed: Routed): Appending;
  /** Records are sent from now on. */
  open(): void;
  /** Records wait for `open` or `shut`. */
  hold(): void;
  /** Whatever waits is refused now, and whatever comes is refused at once, until `open`. */
  shut(cause: unknown): void;
  /** Refuses new records; resolves when nothing waits or flies any more. */
  drain(): Promise<void>;
  /** whether a record of any size would be refused for want of room */
  isFull(): boolean;
  readonly depth: { records: number; bytes: number };
}

/** Bytes a record takes besides its value: key, headers, framing; measured at 430, rounded up. */
const RECORD_OVERHEAD = 512;

interface Entry {
  readonly routed: Routed;
  readonly bytes: number;
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: AppendError) => void;
  state: 'waiting' | 'sent' | 'done';
  /** refused as too large in company: goes again by itself */
  alone: boolean;
  /** its caller stopped waiting while it was out: not sent a second time */
  abandoned: boolean;
}

/**
 * A single-flight queue in front of an idempotent producer. Idle, a record is sent at once; while one batch flies the
 * next collects. kafkajs loses acknowledged messages when idempotent sends overlap, and one batch at a time is faster
 * than many sends besides (README, "Why a lane").
 */
export const createLane = ({ send, leaderOf, limits }: LaneOptions): Lane => {
  let waiting: Entry[] = [];
  const depth = { records: 0, bytes: 0 };
  let state: 'open' | 'held' | 'shut' = 'shut';
  let shutBy: unknown;
  let closing = false;
  let flying = false;
  let emptied: (() => void)[] = [];

  const finish = (entry: Entry, result: SendResult): void => {
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

  /** The broker refused a whole batch for its size; each record gets its own verdict. */
  const wantsOwnVerdict = (entry: Entry, result: SendResult, batch: readonly Entry[]): boolean =>
    result instanceof AppendError &&
    result.fault === 'record-too-large' &&
    batch.some((other) => other !== entry && other.routed.partition === entry.routed.partition);

  const fly = async (): Promise<void> => {
    if (flying) return;
    flying = true;
    while (state === 'open' && waiting.length > 0) {
      const batch = takeBatch();
      if (batch.length === 0) break;
      const results = await send(batch.map((entry) => entry.routed));
      const again: Entry[] = [];
      for (const [index, entry] of batch.entries()) {
        const result = results[index] ?? new AppendError('log-unavailable', 'unknown');
        if (!wantsOwnVerdict(entry, result, batch)) finish(entry, result);
        else if (entry.abandoned) finish(entry, new AppendError('withdrawn', 'not-published'));
        else again.push(Object.assign(entry, { alone: true, state: 'waiting' }));
      }
      if (again.length > 0) waiting = [...again, ...waiting];
    }
    flying = false;
  };

  const refuse = (error: AppendError): Appending => {
    const settled = Promise.reject(error);
    return { settled, withdraw: () => false };
  };

  const isFull = (): boolean => depth.records >= limits.queueRecords || depth.bytes >= limits.queueBytes;

  const append = (routed: Routed): Appending => {
    if (closing) return refuse(new AppendError('closed', 'not-published'));
    if (state === 'shut')
      return refuse(new AppendError('log-unavailable', 'not-published', { cause: shutBy }));
    const bytes = routed.record.value.length + RECORD_OVERHEAD;
    if (isFull() || depth.bytes + bytes > limits.queueBytes) {
      return refuse(new AppendError('queue-full', 'not-published'));
    }
    depth.records += 1;
    depth.bytes += bytes;
    let entry: Entry | undefined;
    const settled = new Promise<Receipt>((resolve, reject) => {
      entry = { routed, bytes, resolve, reject, state: 'waiting', alone: false, abandoned: false };
      waiting.push(entry);
    });
    void fly();
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
    open: () => {
      state = 'open';
      void fly();
    },
    hold: () => {
      state = 'held';
    },
    shut: (cause) => {
      state = 'shut';
      shutBy = cause;
      const refused = waiting.filter((entry) => entry.state === 'waiting');
      waiting = [];
      for (const entry of refused) {
        finish(entry, new AppendError('log-unavailable', 'not-published', { cause }));
      }
    },
    drain: () => {
      closing = true;
      return depth.records === 0 ? Promise.resolve() : new Promise((resolve) => emptied.push(resolve));
    },
  };
};
