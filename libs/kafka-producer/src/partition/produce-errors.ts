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
  /** it is not in the log; the broker does not follow the sequence numbers of this producer id */
  | 'not-followed';

export const NONE = 0;
export const DUPLICATE_SEQUENCE_NUMBER = 46;

/**
 * Codes that say whether the batch is in the log. docs/partitions.md has the source of each. A code belongs here only if the broker
 * gives it before it appends, in every version of Kafka.
 */
export const MEANINGS: Readonly<Record<number, Meaning>> = {
  [NONE]: 'appended',
  2: 'not-now', // CORRUPT_MESSAGE
  3: 'not-now', // UNKNOWN_TOPIC_OR_PARTITION: a new leader may not know it yet
  10: 'too-large', // MESSAGE_TOO_LARGE
  17: 'never', // INVALID_TOPIC_EXCEPTION
  18: 'too-large', // RECORD_LIST_TOO_LARGE
  19: 'not-now', // NOT_ENOUGH_REPLICAS
  21: 'never', // INVALID_REQUIRED_ACKS
  29: 'never', // TOPIC_AUTHORIZATION_FAILED
  31: 'never', // CLUSTER_AUTHORIZATION_FAILED
  32: 'never', // INVALID_TIMESTAMP
  43: 'never', // UNSUPPORTED_FOR_MESSAGE_FORMAT
  44: 'never', // POLICY_VIOLATION
  45: 'not-followed', // OUT_OF_ORDER_SEQUENCE_NUMBER
  [DUPLICATE_SEQUENCE_NUMBER]: 'appended',
  47: 'not-followed', // INVALID_PRODUCER_EPOCH
  59: 'not-followed', // UNKNOWN_PRODUCER_ID
  87: 'never', // INVALID_RECORD
  90: 'not-followed', // PRODUCER_FENCED
};

/**
 * All other codes may follow an append (`REQUEST_TIMED_OUT`, `NOT_ENOUGH_REPLICAS_AFTER_APPEND`, but also
 * `NOT_LEADER_OR_FOLLOWER`, given when leadership is lost while the replicas are waited for): the batch is sent again as
 * it is, and the broker recognises it by its sequence number.
 */
export const meaningOf = (code: number): Meaning => MEANINGS[code] ?? 'maybe-appended';
