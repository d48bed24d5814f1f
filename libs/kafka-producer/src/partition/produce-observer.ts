import type { RecordOutcome } from '@workspace/schemas';

/** One attempt, for counters. */
export interface ProduceAttempt {
  records: number;
  /** milliseconds since the batch was first written */
  milliseconds: number;
  /** why it was not acknowledged */
  error?: unknown;
}

/** What happens to batches, for counters and the log. */
export interface ProduceObserver {
  sent(attempt: ProduceAttempt): void;
  /** the outcome of so many records that were in a batch */
  settled(outcome: RecordOutcome['outcome'], records: number): void;
  producerIdRenewed(): void;
  /** the log assigns offsets of acknowledged records again, so many, from the first one on: those records are gone */
  acknowledgedLost(records: number, firstOffset: number): void;
  /** a quota of the broker keeps from sending, or reading, for so many milliseconds */
  throttled(milliseconds: number): void;
}
