import type { LogRecord, Receipt, RecordOutcome } from '@workspace/schemas';
import type { OperationLog } from '../src/application/operation-log.ts';

/** Appends a record; rejects when it is not accepted. */
export const append = (log: OperationLog, record: LogRecord): Promise<Receipt> =>
  new Promise((resolve, reject) => {
    const settled = (result: RecordOutcome): void =>
      result.outcome === 'accepted'
        ? resolve(result)
        : reject(new Error(`${result.outcome}: ${result.reason}`));
    log.append(record, { settled }, Infinity);
  });
