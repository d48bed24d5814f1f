import type { LogRecord, OperationLog, Receipt } from '../src/application/operation-log.ts';

/** Appends a record; rejects with the AppendError when it is not acknowledged. */
export const append = (log: OperationLog, record: LogRecord): Promise<Receipt> =>
  new Promise((acknowledged, failed) => void log.append(record, { acknowledged, failed }));
