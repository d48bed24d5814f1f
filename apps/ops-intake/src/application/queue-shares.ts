import type { AppendListener, LogRecord, PendingAppend, RecordOutcome } from '@workspace/schemas';
import { type ClientNetwork, ClientShares } from '@workspace/http-connections';
import type { OperationLog } from './operation-log.ts';

/** An OperationLog whose queue is divided among clients. */
export interface SharedLog extends OperationLog {
  /** @param clients what the record counts in; nothing: only the queue bounds it, as lines of streams, which have shares of their own */
  append(
    record: LogRecord,
    listener: AppendListener,
    maxWaitMs: number,
    clients?: readonly ClientNetwork[],
  ): PendingAppend;
  /** whether any record of these clients would be rejected as `queue-full` now */
  isFull(clients?: readonly ClientNetwork[]): boolean;
}

const NO_CLIENT: readonly ClientNetwork[] = [];

/** Lets a client have a single record in the queue, or as many records and bytes as it leaves to others. */
export const shareQueue = (
  log: OperationLog,
  { QUEUE_RECORDS, QUEUE_BYTES }: { QUEUE_RECORDS: number; QUEUE_BYTES: number },
): SharedLog => {
  const records = new ClientShares(QUEUE_RECORDS);
  const bytes = new ClientShares(QUEUE_BYTES);
  const hasRoom = (clients: readonly ClientNetwork[], length: number): boolean =>
    clients.length === 0 || (records.hasRoom(clients) && bytes.hasRoom(clients, length));
  return {
    append: (record, listener, maxWaitMs, clients = NO_CLIENT) => {
      // Once it is settled, its submitter frees the memory of a large value, which has no length then.
      const { length } = record.value;
      if (!hasRoom(clients, length)) {
        listener.settled({ outcome: 'not-published', reason: 'queue-full' });
        return { withdraw: () => false };
      }
      records.add(clients, 1);
      bytes.add(clients, length);
      const settled = (outcome: RecordOutcome): void => {
        records.add(clients, -1);
        bytes.add(clients, -length);
        listener.settled(outcome);
      };
      return log.append(record, { settled }, maxWaitMs);
    },
    isFull: (clients = NO_CLIENT) => log.isFull() || !hasRoom(clients, 1),
    status: () => log.status(),
    close: () => log.close(),
  };
};
