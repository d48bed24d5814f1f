import { createLane, type LaneLimits, type Routed, type SendResult } from './lane.ts';
import { AppendError } from './operation-log.ts';

const limits: LaneLimits = { queueRecords: 100, queueBytes: 1e9, batchRecords: 10, batchBytes: 1e9 };

const routed = (key: string, partition = 0, size = 10): Routed => ({
  record: { key, value: Buffer.alloc(size), headers: {} },
  partition,
});

/** A lane whose sends the test answers one by one. */
const laneUnderTest = (more: Partial<LaneLimits> = {}, leaderOf: (partition: number) => number = () => 1) => {
  const sends: { keys: string[]; answer: (results: SendResult[]) => void }[] = [];
  let overlaps = 0;
  let flying = 0;
  const lane = createLane({
    leaderOf,
    limits: { ...limits, ...more },
    send: async (batch) => {
      flying += 1;
      if (flying > 1) overlaps += 1;
      const results = await new Promise<readonly SendResult[]>((answer) => {
        sends.push({ keys: batch.map(({ record }) => record.key), answer });
      });
      flying -= 1;
      return results;
    },
  });
  const nextSend = async (index: number) => {
    while (!sends[index]) await new Promise(setImmediate);
    return sends[index] as (typeof sends)[number];
  };
  const ack = async (index: number, results?: SendResult[]) => {
    const { keys, answer } = await nextSend(index);
    answer(results ?? keys.map((_, offset) => ({ topic: 't', partition: 0, offset })));
  };
  return { lane, sends, ack, nextSend, overlaps: () => overlaps };
};

const faultOf = async (settled: Promise<unknown>): Promise<string> => {
  const error: unknown = await settled.then(
    () => 'acknowledged',
    (reason: unknown) => reason,
  );
  return error instanceof AppendError ? `${error.fault} ${error.outcome}` : String(error);
};

describe('a lane', () => {
  it('sends at once when idle, collects while a batch flies, and never sends two at a time', async () => {
    const { lane, sends, ack, overlaps } = laneUnderTest();
    lane.open();
    const all = ['a', 'b', 'c'].map((key) => lane.append(routed(key)).settled);
    expect(sends.map(({ keys }) => keys)).toEqual([['a']]);
    await ack(0);
    await ack(1);
    expect(await Promise.all(all)).toMatchObject([{ offset: 0 }, { offset: 0 }, { offset: 1 }]);
    expect(sends.map(({ keys }) => keys)).toEqual([['a'], ['b', 'c']]);
    expect(overlaps()).toBe(0);
    expect(lane.depth).toEqual({ records: 0, bytes: 0 });
  });

  it('caps a batch by count, by bytes of a partition, and to one leader', async () => {
    const { lane, sends, ack } = laneUnderTest(
      { batchRecords: 3, batchBytes: 3_100 },
      (partition) => partition % 2,
    );
    const records = [
      routed('big', 0, 2_000),
      routed('other leader', 1),
      routed('too much for partition 0', 0, 2_000),
      routed('same leader', 2, 2_000),
      routed('third', 2),
      routed('fourth', 2),
    ];
    lane.hold();
    const all = records.map((record) => lane.append(record).settled);
    lane.open();
    for (const index of [0, 1, 2]) await ack(index);
    await Promise.all(all);
    expect(sends.map(({ keys }) => keys)).toEqual([
      ['big', 'same leader', 'third'],
      ['other leader'],
      ['too much for partition 0', 'fourth'],
    ]);
  });

  it('refuses beyond the limits of the queue, counting what flies', async () => {
    const { lane, ack } = laneUnderTest({ queueRecords: 2, queueBytes: 2_000 });
    lane.open();
    const flying = lane.append(routed('a')).settled;
    const waiting = lane.append(routed('b')).settled;
    expect(await faultOf(lane.append(routed('c')).settled)).toBe('queue-full not-published');
    await ack(0);
    await flying;
    expect(await faultOf(lane.append(routed('too big', 0, 2_000)).settled)).toBe('queue-full not-published');
    await ack(1);
    await waiting;
  });

  it('refuses at once while shut, and what waits when it shuts', async () => {
    const { lane, ack, nextSend } = laneUnderTest();
    expect(await faultOf(lane.append(routed('early')).settled)).toBe('log-unavailable not-published');
    lane.open();
    const flying = lane.append(routed('flying')).settled;
    const waiting = lane.append(routed('waiting')).settled;
    await nextSend(0);
    lane.shut(new Error('broker gone'));
    expect(await faultOf(waiting)).toBe('log-unavailable not-published');
    await ack(0, [new AppendError('log-unavailable', 'unknown')]);
    expect(await faultOf(flying)).toBe('log-unavailable unknown');
  });

  it('keeps what waits while the producer is replaced', async () => {
    const { lane, sends, ack } = laneUnderTest();
    lane.open();
    lane.hold();
    const kept = lane.append(routed('kept')).settled;
    expect(sends).toEqual([]);
    lane.open();
    await ack(0);
    expect(await kept).toMatchObject({ offset: 0 });
  });

  it('gives back what was not sent, and only that', async () => {
    const { lane, ack } = laneUnderTest();
    lane.open();
    const flying = lane.append(routed('flying'));
    const waiting = lane.append(routed('waiting'));
    expect([flying.withdraw(), waiting.withdraw()]).toEqual([false, true]);
    expect(await faultOf(waiting.settled)).toBe('withdrawn not-published');
    await ack(0);
    expect(await flying.settled).toMatchObject({ offset: 0 });
    expect(lane.depth.records).toBe(0);
  });

  it('sends each record of a batch that was too large by itself', async () => {
    const { lane, sends, ack } = laneUnderTest();
    const tooLarge = () => new AppendError('record-too-large', 'not-published');
    lane.hold();
    const small = lane.append(routed('small')).settled;
    const large = lane.append(routed('large')).settled;
    lane.open();
    await ack(0, [tooLarge(), tooLarge()]);
    await ack(1);
    await ack(2, [tooLarge()]);
    expect(await small).toMatchObject({ offset: 0 });
    expect(await faultOf(large)).toBe('record-too-large not-published');
    expect(sends.map(({ keys }) => keys)).toEqual([['small', 'large'], ['small'], ['large']]);
  });

  it('does not send again what nobody waits for any more, so that no send outlasts the lease of its key', async () => {
    const { lane, sends, ack } = laneUnderTest();
    const tooLarge = () => new AppendError('record-too-large', 'not-published');
    lane.hold();
    const first = lane.append(routed('first'));
    const second = lane.append(routed('second'));
    const secondFault = faultOf(second.settled);
    lane.open();
    // The deadline comes while the batch is out: not withdrawn yet, as the broker may append it.
    expect(second.withdraw()).toBe(false);
    await ack(0, [tooLarge(), tooLarge()]);
    await ack(1);
    expect(await first.settled).toMatchObject({ offset: 0 });
    expect(await secondFault).toBe('withdrawn not-published');
    expect(sends.map(({ keys }) => keys)).toEqual([['first', 'second'], ['first']]);
  });

  it('drains: sends what waits, refuses what comes', async () => {
    const { lane, ack } = laneUnderTest();
    lane.open();
    const flying = lane.append(routed('flying')).settled;
    const waiting = lane.append(routed('waiting')).settled;
    const drained = lane.drain();
    expect(await faultOf(lane.append(routed('late')).settled)).toBe('closed not-published');
    await ack(0);
    await ack(1);
    await drained;
    expect(await Promise.all([flying, waiting])).toHaveLength(2);
  });
});
