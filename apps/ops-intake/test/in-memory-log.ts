import type { LogRecord, LogStatus, NotPublishedReason, RecordOutcome } from '@workspace/schemas';
import type { OperationLog } from '../src/application/operation-log.ts';

/** Outcomes of records that are not accepted. */
export type Failure = Exclude<RecordOutcome, { outcome: 'accepted' }>;
export const UNKNOWN: Failure = { outcome: 'unknown', reason: 'no-answer' };
export const notPublished = (reason: NotPublishedReason): Failure => ({ outcome: 'not-published', reason });

/** An OperationLog that keeps its records in an array and fails on request. */
export interface InMemoryLog extends OperationLog {
  readonly records: LogRecord[];
  /** what happens to the next records: taken at once, rejected, or left open until `release` */
  mode: 'take' | Failure | 'stall';
  isFull: () => boolean;
  /** whether a stalled record can still be withdrawn */
  withdrawable: boolean;
  status: () => LogStatus;
  /** how many are stalled now */
  readonly stalled: number;
  /** settles what was stalled: written, or with this outcome */
  release(failure?: Failure): void;
}

/** A log has bytes of its own: once a record is accepted, its submitter frees the memory of a large body. */
const copyOf = ({ key, value, headers, timestamp }: LogRecord): LogRecord => ({
  key,
  value: Buffer.from(value),
  headers,
  ...(timestamp !== undefined && { timestamp }),
});

export const createInMemoryLog = (): InMemoryLog => {
  const records: LogRecord[] = [];
  let stalled: ((failure?: Failure) => void)[] = [];
  const log: InMemoryLog = {
    records,
    get stalled() {
      return stalled.length;
    },
    mode: 'take',
    withdrawable: false,
    isFull: () => false,
    append: (record, listener) => {
      let isSettled = false;
      const settle = (failure?: Failure): void => {
        if (isSettled) return;
        isSettled = true;
        listener.settled(
          failure ?? {
            outcome: 'accepted',
            topic: 'operations',
            partition: 0,
            offset: records.push(copyOf(record)) - 1,
          },
        );
      };
      const { withdrawable } = log;
      if (log.mode === 'stall') stalled.push(settle);
      else settle(log.mode === 'take' ? undefined : log.mode);
      const withdraw = () => {
        if (withdrawable) settle(notPublished('withdrawn'));
        return withdrawable;
      };
      return { withdraw };
    },
    status: () => ({
      connected: true,
      latencyMs: 1.5,
      checkedAt: new Date('2026-11-21T12:00:00Z'),
      queued: { records: 0, bytes: 0 },
    }),
    release: (failure) => {
      for (const settle of stalled) settle(failure);
      stalled = [];
    },
    close: async () => undefined,
  };
  return log;
};
