import type { AppendListener, LogRecord, PendingAppend } from '@workspace/schemas';

export interface LogStatus {
  /** whether the topic's leaders answer and records are taken */
  readonly connected: boolean;
  /** time the last probe took, when it was answered */
  readonly latencyMs?: number;
  /** when the last probe ended */
  readonly checkedAt?: Date;
  /** why it is not connected, for an operator */
  readonly error?: string;
  /** whether `error` is only what a leader answered to the last records, and so says nothing of the next */
  readonly isRejecting?: boolean;
  /** what an operator has to act on although records are taken: replication that can lose acknowledged records */
  readonly warning?: string;
  /** settings of Kafka that weaken a promise, each with what follows and what to do */
  readonly weaknesses?: readonly { readonly setting: string; readonly reason: string }[];
  /** whether the settings of the topic could be read; absent until that was tried */
  readonly settingsKnown?: boolean;
  /** milliseconds by which the clock of this machine is ahead of Kafka's, and what that costs if it is too much; absent while it is not known */
  readonly clock?: { readonly aheadMs: number; readonly warning?: string };
  /** how many partitions lack in-sync replicas, and what follows; absent while none does */
  readonly underReplication?: {
    readonly partitions: number;
    readonly reason: string;
    /** whether a partition takes no records for that */
    readonly isStopped: boolean;
  };
  /** milliseconds for which a Kafka quota kept from sending or reading last; absent while none does */
  readonly throttledMs?: number;
  /** why it cannot be searched, where it is read all the time; absent while it can */
  readonly unreadable?: string;
  /** what waits or is being sent now */
  readonly queued: { readonly records: number; readonly bytes: number };
}

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
