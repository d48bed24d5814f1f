import { AppendError } from '../record.ts';
import { DUPLICATE_SEQUENCE_NUMBER, type ProduceError, produceErrorOf } from './produce-errors.ts';
import { errorOfCode } from '../wire/kafkajs-protocol.ts';
import type { PartitionResponse } from '../wire/produce-request.ts';
import { encodeRecordBatch, type ProducerIdentity } from '../wire/record-batch.ts';
import type { QueuedRecord, RecordQueue } from './record-queue.ts';

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

/** Records under one sequence number. While its fate is open, its bytes stay and are sent again. */
interface Batch {
  readonly records: readonly QueuedRecord[];
  readonly bytes: Buffer;
  readonly sequence: number;
  readonly writtenAt: number;
  /** an attempt was written and not answered, or answered so that the batch may be in the log */
  isInDoubt: boolean;
}

/** What the broker's answer to a batch has led to. */
export interface BatchAnswer {
  readonly fate:
    | 'acknowledged'
    /** it stays, and is sent again */
    | 'kept'
    /** its records wait again, for a batch of their own number */
    | 'waiting-again'
    /** it was too large: its records wait again, each for a batch of its own, or the only one is rejected */
    | 'too-large'
    /** rejected, or given up */
    | 'ended';
  /** the broker's error, unless the batch is in the log */
  readonly error?: Error;
}

export interface SequencedBatchesOptions {
  topic: string;
  partition: number;
  queue: RecordQueue;
  /** milliseconds after which a batch of unknown fate is no longer retried */
  deliveryTimeoutMs: number;
  observer: ProduceObserver;
  /** milliseconds, monotonic */
  now: () => number;
  /** milliseconds since 1970 */
  timestamp: () => number;
  /** the first sequence number of a producer id; not 0 only in tests */
  firstSequence?: number | undefined;
}

const SEQUENCES = 2 ** 31;

/**
 * The batches of one partition, one at a time, and their sequence numbers.
 *
 * A batch keeps its producer id, epoch and sequence number until the broker has spoken, so that it can be sent again after
 * any failure: the broker appends it once (KIP-98). Only then come the next records, with the next numbers. A rejected batch
 * gives its numbers back, because nothing else can have used them.
 */
export class SequencedBatches {
  readonly #options: SequencedBatchesOptions;
  readonly #firstSequence: number;
  #batch: Batch | undefined;
  #identity: ProducerIdentity | undefined;
  #rejectedIdentity: ProducerIdentity | undefined;
  #sequence: number;

  constructor(options: SequencedBatchesOptions) {
    this.#options = options;
    this.#firstSequence = options.firstSequence ?? 0;
    this.#sequence = this.#firstSequence;
  }

  /** Whether a batch has been written whose fate is open. */
  get isOpen(): boolean {
    return this.#batch !== undefined;
  }

  /** Milliseconds since the open batch was first written, if it may be in the log; 0 otherwise. */
  get doubtMs(): number {
    return this.#batch?.isInDoubt ? this.#options.now() - this.#batch.writtenAt : 0;
  }

  get #hasExpired(): boolean {
    const { now, deliveryTimeoutMs } = this.#options;
    return this.#batch !== undefined && now() - this.#batch.writtenAt >= deliveryTimeoutMs;
  }

  /** Sees to it that there is a producer id. @param ask gives one other than the rejected one */
  async identify(ask: (rejected: ProducerIdentity | undefined) => Promise<ProducerIdentity>): Promise<void> {
    this.#identity ??= await ask(this.#rejectedIdentity);
    this.#rejectedIdentity = undefined;
  }

  /** The batch to be written now: the open one again, or the next; undefined when nothing is to be sent. */
  next(): Buffer | undefined {
    if (this.#hasExpired) return undefined;
    this.#batch ??= this.#cut();
    return this.#batch?.bytes;
  }

  #cut(): Batch | undefined {
    const { queue, now, timestamp } = this.#options;
    if (!this.#identity) return undefined;
    const records = queue.take();
    if (records.length === 0) return undefined;
    const sequence = this.#sequence;
    const bytes = encodeRecordBatch(
      records.map(({ record }) => record),
      { identity: this.#identity, baseSequence: sequence, timestamp: timestamp() },
    );
    return { records, bytes, sequence, writtenAt: now(), isInDoubt: false };
  }

  /** The batch was written, and its connection ended without an answer. */
  unanswered(error: unknown): void {
    const { now, observer } = this.#options;
    const batch = this.#batch as Batch;
    batch.isInDoubt = true;
    observer.sent({ records: batch.records.length, milliseconds: now() - batch.writtenAt, error });
  }

  /** The broker has answered the batch that was written. */
  answered({ errorCode, baseOffset }: PartitionResponse): BatchAnswer {
    const { now, observer } = this.#options;
    const batch = this.#batch as Batch;
    const milliseconds = now() - batch.writtenAt;
    const records = batch.records.length;
    const isInLog = errorCode === 0 || errorCode === DUPLICATE_SEQUENCE_NUMBER;
    if (isInLog && baseOffset >= 0) {
      this.#acknowledge(batch, baseOffset);
      observer.sent({ records, milliseconds });
      return { fate: 'acknowledged' };
    }
    const error = errorOfCode(errorCode);
    observer.sent({ records, milliseconds, error });
    if (!isInLog) return { fate: this.#act(batch, produceErrorOf(errorCode), error), error };
    this.giveUp(error);
    return { fate: 'ended' };
  }

  #acknowledge({ records, sequence }: Batch, baseOffset: number): void {
    const { queue, topic, partition, observer } = this.#options;
    this.#batch = undefined;
    this.#sequence = (sequence + records.length) % SEQUENCES;
    queue.acknowledge(records, (index) => ({ topic, partition, offset: baseOffset + index }));
    observer.settled('acknowledged', records.length);
  }

  /** Acts on a broker's error. An earlier attempt may have been appended: then this one's rejection says little. */
  #act(batch: Batch, { isNotAppended, next }: ProduceError, error: Error): BatchAnswer['fate'] {
    if (!isNotAppended) batch.isInDoubt = true;
    if (batch.isInDoubt) {
      if (!isNotAppended || next === 'retry') return 'kept';
      this.giveUp(error);
      return 'ended';
    }
    if (next === 'split') {
      if (batch.records.length > 1) this.#takeBack(batch, true);
      else this.#reject(batch, 'record-too-large', error);
      return 'too-large';
    }
    if (next === 'reject') {
      this.#reject(batch, 'log-unavailable', error);
      return 'ended';
    }
    this.#takeBack(batch, false);
    if (next === 'renew-producer-id') this.#renewIdentity();
    return 'waiting-again';
  }

  /** Gives up a batch that has been retried for as long as it may be. */
  giveUpExpired(cause: unknown): void {
    if (this.#hasExpired) this.giveUp(cause);
  }

  /** The open batch, if any, may be in the log, which can no longer be found out: its numbers must not be used again. */
  giveUp(cause: unknown): void {
    const { queue, observer } = this.#options;
    const batch = this.#batch;
    if (!batch) return;
    this.#batch = undefined;
    queue.reject(batch.records, () => new AppendError('log-unavailable', 'unknown', { cause }));
    observer.settled('unknown', batch.records.length);
    this.#renewIdentity();
  }

  /** The batch is certainly not in the log and never will be: its numbers are free. */
  #reject(batch: Batch, failure: 'log-unavailable' | 'record-too-large', cause: unknown): void {
    const { queue, observer } = this.#options;
    this.#batch = undefined;
    queue.reject(batch.records, () => new AppendError(failure, 'not-published', { cause }));
    observer.settled('rejected', batch.records.length);
  }

  /** The batch is certainly not in the log: its records wait again, its numbers are free. */
  #takeBack({ records }: Batch, isAlone: boolean): void {
    this.#batch = undefined;
    this.#options.queue.putBack(records, isAlone);
  }

  #renewIdentity(): void {
    this.#rejectedIdentity = this.#identity;
    this.#identity = undefined;
    this.#sequence = this.#firstSequence;
    this.#options.observer.producerIdRenewed();
  }
}
