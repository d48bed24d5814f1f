import type { PendingAppend, RecordOutcome } from '@workspace/schemas';
import { PartitionProducer, type PartitionProducerOptions } from '../partition/partition-producer.ts';
import type { ProduceAttempt } from '../partition/produce-observer.ts';
import { createQueueDepth } from '../partition/queue-depth.ts';
import type { PartitionResponse } from '../wire/produce-request.ts';
import { recordBytes } from '../wire/record-batch.ts';
import { createFakePartition } from './fake-partition.ts';

/** How one attempt fails; `undefined` when it does not. */
export type Fault =
  /** no connection */
  | 'unreachable'
  /** the request is lost, or the connection breaks before the broker has read it */
  | 'lost'
  /** appended, the answer is lost */
  | 'unanswered'
  /** no answer; the broker reads the request only after later ones */
  | 'late'
  /** what the broker answers, whether or not it has appended the batch */
  | { code: number; isAppended: boolean }
  | undefined;

export interface Appended extends PendingAppend {
  /** what became of the record: its offset, or outcome and reason */
  readonly outcome: Promise<number | string>;
}

const textOf = (outcome: RecordOutcome): number | string =>
  outcome.outcome === 'accepted' ? outcome.offset : `${outcome.outcome}: ${outcome.reason}`;

export interface SceneOptions extends Partial<
  Pick<PartitionProducerOptions, 'firstSequence' | 'deliveryTimeoutMs'>
> {
  batchRecords?: number;
  onWritten?: (batch: Buffer) => void;
}

/** What the tests of a file have opened. */
const producers: PartitionProducer[] = [];
afterEach(() => Promise.all(producers.splice(0).map((producer) => producer.stop())));

/** A producer on a fake partition with a clock of its own. Attempts fail as `faults` has it, then none does. It stops after the test. */
export const partitionScene = (faults: Fault[], more: SceneOptions = {}) => {
  let clock = 0;
  const broker = createFakePartition(() => clock);
  const depth = createQueueDepth({ queueRecords: 1_000, queueBytes: 1e9 });
  const written: Buffer[] = [];
  const timeouts: number[] = [];
  const pauses: number[] = [];
  const attempts: ProduceAttempt[] = [];
  const late: { batch: Buffer; after: number }[] = [];
  const outcomes = { accepted: 0, 'not-published': 0, unknown: 0 };
  let ids = 0;
  let renewals = 0;
  let calls = 0;
  const fault = (): Fault => (faults.length > 0 ? faults.shift() : undefined);
  const deliver = (batch: Buffer): PartitionResponse => {
    const response = broker.append(batch);
    for (const one of late) one.after -= 1;
    for (const one of late.filter(({ after }) => after === 0)) broker.append(one.batch);
    return response;
  };
  const producer = new PartitionProducer({
    topic: 't',
    partition: 0,
    depth,
    limits: { batchRecords: more.batchRecords ?? 10, batchBytes: 1e6 },
    requestTimeoutMs: 1_000,
    deliveryTimeoutMs: more.deliveryTimeoutMs ?? 30_000,
    now: () => clock,
    timestamp: () => clock,
    pause: async (milliseconds) => {
      pauses.push(milliseconds);
      clock += 2 * milliseconds;
      await new Promise(setImmediate);
    },
    afterWriting: (task) => process.nextTick(() => setImmediate(task)),
    firstSequence: more.firstSequence,
    observer: {
      acknowledgedLost: () => undefined,
      sent: (attempt) => attempts.push(attempt),
      settled: (outcome, records) => (outcomes[outcome] += records),
      producerIdRenewed: () => (renewals += 1),
    },
    leader: {
      connect: async () => {
        if (faults[0] === 'unreachable') throw new Error(String(fault()));
      },
      identity: async () => ({ id: BigInt((ids += 1)), epoch: 0 }),
      produce: async (take, timeoutMs) => {
        calls += 1;
        await new Promise(setImmediate);
        const batch = take(Infinity, true) ?? take(Infinity, false);
        if (!batch) return undefined;
        written.push(batch);
        timeouts.push(timeoutMs);
        more.onWritten?.(batch);
        // No broker answers in the iteration of the event loop in which it was asked.
        await new Promise(setImmediate);
        const next = fault();
        if (next === undefined) return deliver(batch);
        if (next === 'unanswered') deliver(batch);
        if (next === 'late') late.push({ batch, after: 3 });
        if (typeof next === 'string') throw new Error(next);
        if (next.isAppended) deliver(batch);
        return { errorCode: next.code, baseOffset: -1 };
      },
      refresh: async () => undefined,
    },
  });
  producers.push(producer);
  /** @param maxWaitMs how long it may wait before it is sent */
  const appendFor = (maxWaitMs: number, key: string): Appended => {
    const record = { key, value: Buffer.from(key), headers: {}, timestamp: clock };
    const bytes = recordBytes(record);
    if (!depth.enter(bytes)) throw new Error('full');
    let pending: PendingAppend | undefined;
    const outcome = new Promise<number | string>((resolve) => {
      pending = producer.append(
        record,
        bytes,
        { settled: (outcome) => resolve(textOf(outcome)) },
        clock + maxWaitMs,
      );
    });
    return { outcome, withdraw: () => pending!.withdraw() };
  };
  return {
    producer,
    append: (key: string): Appended => appendFor(Infinity, key),
    appendFor,
    broker,
    depth,
    written,
    timeouts,
    pauses,
    attempts,
    outcomes,
    renewals: () => renewals,
    /** calls of the leader's `produce` */
    calls: () => calls,
    pass: (milliseconds: number) => void (clock += milliseconds),
  };
};

/** The same, whose leader was tried. */
export const triedScene = async (faults: Fault[], more: SceneOptions = {}) => {
  const scene = partitionScene(faults, more);
  await scene.producer.tried;
  return scene;
};
