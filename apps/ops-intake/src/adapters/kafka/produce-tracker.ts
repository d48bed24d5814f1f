/** What a broker said about one partition of a Produce request. */
export interface PartitionAnswer {
  errorCode: number;
  baseOffset: number;
}

/** One Produce request that was written to a socket, with the answer if one came back whole. */
interface ProduceFrame {
  answers?: ReadonlyMap<number, PartitionAnswer>;
}

/**
 * What a Produce request led to, as far as the wire tells: acknowledged at this base offset, rejected before the append
 * (with the broker's error code, or never sent), or unknown.
 */
export type DeliveryOutcome = { acknowledged: number } | { rejected: number | undefined } | 'unknown';

/**
 * Errors after which nothing of the batch is in the log: the broker looked at it and would not append it.
 * All others may follow an append (`NOT_ENOUGH_REPLICAS_AFTER_APPEND`, `REQUEST_TIMED_OUT`, but also
 * `NOT_LEADER_OR_FOLLOWER`, given when leadership is lost while waiting for the replicas).
 */
const REJECTED_BEFORE_APPEND = new Set([
  2, // CORRUPT_MESSAGE
  3, // UNKNOWN_TOPIC_OR_PARTITION
  10, // MESSAGE_TOO_LARGE
  17, // INVALID_TOPIC_EXCEPTION
  18, // RECORD_LIST_TOO_LARGE
  19, // NOT_ENOUGH_REPLICAS
  21, // INVALID_REQUIRED_ACKS
  29, // TOPIC_AUTHORIZATION_FAILED
  31, // CLUSTER_AUTHORIZATION_FAILED
  32, // INVALID_TIMESTAMP
  43, // UNSUPPORTED_FOR_MESSAGE_FORMAT
  44, // POLICY_VIOLATION
  45, // OUT_OF_ORDER_SEQUENCE_NUMBER
  47, // INVALID_PRODUCER_EPOCH
  59, // UNKNOWN_PRODUCER_ID
  87, // INVALID_RECORD
]);

const PRODUCE = 0;
/** Newest Produce version whose answer has the layout read here, and the newest kafkajs speaks. */
const NEWEST_READABLE = 7;

/**
 * Reads a Produce answer (versions 0 to 7): `length, correlation id, [topic, [partition, error, base offset, …]]`.
 * All our requests name one topic, so partitions alone are the key.
 */
const readAnswers = (frame: Buffer, version: number): ReadonlyMap<number, PartitionAnswer> => {
  const tail = (version >= 2 ? 8 : 0) + (version >= 5 ? 8 : 0);
  const answers = new Map<number, PartitionAnswer>();
  let at = 8;
  let topics = frame.readInt32BE(at);
  at += 4;
  for (; topics > 0; topics -= 1) {
    at += 2 + frame.readInt16BE(at);
    let partitions = frame.readInt32BE(at);
    at += 4;
    for (; partitions > 0; partitions -= 1) {
      const errorCode = frame.readInt16BE(at + 4);
      answers.set(frame.readInt32BE(at), { errorCode, baseOffset: Number(frame.readBigInt64BE(at + 6)) });
      at += 14 + tail;
    }
  }
  return answers;
};

/** What one connection has asked and not been answered yet. */
export interface ConnectionTracker {
  /** a request frame that is about to be written */
  wrote(frame: Buffer): void;
  /** a whole answer frame */
  read(frame: Buffer): void;
}

export interface ProduceTracker {
  connection(): ConnectionTracker;
  /** Forgets the last send; from here on frames belong to the next. */
  begin(): void;
  /** What the frames written since `begin` led to for the records of a partition. */
  outcome(partition: number): DeliveryOutcome;
  /** Produce frames written since `begin` */
  readonly written: number;
}

/**
 * Tracks what a producer really wrote and what was answered. The final error of a kafkajs `send()` tells
 * of its last attempt only: a broker killed after the append and one that was down from the start give the same error.
 */
export const createProduceTracker = (): ProduceTracker => {
  let frames: ProduceFrame[] = [];
  return {
    connection: () => {
      const asked = new Map<number, { version: number; frame: ProduceFrame }>();
      return {
        wrote: (bytes) => {
          if (bytes.length < 12 || bytes.readInt16BE(4) !== PRODUCE) return;
          const frame: ProduceFrame = {};
          frames.push(frame);
          asked.set(bytes.readInt32BE(8), { version: bytes.readInt16BE(6), frame });
        },
        read: (bytes) => {
          const correlationId = bytes.readInt32BE(4);
          const request = asked.get(correlationId);
          if (!request) return;
          asked.delete(correlationId);
          if (request.version <= NEWEST_READABLE) request.frame.answers = readAnswers(bytes, request.version);
        },
      };
    },
    begin: () => {
      frames = [];
    },
    get written() {
      return frames.length;
    },
    outcome: (partition) => {
      let rejected: number | undefined;
      let undecided = false;
      for (const { answers } of frames) {
        const answer = answers?.get(partition);
        if (answer?.errorCode === 0 && answer.baseOffset >= 0) return { acknowledged: answer.baseOffset };
        if (!answer) undecided ||= !answers;
        else if (REJECTED_BEFORE_APPEND.has(answer.errorCode)) rejected = answer.errorCode;
        else undecided = true;
      }
      return undecided ? 'unknown' : { rejected };
    },
  };
};
