/** What a submission becomes: one record, so that it is atomic and ordered inside. */
export interface LogRecord {
  /** decides the partition: the client's Partition-Key, or else the submission id */
  readonly key: string;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string | Buffer>>;
}

/** Where a record was written, known only after every in-sync replica has it. */
export interface Receipt {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/**
 * What is known of a record that was not acknowledged. `not-published`: it is not in the log and never will be.
 * `unknown`: it may be; only the log itself can tell.
 */
export type Outcome = 'not-published' | 'unknown';

/** Why a record was not acknowledged. */
export type AppendFailure =
  /** too much is waiting already */
  | 'queue-full'
  /** the log cannot be reached or does not take the record now */
  | 'log-unavailable'
  /** the log does not take a record of this size */
  | 'record-too-large'
  /** withdrawn by the caller before it was sent */
  | 'withdrawn'
  /** the service is stopping */
  | 'closed';

export class AppendError extends Error {
  override readonly name = 'AppendError';
  readonly failure: AppendFailure;
  readonly outcome: Outcome;
  constructor(failure: AppendFailure, outcome: Outcome, options?: ErrorOptions) {
    super(`${failure}, ${outcome}`, options);
    this.failure = failure;
    this.outcome = outcome;
  }
}

/**
 * Is told once what became of a record, however late. Must not throw. An object instead of a promise: promises
 * would leave a kilobyte more garbage for each submission.
 */
export interface AppendListener {
  acknowledged(receipt: Receipt): void;
  failed(error: AppendError): void;
}

/** A record on its way. */
export interface PendingAppend {
  /** Takes the record back if nothing of it was sent; true when that worked: the listener was told `withdrawn`. */
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
  /** what an operator has to act on although records are taken: replication that can lose acknowledged records */
  readonly warning?: string;
  /** how many partitions lack in-sync replicas, and what follows; absent while none does */
  readonly underReplication?: { readonly partitions: number; readonly reason: string };
  /** what waits or is being sent now */
  readonly queued: { readonly records: number; readonly bytes: number };
}

/** An append-only log that answers once a record is replicated. All that the service needs of Kafka. */
export interface OperationLog {
  /** @param listener may be told before this returns */
  append(record: LogRecord, listener: AppendListener): PendingAppend;
  /** whether any record would be rejected as `queue-full` now: checked before a body is read */
  isFull(): boolean;
  status(): LogStatus;
  /** Sends what is waiting, then closes. */
  close(): Promise<void>;
}
