import { AppendError, type LogRecord, type PendingAppend } from '../../application/operation-log.ts';
import { errorOfCode } from './kafkajs-protocol.ts';
import { DUPLICATE_SEQUENCE_NUMBER, type ProduceError, produceErrorOf } from './produce-errors.ts';
import type { PartitionResponse } from './produce-request.ts';
import type { QueueDepth } from './queue-depth.ts';
import { encodeRecordBatch, type ProducerIdentity } from './record-batch.ts';
import { type BatchLimits, createRecordQueue, type QueuedRecord } from './record-queue.ts';

/** The way to a partition's leader. */
export interface PartitionRoute {
  /**
   * Sees to it that the leader is known and connected.
   * @throws why it cannot be reached now
   */
  connect(partition: number): Promise<void>;
  /**
   * The producer id to use.
   * @param rejected one that a broker no longer follows, to be replaced
   * @throws why there is none
   */
  identity(rejected: ProducerIdentity | undefined): Promise<ProducerIdentity>;
  /**
   * @param take gives the batch when it is about to be written; a failure after that leaves its fate open
   * @param failures attempts since the last acknowledgement
   * @throws why there is no answer
   */
  produce(
    partition: number,
    take: () => Buffer | undefined,
    failures: number,
  ): Promise<PartitionResponse | undefined>;
  /** Waits before the next attempt, and asks who leads now. Resolves at once when the log closes. */
  recover(failures: number): Promise<void>;
}

/** One attempt, for counters. */
export interface ProduceAttempt {
  records: number;
  /** milliseconds since the batch was first written */
  milliseconds: number;
  /** why it was not acknowledged */
  error?: unknown;
}

/** What became of records that were sent. */
export type DeliveryOutcome = 'acknowledged' | 'rejected' | 'unknown';

/** What happens to records, for counters and the log. */
export interface ProduceObserver {
  sent(attempt: ProduceAttempt): void;
  settled(outcome: DeliveryOutcome, records: number): void;
  producerIdRenewed(): void;
}

export interface PartitionProducerOptions {
  topic: string;
  partition: number;
  route: PartitionRoute;
  depth: QueueDepth;
  limits: BatchLimits;
  /** milliseconds without an answer after which waiting records are rejected and new ones not taken */
  holdMs: number;
  /** milliseconds after which a batch of unknown fate is no longer retried */
  deliveryTimeoutMs: number;
  observer: ProduceObserver;
  /** milliseconds, monotonic */
  now: () => number;
  /** milliseconds since 1970 */
  timestamp: () => number;
  /** the first sequence number of a producer id; not 0 only in tests */
  firstSequence?: number;
}

export interface PartitionProducer {
  /** @param bytes what the record was entered with into the queue's depth */
  append(record: LogRecord, bytes: number): PendingAppend;
  /** why records are not taken, or were rejected a moment ago */
  readonly error: unknown;
  /** resolves when the leader was reached, or was tried in vain */
  readonly tried: Promise<void>;
  /** Gives up what has no answer yet; resolves when nothing runs any more. */
  stop(): Promise<void>;
}

/** Records under one sequence number. While its fate is open, its bytes stay and are sent again. */
interface Batch {
  readonly records: readonly QueuedRecord[];
  readonly bytes: Buffer;
  readonly sequence: number;
  readonly writtenAt: number;
  /** an attempt was written and not answered, or answered so that the batch may be in the log */
  isInDoubt: boolean;
}

const SEQUENCES = 2 ** 31;
/** So often a leader is tried before it counts as not reached. */
const FAILURES_OF_A_START = 2;
/** How long a rejection speaks against Kafka when no acknowledgement follows: an unready service gets no requests. */
const REJECTION_COUNTS_MS = 5_000;

/**
 * Writes the records of one partition, each exactly once.
 *
 * One batch is on its way at a time. It keeps its producer id, epoch and sequence number until the broker has spoken, so
 * that it can be sent again after any failure: the broker appends it once (KIP-98). Only then come the next records, with
 * the next numbers. A rejected batch gives its numbers back, because nothing else can have used them.
 */
export const createPartitionProducer = (options: PartitionProducerOptions): PartitionProducer => {
  const { topic, partition, route, depth, limits, holdMs, deliveryTimeoutMs, observer, now } = options;
  const firstSequence = options.firstSequence ?? 0;
  const queue = createRecordQueue(depth, limits);
  let batch: Batch | undefined;
  let identity: ProducerIdentity | undefined;
  let rejectedIdentity: ProducerIdentity | undefined;
  let sequence = firstSequence;
  /** the leader cannot be reached, or does not answer */
  let outage: { since: number; error: unknown } | undefined = { since: -Infinity, error: 'connecting' };
  /** the leader answers, and does not take the batch */
  let rejection: { since: number; at: number; error: unknown } | undefined;
  let failures = 0;
  let isStopped = false;
  let wake: () => void = () => undefined;
  let firstTry: () => void = () => undefined;
  const tried = new Promise<void>((resolve) => (firstTry = resolve));

  const notPublished = (cause: unknown) => () =>
    new AppendError('log-unavailable', 'not-published', { cause });

  const isOutageLong = (): boolean => outage !== undefined && now() - outage.since >= holdMs;
  const isSilent = (): boolean => batch !== undefined && batch.isInDoubt && now() - batch.writtenAt >= holdMs;

  /** Takes the next batch off the queue. Called when it is about to be written. */
  const cut = (): Batch | undefined => {
    if (!identity) return undefined;
    const records = queue.take();
    if (records.length === 0) return undefined;
    const bytes = encodeRecordBatch(
      records.map(({ record }) => record),
      { identity, baseSequence: sequence, timestamp: options.timestamp() },
    );
    return { records, bytes, sequence, writtenAt: now(), isInDoubt: false };
  };

  const renewIdentity = (): void => {
    rejectedIdentity = identity;
    identity = undefined;
    sequence = firstSequence;
    observer.producerIdRenewed();
  };

  const report = ({ records, writtenAt }: Batch, error?: unknown): void =>
    observer.sent({
      records: records.length,
      milliseconds: now() - writtenAt,
      ...(error !== undefined && { error }),
    });

  const acknowledge = (acked: Batch, baseOffset: number): void => {
    batch = undefined;
    outage = rejection = undefined;
    failures = 0;
    sequence = (acked.sequence + acked.records.length) % SEQUENCES;
    queue.acknowledge(acked.records, (index) => ({ topic, partition, offset: baseOffset + index }));
    observer.settled('acknowledged', acked.records.length);
    report(acked);
  };

  /** The batch may be in the log, and nobody can tell any more: its numbers must not be used again. */
  const giveUp = (lost: Batch, cause: unknown): void => {
    batch = undefined;
    queue.reject(lost.records, () => new AppendError('log-unavailable', 'unknown', { cause }));
    observer.settled('unknown', lost.records.length);
    renewIdentity();
  };

  /** The batch is certainly not in the log and never will be: its numbers are free. */
  const reject = (rejected: Batch, failure: 'log-unavailable' | 'record-too-large', cause: unknown): void => {
    batch = undefined;
    queue.reject(rejected.records, () => new AppendError(failure, 'not-published', { cause }));
    observer.settled('rejected', rejected.records.length);
  };

  /** The batch is certainly not in the log: its records wait again, its numbers are free. */
  const takeBack = ({ records }: Batch, isAlone: boolean): void => {
    batch = undefined;
    queue.putBack(records, isAlone);
  };

  /** Acts on a broker's error. An earlier attempt may have been appended: then this one's rejection says little. */
  const onError = (failed: Batch, { isNotAppended, next }: ProduceError, error: Error): void => {
    const isLasting = rejection !== undefined && now() - rejection.at < REJECTION_COUNTS_MS;
    rejection = { since: isLasting ? rejection!.since : now(), at: now(), error };
    if (!isNotAppended) failed.isInDoubt = true;
    else if (failed.isInDoubt) {
      if (next !== 'retry') giveUp(failed, error);
    } else if (next === 'split') {
      rejection = undefined;
      if (failed.records.length > 1) takeBack(failed, true);
      else reject(failed, 'record-too-large', error);
    } else if (next === 'reject') {
      reject(failed, 'log-unavailable', error);
    } else {
      takeBack(failed, false);
      if (next === 'renew-producer-id') renewIdentity();
      if (now() - rejection.since >= holdMs) queue.rejectWaiting(notPublished(error));
    }
  };

  const hasExpired = (one: Batch): boolean => now() - one.writtenAt >= deliveryTimeoutMs;

  /** One try. @returns whether the next may follow at once */
  const attempt = async (): Promise<boolean> => {
    let written: Batch | undefined;
    try {
      await route.connect(partition);
      identity ??= await route.identity(rejectedIdentity);
      rejectedIdentity = undefined;
      if (!batch && outage) {
        outage = undefined;
        failures = 0;
      }
      firstTry();
      if (!batch && queue.isEmpty) return true;
      const take = (): Buffer | undefined => {
        if (isStopped || (batch && hasExpired(batch))) return undefined;
        written = batch ??= cut();
        return batch?.bytes;
      };
      const response = await route.produce(partition, take, failures);
      if (!response || !written) return batch === undefined;
      const { errorCode, baseOffset } = response;
      outage = undefined;
      const isInLog = errorCode === 0 || errorCode === DUPLICATE_SEQUENCE_NUMBER;
      if (isInLog && baseOffset >= 0) {
        acknowledge(written, baseOffset);
        return true;
      }
      const error = errorOfCode(errorCode);
      report(written, error);
      if (isInLog) giveUp(written, error);
      else onError(written, produceErrorOf(errorCode), error);
      return batch === undefined && (queue.isEmpty || queue.isNextAlone);
    } catch (error) {
      if (written) {
        written.isInDoubt = true;
        report(written, error);
      }
      outage = { since: outage?.since ?? now(), error };
      // A broker that has just started answers COORDINATOR_LOAD_IN_PROGRESS for a moment.
      if (failures >= FAILURES_OF_A_START) firstTry();
      return false;
    }
  };

  /** What has waited too long for the leader to speak. */
  const rejectOverdue = (): void => {
    const cause = outage?.error ?? rejection?.error;
    if (batch && hasExpired(batch)) giveUp(batch, cause);
    if (isOutageLong() || isSilent()) queue.rejectWaiting(notPublished(cause));
  };

  const run = async (): Promise<void> => {
    while (!isStopped) {
      if (!(await attempt()) && !isStopped) {
        rejectOverdue();
        failures += 1;
        await route.recover(failures);
      }
      if (isStopped || outage || batch || !queue.isEmpty) continue;
      await new Promise<void>((resolve) => (wake = resolve));
    }
    const cause = new Error('closed');
    if (batch) giveUp(batch, cause);
    queue.rejectWaiting(() => new AppendError('closed', 'not-published', { cause }));
  };
  const running = run();

  const append = (record: LogRecord, bytes: number): PendingAppend => {
    const pending = queue.append(record, bytes);
    if (isStopped || isOutageLong() || isSilent()) {
      queue.rejectWaiting(notPublished(outage?.error ?? rejection?.error));
    } else wake();
    return pending;
  };

  return {
    append,
    tried,
    get error() {
      if (outage) return outage.error;
      return rejection && now() - rejection.at < REJECTION_COUNTS_MS ? rejection.error : undefined;
    },
    stop: async () => {
      isStopped = true;
      wake();
      await running;
    },
  };
};
