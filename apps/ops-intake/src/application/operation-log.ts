import type { AppendListener, LogRecord, LogStatus, PendingAppend } from '@workspace/schemas';

/** An append-only log that answers once a record is replicated. All that the service needs of Kafka. */
export interface OperationLog {
  /**
   * @param listener may be called before this returns
   * @param maxWaitMs how long the record may wait before it is sent; after that it is never sent, even if it was not withdrawn
   */
  append(record: LogRecord, listener: AppendListener, maxWaitMs: number): PendingAppend;
  /** whether any record would be rejected as `queue-full` now: checked before a body is read */
  isFull(): boolean;
  status(): LogStatus;
  /** Sends what is waiting, then closes. */
  close(): Promise<void>;
}
