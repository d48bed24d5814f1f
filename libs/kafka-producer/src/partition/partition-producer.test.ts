import fc from 'fast-check';
import type { PendingAppend } from '../record.ts';
import { createFakePartition, identityOf, keysOf } from '../testing/fake-partition.ts';
import { createPartitionProducer, type PartitionProducerOptions } from './partition-producer.ts';
import type { PartitionResponse } from '../wire/produce-request.ts';
import { createQueueDepth, recordBytes } from './queue-depth.ts';

const NOT_LEADER = 6;
const REQUEST_TIMED_OUT = 7;
const NOT_ENOUGH_REPLICAS = 19;
const TOPIC_AUTHORIZATION_FAILED = 29;

/** How one attempt fails; `undefined` when it does not. */
type Fault =
  /** no connection */
  | 'unreachable'
  /** the request is lost, or the connection breaks before the broker has read it */
  | 'lost'
  /** appended, the answer is lost */
  | 'unanswered'
  /** nothing is heard; the broker reads the request only after later ones */
  | 'late'
  /** appended, but the broker says that it may not be */
  | { code: number; isAppended: boolean }
  | undefined;

const setUp = (
  faults: Fault[],
  more: Partial<Pick<PartitionProducerOptions, 'firstSequence' | 'deliveryTimeoutMs'>> & {
    batchRecords?: number;
    onWritten?: (batch: Buffer) => void;
  } = {},
) => {
  const broker = createFakePartition();
  const depth = createQueueDepth({ queueRecords: 1_000, queueBytes: 1e9 });
  const written: Buffer[] = [];
  const late: { batch: Buffer; after: number }[] = [];
  const outcomes = { acknowledged: 0, rejected: 0, unknown: 0 };
  let clock = 0;
  let ids = 0;
  let renewals = 0;
  const fault = (): Fault => (faults.length > 0 ? faults.shift() : undefined);
  const deliver = (batch: Buffer): PartitionResponse => {
    const response = broker.append(batch);
    for (const one of late) one.after -= 1;
    for (const one of late.filter(({ after }) => after === 0)) broker.append(one.batch);
    return response;
  };
  const producer = createPartitionProducer({
    topic: 't',
    partition: 0,
    depth,
    limits: { batchRecords: more.batchRecords ?? 10, batchBytes: 1e6 },
    holdMs: 2_000,
    deliveryTimeoutMs: more.deliveryTimeoutMs ?? 30_000,
    now: () => clock,
    timestamp: () => clock,
    ...(more.firstSequence !== undefined && { firstSequence: more.firstSequence }),
    observer: {
      sent: () => undefined,
      settled: (outcome, records) => (outcomes[outcome] += records),
      producerIdRenewed: () => (renewals += 1),
    },
    route: {
      connect: async () => {
        if (faults[0] === 'unreachable') throw new Error(String(fault()));
      },
      identity: async () => ({ id: BigInt((ids += 1)), epoch: 0 }),
      produce: async (_partition, take) => {
        await new Promise(setImmediate);
        const batch = take();
        if (!batch) return undefined;
        written.push(batch);
        more.onWritten?.(batch);
        const befallen = fault();
        if (befallen === undefined) return deliver(batch);
        if (befallen === 'unanswered') deliver(batch);
        if (befallen === 'late') late.push({ batch, after: 3 });
        if (typeof befallen === 'string') throw new Error(befallen);
        if (befallen.isAppended) deliver(batch);
        return { errorCode: befallen.code, baseOffset: -1 };
      },
      recover: async (failures) => {
        clock += Math.min(100 * failures, 1_000);
        await new Promise(setImmediate);
      },
    },
  });
  const append = (key: string): Appended => {
    const record = { key, value: Buffer.from(key), headers: {} };
    const bytes = recordBytes(record);
    if (!depth.enter(bytes)) throw new Error('full');
    let pending: PendingAppend | undefined;
    const fate = new Promise<number | string>((resolve) => {
      pending = producer.append(record, bytes, {
        acknowledged: ({ offset }) => resolve(offset),
        failed: ({ failure, outcome }) => resolve(`${failure} ${outcome}`),
      });
    });
    return { fate, withdraw: () => pending!.withdraw() };
  };
  return { producer, append, broker, depth, written, outcomes, renewals: () => renewals };
};

interface Appended extends PendingAppend {
  /** what is known of the record in the end: its offset, or failure and outcome */
  readonly fate: Promise<number | string>;
}

const fateOf = ({ fate }: Appended): Promise<number | string> => fate;

describe('the producer of a partition', () => {
  it('sends at once when idle, and collects while a batch is on its way', async () => {
    const { producer, append, written } = setUp([]);
    await producer.tried;
    const fates = ['a', 'b'].map(append).map(fateOf);
    fates.push(...(await Promise.all(fates), ['c', 'd'].map(append).map(fateOf)));
    expect(await Promise.all(fates)).toEqual([0, 1, 2, 3]);
    expect(written.map(keysOf)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    await producer.stop();
  });

  it.each([
    ['a lost request', ['lost'], 2],
    ['a lost answer', ['unanswered', 'unanswered'], 3],
    ['REQUEST_TIMED_OUT after the append', [{ code: REQUEST_TIMED_OUT, isAppended: true }], 2],
    ['NOT_LEADER_OR_FOLLOWER, not appended', [{ code: NOT_LEADER, isAppended: false }], 2],
    ['a rejection after a lost answer', ['unanswered', { code: NOT_ENOUGH_REPLICAS, isAppended: false }], 3],
  ] as [string, Fault[], number][])('writes the same bytes again after %s', async (_what, faults, writes) => {
    const { producer, append, written, broker, outcomes, renewals } = setUp(faults);
    await producer.tried;
    expect(await fateOf(append('a'))).toBe(0);
    expect(await fateOf(append('b'))).toBe(1);
    expect(broker.log).toEqual(['a', 'b']);
    expect(written).toHaveLength(writes + 1);
    for (const again of written.slice(0, writes)) expect(again.equals(written[0] as Buffer)).toBe(true);
    expect([outcomes, renewals()]).toEqual([{ acknowledged: 2, rejected: 0, unknown: 0 }, 0]);
    await producer.stop();
  });

  it('rejects at once what the broker never takes, and goes on with the same numbers', async () => {
    const { producer, append, written, broker } = setUp([
      { code: TOPIC_AUTHORIZATION_FAILED, isAppended: false },
    ]);
    await producer.tried;
    expect(await fateOf(append('a'))).toBe('log-unavailable not-published');
    expect(await fateOf(append('b'))).toBe(0);
    expect(broker.log).toEqual(['b']);
    expect(written.map((batch) => batch.readInt32BE(53))).toEqual([0, 0]);
    await producer.stop();
  });

  it('keeps records waiting while the broker wants replicas, then rejects them', async () => {
    const missing: Fault = { code: NOT_ENOUGH_REPLICAS, isAppended: false };
    const { producer, append, broker } = setUp([missing, missing, missing]);
    await producer.tried;
    expect(await fateOf(append('a'))).toBe(0);

    const longer = setUp(Array.from({ length: 100 }, () => missing));
    await longer.producer.tried;
    expect(await fateOf(longer.append('b'))).toBe('log-unavailable not-published');
    expect([broker.log, longer.broker.log]).toEqual([['a'], []]);
    await Promise.all([producer.stop(), longer.producer.stop()]);
  });

  it('sends each record of a batch that was too large by itself', async () => {
    const { producer, append, broker, outcomes } = setUp([]);
    await producer.tried;
    broker.maxBytes = 100;
    const fates = [append('small'), append('large'.repeat(20)), append('tiny')].map(fateOf);
    expect(await Promise.all(fates)).toEqual([0, 'record-too-large not-published', 1]);
    expect(outcomes).toEqual({ acknowledged: 2, rejected: 1, unknown: 0 });
    await producer.stop();
  });

  it('takes another producer id when the broker does not follow, and only an open batch is in doubt', async () => {
    const { producer, append, broker, written, outcomes, renewals } = setUp([undefined, undefined, 'lost']);
    await producer.tried;
    await fateOf(append('a'));
    broker.forget();
    // Never written before: certainly not in the log, so it goes under the next id.
    expect(await fateOf(append('b'))).toBe(1);
    expect(written.map((batch) => identityOf(batch).id)).toEqual([1n, 1n, 2n, 2n]);
    expect([outcomes.unknown, renewals()]).toEqual([0, 1]);
    await producer.stop();

    // It may have been written before.
    const doubtful = setUp([undefined, 'lost']);
    await doubtful.producer.tried;
    await fateOf(doubtful.append('a'));
    const fate = fateOf(doubtful.append('b'));
    while (doubtful.written.length < 2) await new Promise(setImmediate);
    doubtful.broker.forget();
    expect(await fate).toBe('log-unavailable unknown');
    expect(await fateOf(doubtful.append('c'))).toBe(1);
    await doubtful.producer.stop();
  });

  it('says unknown after the delivery timeout, writes no more of it, and goes on under another id', async () => {
    const silence = Array.from({ length: 40 }, (): Fault => 'lost');
    const { producer, append, broker, written, outcomes } = setUp(silence, { deliveryTimeoutMs: 5_000 });
    await producer.tried;
    expect(await fateOf(append('a'))).toBe('log-unavailable unknown');
    const writes = written.length;
    expect(outcomes).toEqual({ acknowledged: 0, rejected: 0, unknown: 1 });
    silence.length = 0;
    while (producer.error !== undefined) await new Promise(setImmediate);
    expect(await fateOf(append('b'))).toBe(0);
    expect(broker.log).toEqual(['b']);
    expect(written.slice(writes).map((batch) => identityOf(batch).id)).toEqual([2n]);
    await producer.stop();
  });

  it('takes no records while the leader has been unreachable for long, and says why', async () => {
    const away = Array.from({ length: 100 }, (): Fault => 'unreachable');
    const { producer, append, depth } = setUp(away);
    await producer.tried;
    expect(await fateOf(append('a'))).toBe('log-unavailable not-published');
    expect(String(producer.error)).toContain('unreachable');
    away.length = 0;
    while (producer.error !== undefined) await new Promise(setImmediate);
    expect(await fateOf(append('b'))).toBe(0);
    expect(depth.records).toBe(0);
    await producer.stop();
  });

  it('gives back what was not written, and only that', async () => {
    const { producer, append, broker } = setUp([]);
    await producer.tried;
    const withdrawn = append('a');
    const kept = append('b');
    expect(withdrawn.withdraw()).toBe(true);
    expect([await fateOf(withdrawn), await fateOf(kept)]).toEqual(['withdrawn not-published', 0]);
    expect(kept.withdraw()).toBe(false);
    expect(broker.log).toEqual(['b']);
    await producer.stop();
  });

  it('does not send again what was taken back after its caller had left', async () => {
    const pending: Appended[] = [];
    const { producer, append, broker } = setUp([{ code: NOT_ENOUGH_REPLICAS, isAppended: false }], {
      onWritten: () => void pending[0]?.withdraw(),
    });
    await producer.tried;
    pending.push(append('a'), append('b'));
    expect(await Promise.all(pending.map(fateOf))).toEqual(['withdrawn not-published', 0]);
    expect(broker.log).toEqual(['b']);
    await producer.stop();
  });

  it('counts on from 2³¹ - 1 to 0', async () => {
    const { producer, append, broker, written, renewals } = setUp(
      ['unanswered', 'unanswered', 'unanswered'],
      {
        firstSequence: 2 ** 31 - 3,
        batchRecords: 2,
      },
    );
    await producer.tried;
    const fates = Array.from({ length: 8 }, (_, index) => fateOf(append(`${index}`)));
    expect(await Promise.all(fates)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(broker.log).toHaveLength(8);
    expect(new Set(written.map((batch) => batch.readInt32BE(53)))).toEqual(
      new Set([2 ** 31 - 3, 2 ** 31 - 1, 1, 3]),
    );
    expect(renewals()).toBe(0);
    await producer.stop();
  });

  it('leaves nobody without an answer when it stops', async () => {
    const { producer, append, depth } = setUp(Array.from({ length: 1_000 }, (): Fault => 'lost'));
    await producer.tried;
    const open = fateOf(append('a'));
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    const waiting = fateOf(append('b'));
    await producer.stop();
    expect([await open, await waiting]).toEqual(['log-unavailable unknown', 'closed not-published']);
    expect(depth.records).toBe(0);
  });

  it('tells the truth about every record, whatever befalls its requests', async () => {
    const fault: fc.Arbitrary<Fault> = fc.oneof(
      { weight: 6, arbitrary: fc.constant(undefined) },
      { weight: 4, arbitrary: fc.constantFrom('unreachable', 'lost', 'unanswered', 'late') },
      {
        weight: 3,
        arbitrary: fc.record({
          code: fc.constantFrom(NOT_LEADER, REQUEST_TIMED_OUT),
          isAppended: fc.boolean(),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          code: fc.constantFrom(NOT_ENOUGH_REPLICAS, TOPIC_AUTHORIZATION_FAILED, 10, 45, 59),
          isAppended: fc.constant(false),
        }),
      },
    );
    const counted = { acknowledged: 0, notPublished: 0, unknown: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fault, { maxLength: 60 }),
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 12 }),
        fc.constantFrom(0, 2 ** 31 - 10),
        async (faults, bursts, firstSequence) => {
          const { producer, append, broker, depth } = setUp([...faults], { firstSequence, batchRecords: 4 });
          await producer.tried;
          const fates: Promise<[string, number | string]>[] = [];
          for (const size of bursts) {
            for (let index = 0; index < size; index += 1) {
              const key = `key-${fates.length}`;
              const pending = append(key);
              if (fates.length % 7 === 3) pending.withdraw();
              fates.push(fateOf(pending).then((fate) => [key, fate]));
            }
            await new Promise(setImmediate);
            await new Promise(setImmediate);
          }
          for (const [key, fate] of await Promise.all(fates)) {
            const copies = broker.log.filter((one) => one === key).length;
            if (typeof fate === 'number') {
              expect([key, copies, broker.log[fate]]).toEqual([key, 1, key]);
              counted.acknowledged += 1;
            } else if (fate.endsWith('unknown')) {
              expect(copies).toBeLessThanOrEqual(1);
              counted.unknown += 1;
            } else {
              expect([key, fate, copies]).toEqual([key, fate, 0]);
              counted.notPublished += 1;
            }
          }
          expect(depth.records).toBe(0);
          await producer.stop();
        },
      ),
      { numRuns: 500 },
    );
    for (const count of Object.values(counted)) expect(count).toBeGreaterThan(50);
  }, 60_000);
});
