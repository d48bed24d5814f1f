/** What the broker's answer to a batch says about this attempt. */
export type Meaning =
  /** the batch is in the log */
  | 'appended'
  /** it may be in the log; the same bytes may be sent again */
  | 'maybe-appended'
  /** it is not in the log; this broker or another may take it later */
  | 'not-now'
  /** it is not in the log; it would be rejected each time */
  | 'never'
  /** it is not in the log, for its size; parts of it may be taken */
  | 'too-large'
  /** it is not in the log, for some of its records; the others may be taken */
  | 'invalid-records'
  /** it is not in the log; the broker does not follow the sequence numbers of this producer id */
  | 'not-followed';

/**
 * Codes that say whether the batch is in the log. A code belongs here only if the broker gives it before it appends, in every version of
 * Kafka; its source is Kafka's protocol guide, or the proposal beside it.
 */
export const MEANINGS: Readonly<Record<number, Meaning>> = {
  0: 'appended', // NONE
  2: 'not-now', // CORRUPT_MESSAGE
  3: 'not-now', // UNKNOWN_TOPIC_OR_PARTITION: a new leader may not know it yet
  10: 'too-large', // MESSAGE_TOO_LARGE
  17: 'never', // INVALID_TOPIC_EXCEPTION
  18: 'too-large', // RECORD_LIST_TOO_LARGE
  19: 'not-now', // NOT_ENOUGH_REPLICAS: `min.insync.replicas` (KAFKA-1555)
  21: 'never', // INVALID_REQUIRED_ACKS
  29: 'never', // TOPIC_AUTHORIZATION_FAILED (KIP-11)
  31: 'never', // CLUSTER_AUTHORIZATION_FAILED (KIP-98)
  32: 'invalid-records', // INVALID_TIMESTAMP (KIP-32): a batch is as old as its oldest record
  43: 'never', // UNSUPPORTED_FOR_MESSAGE_FORMAT (KIP-98)
  44: 'never', // POLICY_VIOLATION (KIP-108)
  45: 'not-followed', // OUT_OF_ORDER_SEQUENCE_NUMBER (KIP-98)
  46: 'appended', // DUPLICATE_SEQUENCE_NUMBER (KIP-98)
  47: 'not-followed', // INVALID_PRODUCER_EPOCH (KIP-98)
  59: 'not-followed', // UNKNOWN_PRODUCER_ID (KIP-360)
  87: 'invalid-records', // INVALID_RECORD (KIP-467)
};

/**
 * All other codes may follow an append (`REQUEST_TIMED_OUT`, `NOT_ENOUGH_REPLICAS_AFTER_APPEND`, but also
 * `NOT_LEADER_OR_FOLLOWER`, given when leadership is lost while the replicas are waited for): the batch is sent again as
 * it is, and the broker recognises it by its sequence number.
 */
export const meaningOf = (code: number): Meaning => MEANINGS[code] ?? 'maybe-appended';
