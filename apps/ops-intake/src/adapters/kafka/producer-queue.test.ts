import {
  createProducerQueue,
  type QueueLimits,
  type PartitionedRecord,
  type AppendResult,
} from './producer-queue.ts';
import { AppendError } from '../../application/operation-log.ts';

const limits: QueueLimits = { queueRecords: 100, queueBytes: 1e9, batchRecords: 10, batchBytes: 1e9 };

const recordOf = (key: string, partition = 0, size = 10): PartitionedRecord => ({
  record: { key, value: Buffer.alloc(size), headers: {} },
  partition,
});

/** A queue whose sends the test answers one by one. */
const queueUnderTest = (
  more: Partial<QueueLimits> = {},
  leaderOf: (partition: number) => number = () => 1,
) => {
  const sends: { keys: string[]; answer: (results: AppendResult[]) => void }[] = [];
  let overlaps = 0;
  let inFlight = 0;
  const queue = createProducerQueue({
    leaderOf,
    limits: { ...limits, ...more },
    send: async (batch) => {
      inFlight += 1;
      if (inFlight > 1) overlaps += 1;
      const results = await new Promise<readonly AppendResult[]>((answer) => {
        sends.push({ keys: batch.map(({ record }) => record.key), answer });
      });
      inFlight -= 1;
      return results;
    },
  });
  const nextSend = async (index: number) => {
    while (!sends[index]) await new Promise(setImmediate);
    return sends[index] as (typeof sends)[number];
  };
  const ack = async (index: number, results?: AppendResult[]) => {
    const { keys, answer } = await nextSend(index);
    answer(results ?? keys.map((_, offset) => ({ topic: 't', partition: 0, offset })));
  };
  return { queue, sends, ack, nextSend, overlaps: () => overlaps };
};

const failureOf = async (settled: Promise<unknown>): Promise<string> => {
  const error: unknown = await settled.then(
    () => 'acknowledged',
    (reason: unknown) => reason,
  );
  return error instanceof AppendError ? `${error.failure} ${error.outcome}` : String(error);
};

describe('a producer queue', () => {
  it('sends at once when idle, collects while a batch is in flight, and never sends two at a time', async () => {
    const { queue, sends, ack, overlaps } = queueUnderTest();
    queue.resume();
    const all = ['a', 'b', 'c'].map((key) => queue.append(recordOf(key)).settled);
    expect(sends.map(({ keys }) => keys)).toEqual([['a']]);
    await ack(0);
    await ack(1);
    expect(await Promise.all(all)).toMatchObject([{ offset: 0 }, { offset: 0 }, { offset: 1 }]);
    expect(sends.map(({ keys }) => keys)).toEqual([['a'], ['b', 'c']]);
    expect(overlaps()).toBe(0);
    expect(queue.depth).toEqual({ records: 0, bytes: 0 });
  });

  it('caps a batch by count, by bytes of a partition, and to one leader', async () => {
    const { queue, sends, ack } = queueUnderTest(
      { batchRecords: 3, batchBytes: 3_100 },
      (partition) => partition % 2,
    );
    const records = [
      recordOf('big', 0, 2_000),
      recordOf('other leader', 1),
      recordOf('too much for partition 0', 0, 2_000),
      recordOf('same leader', 2, 2_000),
      recordOf('third', 2),
      recordOf('fourth', 2),
    ];
    queue.pause();
    const all = records.map((record) => queue.append(record).settled);
    queue.resume();
    for (const index of [0, 1, 2]) await ack(index);
    await Promise.all(all);
    expect(sends.map(({ keys }) => keys)).toEqual([
      ['big', 'same leader', 'third'],
      ['other leader'],
      ['too much for partition 0', 'fourth'],
    ]);
  });

  it('rejects beyond the limits of the queue, counting what is in flight', async () => {
    const { queue, ack } = queueUnderTest({ queueRecords: 2, queueBytes: 2_000 });
    queue.resume();
    const inFlight = queue.append(recordOf('a')).settled;
    const waiting = queue.append(recordOf('b')).settled;
    expect(await failureOf(queue.append(recordOf('c')).settled)).toBe('queue-full not-published');
    await ack(0);
    await inFlight;
    expect(await failureOf(queue.append(recordOf('too big', 0, 2_000)).settled)).toBe(
      'queue-full not-published',
    );
    await ack(1);
    await waiting;
  });

  it('rejects at once while failed, and what waits when it fails', async () => {
    const { queue, ack, nextSend } = queueUnderTest();
    expect(await failureOf(queue.append(recordOf('early')).settled)).toBe('log-unavailable not-published');
    queue.resume();
    const inFlight = queue.append(recordOf('inFlight')).settled;
    const waiting = queue.append(recordOf('waiting')).settled;
    await nextSend(0);
    queue.fail(new Error('broker gone'));
    expect(await failureOf(waiting)).toBe('log-unavailable not-published');
    await ack(0, [new AppendError('log-unavailable', 'unknown')]);
    expect(await failureOf(inFlight)).toBe('log-unavailable unknown');
  });

  it('keeps what waits while the producer is replaced', async () => {
    const { queue, sends, ack } = queueUnderTest();
    queue.resume();
    queue.pause();
    const kept = queue.append(recordOf('kept')).settled;
    expect(sends).toEqual([]);
    queue.resume();
    await ack(0);
    expect(await kept).toMatchObject({ offset: 0 });
  });

  it('gives back what was not sent, and only that', async () => {
    const { queue, ack } = queueUnderTest();
    queue.resume();
    const inFlight = queue.append(recordOf('inFlight'));
    const waiting = queue.append(recordOf('waiting'));
    expect([inFlight.withdraw(), waiting.withdraw()]).toEqual([false, true]);
    expect(await failureOf(waiting.settled)).toBe('withdrawn not-published');
    await ack(0);
    expect(await inFlight.settled).toMatchObject({ offset: 0 });
    expect(queue.depth.records).toBe(0);
  });

  it('sends each record of a batch that was too large by itself', async () => {
    const { queue, sends, ack } = queueUnderTest();
    const tooLarge = () => new AppendError('record-too-large', 'not-published');
    queue.pause();
    const small = queue.append(recordOf('small')).settled;
    const large = queue.append(recordOf('large')).settled;
    queue.resume();
    await ack(0, [tooLarge(), tooLarge()]);
    await ack(1);
    await ack(2, [tooLarge()]);
    expect(await small).toMatchObject({ offset: 0 });
    expect(await failureOf(large)).toBe('record-too-large not-published');
    expect(sends.map(({ keys }) => keys)).toEqual([['small', 'large'], ['small'], ['large']]);
  });

  it('does not send again what nobody waits for any more, so that no send outlasts the lease of its key', async () => {
    const { queue, sends, ack } = queueUnderTest();
    const tooLarge = () => new AppendError('record-too-large', 'not-published');
    queue.pause();
    const first = queue.append(recordOf('first'));
    const second = queue.append(recordOf('second'));
    const secondFault = failureOf(second.settled);
    queue.resume();
    // The deadline comes while the batch is out: not withdrawn yet, as the broker may append it.
    expect(second.withdraw()).toBe(false);
    await ack(0, [tooLarge(), tooLarge()]);
    await ack(1);
    expect(await first.settled).toMatchObject({ offset: 0 });
    expect(await secondFault).toBe('withdrawn not-published');
    expect(sends.map(({ keys }) => keys)).toEqual([['first', 'second'], ['first']]);
  });

  it('drains: sends what waits, rejects what comes', async () => {
    const { queue, ack } = queueUnderTest();
    queue.resume();
    const inFlight = queue.append(recordOf('inFlight')).settled;
    const waiting = queue.append(recordOf('waiting')).settled;
    const drained = queue.drain();
    expect(await failureOf(queue.append(recordOf('late')).settled)).toBe('closed not-published');
    await ack(0);
    await ack(1);
    await drained;
    expect(await Promise.all([inFlight, waiting])).toHaveLength(2);
  });
});
