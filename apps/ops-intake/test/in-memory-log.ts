import {
  AppendError,
  type LogRecord,
  type LogStatus,
  type OperationLog,
} from '../src/application/operation-log.ts';

/** An OperationLog that keeps its records in an array and does as it is told. */
export interface InMemoryLog extends OperationLog {
  readonly records: LogRecord[];
  /** what happens to the next records: taken at once, rejected, or left open until `release` */
  mode: 'take' | AppendError | 'stall';
  isFull: () => boolean;
  /** whether a stalled record can still be withdrawn */
  withdrawable: boolean;
  status: () => LogStatus;
  /** how many are stalled now */
  readonly stalled: number;
  /** settles what was stalled: written, or with this error */
  release(error?: AppendError): void;
}

export const createInMemoryLog = (): InMemoryLog => {
  const records: LogRecord[] = [];
  let stalled: ((error?: AppendError) => void)[] = [];
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
      const settle = (error?: AppendError): void => {
        if (isSettled) return;
        isSettled = true;
        if (error) listener.failed(error);
        else
          listener.acknowledged({
            topic: 'operations',
            partition: 0,
            offset: records.push(record) - 1,
          });
      };
      const { withdrawable } = log;
      if (log.mode === 'stall') stalled.push(settle);
      else settle(log.mode === 'take' ? undefined : log.mode);
      const withdraw = () => {
        if (withdrawable) settle(new AppendError('withdrawn', 'not-published'));
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
    release: (error) => {
      for (const settle of stalled) settle(error);
      stalled = [];
    },
    close: async () => undefined,
  };
  return log;
};
