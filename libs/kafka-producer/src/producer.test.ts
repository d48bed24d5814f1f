import { captureLogger, eventually } from '@workspace/testing';
import type { RecordOutcome } from '@workspace/schemas';
import { openProducer, type Producer, type ProducerOptions } from './producer.ts';
import { type FakeCluster, startFakeCluster } from './testing/fake-cluster.ts';
import { systemRuntime } from './wire/runtime.ts';

const UNKNOWN_TOPIC_OR_PARTITION = 3;
const NOT_LEADER_OR_FOLLOWER = 6;
const MESSAGE_TOO_LARGE = 10;
const NOT_ENOUGH_REPLICAS = 19;
const OUT_OF_ORDER_SEQUENCE_NUMBER = 45;
const NOW = new Date('2026-11-22T12:00:00Z');

const LIMITS = { queueRecords: 5, queueBytes: 10_000, batchRecords: 500, batchBytes: 900_000 };

describe('a producer', () => {
  let brokers: FakeCluster;
  let producer: Producer | undefined;
  let logged: ReturnType<typeof captureLogger>;
  let settled: [string, number][];
  let renewed: number;
  let lost: number;
  beforeEach(async () => {
    brokers = await startFakeCluster(2);
    logged = captureLogger();
    settled = [];
    renewed = 0;
    lost = 0;
  });
  afterEach(async () => {
    await producer?.close();
    producer = undefined;
    await brokers.close();
  });

  const open = (more: Partial<ProducerOptions> = {}): Producer =>
    (producer = openProducer({
      settings: brokers.settings,
      limits: LIMITS,
      search: { maxBytes: 1e9, timeoutMs: 5_000 },
      probeIntervalMs: 5,
      now: () => NOW,
      logger: logged.logger,
      observer: {
        settled: (outcome, records) => settled.push([outcome, records]),
        producerIdRenewed: () => (renewed += 1),
        acknowledgedLost: (records) => (lost += records),
      },
      ...more,
    }));
  const opened = async (partitions: number, more: Partial<ProducerOptions> = {}): Promise<Producer> => {
    brokers.createTopic(partitions);
    open(more);
    await producer!.probed;
    return producer!;
  };
  const append = (key: string, value = key): Promise<RecordOutcome> =>
    new Promise((resolve) =>
      producer!.append({ key, value: Buffer.from(value), headers: { id: key } }, { settled: resolve }),
    );
  const requestsOf = (api: string) => brokers.requests.filter((request) => request.api === api);
  const messages = () => logged.lines.map(({ msg }) => msg);

  it('writes each record to the partition of its key, at the offset that it reports', async () => {
    await opened(3, { limits: { ...LIMITS, queueRecords: 10 } });
    const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
    const outcomes = await Promise.all(keys.map((key) => append(key)));
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.outcome !== 'accepted') throw new Error(outcome.reason);
      expect(outcome.topic).toBe('t');
      expect(brokers.topic!.partitions[outcome.partition]!.log[outcome.offset]).toBe(keys[index]);
    }
    expect(new Set(outcomes.map((outcome) => 'partition' in outcome && outcome.partition)).size).toBe(3);
    expect(settled.reduce((sum, [, records]) => sum + records, 0)).toBe(10);
    expect(new Set(settled.map(([outcome]) => outcome))).toEqual(new Set(['accepted']));
    // Partitions 0 and 2 have one leader, and share its requests.
    expect(requestsOf('Produce').filter(({ node }) => node === 1)).toHaveLength(1);
    expect(requestsOf('InitProducerId')).toHaveLength(1);
  });

  it('is ready when the topic was seen and its leaders were reached', async () => {
    brokers.createTopic(2);
    open();
    const early = producer!.append(
      { key: 'a', value: Buffer.from('a'), headers: {} },
      { settled: () => undefined },
    );
    expect(early.withdraw()).toBe(false);
    expect(producer!.status()).toEqual({ connected: false, queued: { records: 0, bytes: 0 } });
    expect(await append('early')).toEqual({ outcome: 'not-published', reason: 'log-unavailable' });
    await producer!.probed;
    expect(producer!.status()).toEqual({
      connected: true,
      checkedAt: NOW,
      latencyMs: expect.any(Number),
      settingsKnown: true,
      queued: { records: 0, bytes: 0 },
    });
    expect(brokers.connections(2)).toBe(1);
    expect(requestsOf('Produce')).toEqual([]);
  });

  it('says what it waits for, and is full when that is too much', async () => {
    await opened(1);
    brokers.silent.add('Produce');
    const waiting = Array.from({ length: 5 }, (_, index) => append(`${index}`));
    expect(producer!.isFull()).toBe(true);
    expect(producer!.status().queued.records).toBe(5);
    expect(producer!.status().queued.bytes).toBeGreaterThan(5 * 27);
    expect(await append('more')).toEqual({ outcome: 'not-published', reason: 'queue-full' });
    await eventually('a produce request', () => requestsOf('Produce').length > 0);
    brokers.silent.clear();
    await brokers.stop(1);
    await brokers.start(1);
    expect((await Promise.all(waiting)).map(({ outcome }) => outcome)).toEqual(Array(5).fill('accepted'));
    expect(producer!.isFull()).toBe(false);
    expect(producer!.status().queued).toEqual({ records: 0, bytes: 0 });
    expect(brokers.topic!.partitions[0]!.log).toEqual(['0', '1', '2', '3', '4']);
  });

  it('follows the leadership of a partition, and logs what it waited for once', async () => {
    await opened(1, { probeIntervalMs: 60_000 });
    await append('before');
    brokers.topic!.leaders = [2];
    expect(await append('after')).toMatchObject({ outcome: 'accepted', offset: 1 });
    expect(requestsOf('Produce').map(({ node }) => node)).toEqual([1, 1, 2]);
    expect(logged.lines.filter(({ msg }) => msg === 'batch not acknowledged')).toMatchObject([
      { level: 'warn', partition: 0, records: 1, reason: 'NOT_LEADER_FOR_PARTITION' },
    ]);
    expect(messages().at(-1)).toBe('batches acknowledged again');
    expect(producer!.status().connected).toBe(true);
  });

  it('writes to and reads from a leader at whose address another broker was before', async () => {
    await opened(1, { probeIntervalMs: 60_000, search: { maxBytes: 1e9, timeoutMs: 600_000 } });
    await append('before');
    brokers.misrouted.set(1, 2);
    await brokers.stop(1);
    await brokers.start(1);
    const query = { header: { name: 'id', value: 'before' }, likelyKey: 'before', from: new Date(0) };
    const found = producer!.find(query);
    const outcome = append('after');
    await eventually('answers of both kinds', () =>
      ['Produce', 'ListOffsets'].every((api) => requestsOf(api).some(({ node }) => node === 2)),
    );
    brokers.misrouted.clear();
    expect(await outcome).toMatchObject({ outcome: 'accepted', offset: 1 });
    expect(await found).toMatchObject({ found: { offset: 0 } });
  });

  it('writes to partitions that are added', async () => {
    await opened(1);
    expect(await append('a')).toMatchObject({ outcome: 'accepted', partition: 0 });
    brokers.createTopic(2);
    // `d` belongs to the second of two partitions, and is rejected until its leader was reached.
    await eventually('d in the second partition', async () => {
      const outcome = await append('d');
      return outcome.outcome === 'accepted' && outcome.partition === 1;
    });
    expect(brokers.topic!.partitions[1]!.log).toEqual(['d']);
  });

  it('writes to partitions that it learns of from a failure, before the next probe', async () => {
    await opened(1, { probeIntervalMs: 60_000 });
    brokers.createTopic(2);
    brokers.errors.Produce = [NOT_LEADER_OR_FOLLOWER];
    await eventually('d in the second partition', async () => {
      const outcome = await append('d');
      return outcome.outcome === 'accepted' && outcome.partition === 1;
    });
    expect(brokers.topic!.partitions[1]!.log).toEqual(['d']);
    expect(producer!.status().connected).toBe(true);
  });

  it('is connected when its topic was made anew with fewer partitions', async () => {
    await opened(2, { settings: { ...brokers.settings, requestTimeoutMs: 2_000 } });
    brokers.errors.Produce = Array(1_000).fill(UNKNOWN_TOPIC_OR_PARTITION);
    // `d` belongs to the second partition, which is gone while it waits.
    const waiting = append('d');
    await eventually('a batch that is not acknowledged', () => messages().includes('batch not acknowledged'));
    brokers.createTopic(1);
    expect(await waiting).toEqual({ outcome: 'not-published', reason: 'log-unavailable' });
    brokers.errors.Produce = [];
    expect(await append('d')).toMatchObject({ outcome: 'accepted', partition: 0 });
    expect(producer!.status()).toMatchObject({ connected: true });
    expect(producer!.status().error).toBeUndefined();
  });

  it('says that acknowledged records are gone when the log goes on before them', async () => {
    await opened(1);
    for (const key of ['a', 'b', 'c']) await append(key);
    expect(lost).toBe(0);
    // As after an unclean election.
    brokers.topic!.partitions[0]!.truncate(2);
    expect(await append('d')).toMatchObject({ outcome: 'accepted', offset: 1 });
    expect(await append('e')).toMatchObject({ outcome: 'accepted', offset: 2 });
    expect(lost).toBe(2);
    expect(logged.lines.filter(({ msg }) => msg === 'acknowledged records are gone')).toMatchObject([
      { level: 'warn', topic: 't', partition: 0, from: 1, to: 2 },
    ]);
  });

  it('says so without writing, where it follows the topic', async () => {
    const index = { header: 'id', windowMs: 1_000, intervalMs: 5 };
    await opened(1, { search: { maxBytes: 1e9, timeoutMs: 5_000, index } });
    for (const key of ['a', 'b', 'c']) await append(key);
    await producer!.find({ header: { name: 'id', value: 'c' }, likelyKey: 'c', from: new Date(0) });
    brokers.topic!.epochAt = () => 1;
    brokers.topic!.partitions[0]!.truncate(1);
    await eventually('loss', () => lost > 0);
    expect(lost).toBe(1);
    expect(logged.lines).toContainEqual(
      expect.objectContaining({ msg: 'acknowledged records are gone', partition: 0, from: 2, to: 2 }),
    );
  });

  it('reports why records are rejected, and that the producer id was renewed', async () => {
    await opened(1);
    brokers.errors.Produce = [OUT_OF_ORDER_SEQUENCE_NUMBER];
    expect(await append('a')).toMatchObject({ outcome: 'accepted' });
    expect(renewed).toBe(1);
    expect(requestsOf('InitProducerId')).toHaveLength(2);
    expect(logged.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: 'producer id renewed', partition: 0 }),
    );
    brokers.errors.Produce = Array(1_000).fill(NOT_ENOUGH_REPLICAS);
    const waiting = append('b');
    await eventually('no connection', () => !producer!.status().connected);
    expect(producer!.status()).toMatchObject({ connected: false, error: 'NOT_ENOUGH_REPLICAS' });
    brokers.errors.Produce = [];
    expect(await waiting).toMatchObject({ outcome: 'accepted' });
    brokers.errors.Produce = [MESSAGE_TOO_LARGE];
    expect(await append('c')).toEqual({ outcome: 'not-published', reason: 'record-too-large' });
    expect(producer!.status().connected).toBe(true);
    expect(settled).toEqual([
      ['accepted', 1],
      ['accepted', 1],
      ['not-published', 1],
    ]);
  });

  it('starts without brokers, and writes when they come', async () => {
    await brokers.stop(1);
    await opened(1);
    expect(producer!.status()).toMatchObject({
      connected: false,
      error: expect.stringContaining('ECONNREFUSED'),
    });
    await brokers.start(1);
    await eventually('a connection', () => producer!.status().connected);
    expect(await append('a')).toMatchObject({ outcome: 'accepted' });
  });

  it('is connected while a probe fails in passing, and says what is amiss', async () => {
    let time = 0;
    await opened(1, { runtime: { ...systemRuntime, now: () => time } });
    expect(producer!.status().error).toBeUndefined();
    brokers.topic!.leaders[0] = -1;
    await eventually('an error', () => producer!.status().error !== undefined);
    // The interval of probes, and two request timeouts.
    time = 5 + 2 * brokers.settings.requestTimeoutMs - 1;
    expect(producer!.status()).toMatchObject({ connected: true, error: 'partition 0 has no leader' });
    time += 1;
    expect(producer!.status().connected).toBe(false);
    brokers.topic!.leaders[0] = 1;
    await eventually('no error', () => producer!.status().error === undefined);
    expect(producer!.status().connected).toBe(true);
  });

  describe('when it is closed', () => {
    it('sends what waits, then takes nothing more', async () => {
      await opened(1);
      const waiting = [append('a'), append('b')];
      const closing = producer!.close();
      expect(await append('late')).toEqual({ outcome: 'not-published', reason: 'closed' });
      await closing;
      expect((await Promise.all(waiting)).map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted']);
      await eventually('no connection', () => brokers.connections(1) === 0);
    });

    it('gives up after two request timeouts, and says what is unknown', async () => {
      await opened(1, { settings: { ...brokers.settings, requestTimeoutMs: 2_000 } });
      brokers.silent.add('Produce');
      const unanswered = append('a');
      await eventually('a produce request', () => requestsOf('Produce').length > 0);
      const waiting = append('b');
      await producer!.close();
      expect(await unanswered).toEqual({ outcome: 'unknown', reason: 'no-answer' });
      expect((await waiting).outcome).toBe('not-published');
      expect(producer!.status().queued.records).toBe(0);
    });
  });

  it('finds a record that it wrote', async () => {
    await opened(2);
    const receipt = await append('a', 'one');
    const query = { header: { name: 'id', value: 'a' }, likelyKey: 'a', from: NOW };
    const { found } = await producer!.find(query);
    expect(receipt).toMatchObject({ partition: found!.partition, offset: found!.offset });
    expect(found!.value.toString()).toBe('one');
  });
});
