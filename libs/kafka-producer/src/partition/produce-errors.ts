/** What an error code of a Produce answer says about this attempt, and what may be done next. */
export interface ProduceError {
  /** whether the broker did certainly not append the batch in this attempt */
  readonly isNotAppended: boolean;
  readonly next:
    /** the same batch again: the broker may take it later, or another broker */
    | 'retry'
    /** never again: it would be rejected each time */
    | 'reject'
    /** as `reject`, for its size; parts of it may be taken */
    | 'split'
    /** with another producer id: the broker does not follow the sequence numbers of this one */
    | 'renew-producer-id';
}

export const DUPLICATE_SEQUENCE_NUMBER = 46;

const before = (next: ProduceError['next']): ProduceError => ({ isNotAppended: true, next });

/** Codes after which nothing of the batch is in the log: the broker looked at it and did not append it. */
const NOT_APPENDED: Readonly<Record<number, ProduceError>> = {
  2: before('retry'), // CORRUPT_MESSAGE
  3: before('retry'), // UNKNOWN_TOPIC_OR_PARTITION: a new leader may not know it yet
  10: before('split'), // MESSAGE_TOO_LARGE
  17: before('reject'), // INVALID_TOPIC_EXCEPTION
  18: before('split'), // RECORD_LIST_TOO_LARGE
  19: before('retry'), // NOT_ENOUGH_REPLICAS
  21: before('reject'), // INVALID_REQUIRED_ACKS
  29: before('reject'), // TOPIC_AUTHORIZATION_FAILED
  31: before('reject'), // CLUSTER_AUTHORIZATION_FAILED
  32: before('reject'), // INVALID_TIMESTAMP
  43: before('reject'), // UNSUPPORTED_FOR_MESSAGE_FORMAT
  44: before('reject'), // POLICY_VIOLATION
  45: before('renew-producer-id'), // OUT_OF_ORDER_SEQUENCE_NUMBER
  47: before('renew-producer-id'), // INVALID_PRODUCER_EPOCH
  59: before('renew-producer-id'), // UNKNOWN_PRODUCER_ID
  87: before('reject'), // INVALID_RECORD
  90: before('renew-producer-id'), // PRODUCER_FENCED
};

/**
 * All other errors may follow an append (`REQUEST_TIMED_OUT`, `NOT_ENOUGH_REPLICAS_AFTER_APPEND`, but also
 * `NOT_LEADER_OR_FOLLOWER`, given when leadership is lost while the replicas are waited for): the batch is sent again as
 * it is, and the broker knows it by its sequence number.
 */
const MAYBE_APPENDED: ProduceError = { isNotAppended: false, next: 'retry' };

export const produceErrorOf = (code: number): ProduceError => NOT_APPENDED[code] ?? MAYBE_APPENDED;
