import type { Receipt } from '@workspace/schemas';
import type { LogRecord, OperationLog } from '../src/application/operation-log.ts';

/** Appends a record; rejects when it is not accepted. */
export const append = (log: OperationLog, record: LogRecord): Promise<Receipt> =>
  new Promise((resolve, reject) => {
    log.append(record, {
      settled: (told) =>
        told.outcome === 'accepted' ? resolve(told) : reject(new Error(`${told.outcome}: ${told.reason}`)),
    });
  });
