/** How a log is doing. Answered from memory. */
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
  /** settings of topic and brokers that weaken a promise */
  readonly weaknesses?: readonly Weakness[];
  /** whether the settings of the topic could be read; absent until that was tried */
  readonly settingsKnown?: boolean;
  /** milliseconds by which the clock of this machine is ahead of Kafka's, and what that costs if it is too much; absent while it is not known */
  readonly clock?: { readonly aheadMs: number; readonly warning?: string };
  /** absent while every replica is in sync */
  readonly underReplication?: UnderReplication;
  /** milliseconds for which a Kafka quota kept from sending or reading last; absent while none does */
  readonly throttledMs?: number;
  /** why it cannot be searched, where it is read all the time; absent while it can */
  readonly unreadable?: string;
  /** what waits or is being sent now */
  readonly queued: { readonly records: number; readonly bytes: number };
}

/** A setting that weakens what is promised. */
export interface Weakness {
  readonly setting: string;
  /** which promise, and what to do, for an operator */
  readonly reason: string;
}

/** Partitions that have fewer replicas in sync than replicas, as after the loss of a broker. */
export interface UnderReplication {
  readonly partitions: number;
  /** what is missing and what follows, for an operator */
  readonly reason: string;
  /** whether a partition takes no records for that */
  readonly isStopped: boolean;
}
