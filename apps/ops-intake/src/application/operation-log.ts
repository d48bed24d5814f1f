import type { RecordOutcome } from '@workspace/schemas';

/** Headers that are the same in many records, but for the values of some: a producer encodes them once. */
export interface SharedHeaders {
  /** all of them, in their order, those of one record among others */
  readonly headers: Readonly<Record<string, string | Buffer>>;
  /** names of those that are each record's own */
  readonly own: readonly string[];
}

/** What a submission becomes: one record, so that it is atomic and ordered inside. */
export interface LogRecord {
  /** decides the partition: the client's Partition-Key, or else the submission id */
  readonly key: string;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string | Buffer>>;
  /** where `headers` are shared with other records but for `own`: what they share, and its values of its own in that order */
  readonly shared?: SharedHeaders;
  readonly own?: readonly string[];
  /**
   * Milliseconds since 1970, before its key was claimed: a broker that takes no records older than a lease then rejects what
   * the network still holds when the lease is over.
   */
  readonly timestamp?: number;
}

/**
 * Is called once with what became of a record, however late. Must not throw. An object instead of a promise: promises
 * would leave a kilobyte more garbage for each submission.
 */
export interface AppendListener {
  settled(outcome: RecordOutcome): void;
}

/** A record on its way. */
export interface PendingAppend {
  /** Takes the record back if nothing of it was sent; true when that worked: the listener was called with `withdrawn`. */
  withdraw(): boolean;
}

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
