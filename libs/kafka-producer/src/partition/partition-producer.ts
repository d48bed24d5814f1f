import { AppendError, type AppendListener, type LogRecord, type PendingAppend } from '../record.ts';
import type { PartitionResponse } from '../wire/produce-request.ts';
import type { QueueDepth } from './queue-depth.ts';
import type { ProducerIdentity } from '../wire/record-batch.ts';
import { type BatchLimits, createRecordQueue } from './record-queue.ts';
import { SequencedBatches, type SequencedBatchesOptions } from './sequenced-batches.ts';

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

export interface PartitionProducerOptions extends Omit<SequencedBatchesOptions, 'queue'> {
  route: PartitionRoute;
  depth: QueueDepth;
  limits: BatchLimits;
  /** milliseconds without an answer after which waiting records are rejected and new ones not taken */
  holdMs: number;
}

export interface PartitionProducer {
  /** @param bytes what the record was entered with into the queue's depth */
  append(record: LogRecord, bytes: number, listener: AppendListener): PendingAppend;
  /** why records are not taken, or were rejected a moment ago */
  readonly error: unknown;
  /** resolves when the leader was reached, or was tried in vain */
  readonly tried: Promise<void>;
  /** Gives up what has no answer yet; resolves when nothing runs any more. */
  stop(): Promise<void>;
}

/** So often a leader is tried before it counts as not reached. */
const FAILURES_OF_A_START = 2;
/** How long a rejection speaks against Kafka when no acknowledgement follows: an unready service gets no requests. */
const REJECTION_COUNTS_MS = 5_000;

/**
 * Sends the records of one partition to its leader, one batch at a time, for as long as that takes, and rejects those that
 * have waited too long for a leader that cannot be reached, does not answer, or does not take them.
 */
export const createPartitionProducer = (options: PartitionProducerOptions): PartitionProducer => {
  const { partition, route, depth, limits, holdMs, now } = options;
  const queue = createRecordQueue(depth, limits);
  const batches = new SequencedBatches({ ...options, queue });
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

  /** Whether records have waited so long for the leader that no more of them may wait. */
  const isUnavailable = (): boolean =>
    (outage !== undefined && now() - outage.since >= holdMs) || batches.doubtMs >= holdMs;

  /** @returns whether the next batch may follow at once */
  const onResponse = (response: PartitionResponse): boolean => {
    outage = undefined;
    const { fate, error } = batches.answered(response);
    if (fate === 'acknowledged') {
      rejection = undefined;
      failures = 0;
      return true;
    }
    if (fate === 'too-large') rejection = undefined;
    else if (error) {
      const isLasting = rejection !== undefined && now() - rejection.at < REJECTION_COUNTS_MS;
      rejection = { since: isLasting ? rejection!.since : now(), at: now(), error };
      const isLong = now() - rejection.since >= holdMs;
      if (fate === 'waiting-again' && isLong) queue.rejectWaiting(notPublished(error));
    }
    return fate !== 'kept' && (queue.isEmpty || queue.isNextAlone);
  };

  /** One try. @returns whether the next may follow at once */
  const attempt = async (): Promise<boolean> => {
    let isWritten = false;
    try {
      await route.connect(partition);
      await batches.identify((rejected) => route.identity(rejected));
      if (!batches.isOpen && outage) {
        outage = undefined;
        failures = 0;
      }
      firstTry();
      if (!batches.isOpen && queue.isEmpty) return true;
      const take = (): Buffer | undefined => {
        const bytes = isStopped ? undefined : batches.next();
        isWritten = bytes !== undefined;
        return bytes;
      };
      const response = await route.produce(partition, take, failures);
      if (!response || !isWritten) return !batches.isOpen;
      return onResponse(response);
    } catch (error) {
      if (isWritten) batches.unanswered(error);
      outage = { since: outage?.since ?? now(), error };
      // A broker that has just started answers COORDINATOR_LOAD_IN_PROGRESS for a moment.
      if (failures >= FAILURES_OF_A_START) firstTry();
      return false;
    }
  };

  /** What has waited too long for the leader to speak. */
  const rejectOverdue = (): void => {
    const cause = outage?.error ?? rejection?.error;
    batches.giveUpExpired(cause);
    if (isUnavailable()) queue.rejectWaiting(notPublished(cause));
  };

  const run = async (): Promise<void> => {
    while (!isStopped) {
      if (!(await attempt()) && !isStopped) {
        rejectOverdue();
        failures += 1;
        await route.recover(failures);
      }
      if (isStopped || outage || batches.isOpen || !queue.isEmpty) continue;
      await new Promise<void>((resolve) => (wake = resolve));
    }
    const cause = new Error('closed');
    batches.giveUp(cause);
    queue.rejectWaiting(() => new AppendError('closed', 'not-published', { cause }));
  };
  const running = run();

  const append: PartitionProducer['append'] = (record, bytes, listener) => {
    const pending = queue.append(record, bytes, listener);
    if (isStopped || isUnavailable()) queue.rejectWaiting(notPublished(outage?.error ?? rejection?.error));
    else wake();
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
