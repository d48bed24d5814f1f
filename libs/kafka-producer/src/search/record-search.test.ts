import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { captureLogger, eventually } from '@workspace/testing';
import { type FakeCluster, startFakeCluster } from '../testing/fake-cluster.ts';
import { createFakePartition, type StoredBatch } from '../testing/fake-partition.ts';
import { partitionOfKey } from '../partition/partition-of-key.ts';
import { APIS } from '../wire/api-versions.ts';
import { CODEC } from '../wire/compression.ts';
import { encodeRecordBatch } from '../wire/record-batch.ts';
import { crc32c } from '../wire/crc32c.ts';
import { systemRuntime } from '../wire/runtime.ts';
import type { RecordQuery } from './record-query.ts';
import {
  createRecordSearch,
  type RecordSearch,
  type RecordSearchOptions,
  TopicUnreadable,
} from './record-search.ts';

const OFFSET_OUT_OF_RANGE = 1;
const TOPIC_AUTHORIZATION_FAILED = 29;
const NO_CODEC = 7;

/** Reads on when it is asked, and not by itself. */
const INDEX = { header: 'id', windowMs: 1_000, intervalMs: 2_147_483_647 };

describe.each([
  ['', {}],
  [' with an index', { index: INDEX }],
])('the search of a topic%s', (_how, how: Partial<RecordSearchOptions>) => {
  let brokers: FakeCluster;
  let search: RecordSearch;
  let logged: ReturnType<typeof captureLogger>;
  const sequences: number[] = [];
  beforeEach(async () => {
    brokers = await startFakeCluster(2);
    brokers.createTopic(6);
    sequences.length = 0;
    logged = captureLogger();
  });
  afterEach(async () => {
    search.close();
    await brokers.close();
  });
  const open = (more: Partial<RecordSearchOptions> = {}): RecordSearch =>
    (search = createRecordSearch({
      settings: brokers.settings,
      maxBytes: 1e9,
      timeoutMs: 50_000,
      logger: logged.logger,
      now: () => new Date(1_000),
      ...how,
      ...more,
    }));
  /** Writes a batch with records of these ids. */
  const write = (partition: number, ids: string[], timestamp: number, change?: (batch: Buffer) => void) => {
    const baseSequence = sequences[partition] ?? 0;
    sequences[partition] = baseSequence + ids.length;
    const batch = encodeRecordBatch(
      ids.map((id) => ({ key: id, value: Buffer.from(`[${id}]`), headers: { id, other: 'x' } })),
      { identity: { id: 1n, epoch: 0 }, baseSequence, timestamp },
    );
    change?.(batch);
    batch.writeUInt32BE(crc32c(batch, 21), 17);
    expect(brokers.topic!.partitions[partition]!.append(batch).errorCode).toBe(0);
  };
  const query = (value: string, from = 0): RecordQuery => ({
    header: { name: 'id', value },
    likelyKey: value,
    from: new Date(from),
  });
  const requestsOf = (api: string) => brokers.requests.filter((request) => request.api === api);
  const fetches = () => requestsOf('Fetch');
  /** What is stored of the batches of partition 0, to change it. */
  const stored = () => brokers.topic!.partitions[0]!.batches as StoredBatch[];

  it('has the newest wanted records of each partition, however many others follow', async () => {
    write(0, ['wanted-0'], 10);
    write(0, ['wanted-1', 'a'], 20);
    for (let batch = 0; batch < 40; batch += 1) write(0, ['b', 'c', 'd'], 30);
    write(1, ['wanted-2'], 9);
    write(1, ['a'], 10);
    write(2, ['wanted-3', 'wanted-4'], 10);
    const idsOf = async (limits: Partial<RecordSearchOptions>) =>
      (await open(limits).newest(new Date(10), ({ headers: { id } }) => id!.startsWith('wanted'))).map(
        ({ headers }) => headers['id'],
      );
    expect(await idsOf({})).toEqual(['wanted-0', 'wanted-1', 'wanted-3', 'wanted-4']);
    search.close();
    expect(await idsOf({ maxBytes: 100 })).toEqual(['wanted-3', 'wanted-4']);
  });

  it.each([0, 1, 2, 3, 4, 5])('finds a record in partition %d, among others', async (partition) => {
    for (let one = 0; one < 6; one += 1) {
      write(one, ['a', 'b'], 10);
      write(one, one === partition ? ['c', 'wanted', 'd'] : ['e'], 20);
    }
    expect(await open().find(query('wanted'))).toEqual({
      found: {
        topic: 't',
        partition,
        offset: 3,
        value: Buffer.from('[wanted]'),
        headers: { id: 'wanted', other: 'x' },
      },
    });
  });

  it('reads the partition of the likely key first, on connections that it keeps', async () => {
    for (let partition = 0; partition < 6; partition += 1) write(partition, ['wanted'], 10);
    const topic = brokers.topic!;
    topic.leaders = [1, 1, 1, 1, 1, 1];
    const asked: number[] = [];
    const { at } = topic;
    topic.at = (node, partition) => {
      asked.push(partition);
      return at(node, partition);
    };
    await open().find(query('wanted'));
    // The index has asked each partition for its end, its beginning, that of the time, and what it has.
    const likely = partitionOfKey('wanted', 6);
    expect([likely, asked[how.index ? 24 : 0]]).toEqual([4, 4]);
    // Four at once have it, so the other two are not asked where that begins, and where it ends.
    if (!how.index) expect(requestsOf('ListOffsets')).toHaveLength(12);
    await search.find(query('wanted'));
    expect([brokers.connections(1), brokers.connections(2)]).toEqual([2, 1]);
  });

  it('does not take a value of another header, or a part of one, for the record', async () => {
    write(0, ['wanted-not'], 10);
    write(1, ['x'], 10);
    expect(await open().find(query('wanted'))).toEqual({});
    expect(await search.find({ ...query('x'), header: { name: 'none', value: 'x' } })).toEqual({});
  });

  it('passes over records with the header that are not wanted, also in the same batch', async () => {
    write(0, ['foreign', 'a'], 10);
    write(0, ['foreign', 'wanted'], 20);
    const isWanted: RecordQuery['isWanted'] = ({ value }) => String(value) === '[wanted]';
    const x = { ...query('x'), header: { name: 'other', value: 'x' }, isWanted };
    expect((await open().find(x)).found?.offset).toBe(3);
    expect(await search.find({ ...query('foreign'), isWanted })).toEqual({});
  });

  it('reads each partition once where no record is the one that is asked for', async () => {
    for (let partition = 0; partition < 6; partition += 1) write(partition, ['a'], 10);
    expect(await open().find(query('a-not'))).toEqual({});
    expect([requestsOf('ListOffsets').length, fetches().length]).toEqual([18, 6]);
  });

  it('finds a record in a compressed batch, and passes over others', async () => {
    write(0, ['a', 'b'], 10);
    write(0, ['c', 'wanted'], 20);
    for (const [at, batch] of stored().entries()) {
      const bytes = Buffer.concat([batch.bytes.subarray(0, 61), gzipSync(batch.bytes.subarray(61))]);
      bytes.writeInt32BE(bytes.length - 12, 8);
      bytes.writeInt16BE(CODEC.gzip, 21);
      bytes.writeUInt32BE(crc32c(bytes, 21), 17);
      stored()[at] = { ...batch, bytes };
    }
    expect((await open().find(query('wanted'))).found?.offset).toBe(3);
    expect(await search.find(query('none'))).toEqual({});
  });

  it('reads nothing that was written before the time of the query', async () => {
    write(0, ['wanted'], 10);
    write(0, ['a'], 500);
    // An index holds more than that.
    if (!how.index) expect(await open().find(query('wanted', 500))).toEqual({});
    search?.close();
    expect((await open().find(query('wanted', 10))).found?.offset).toBe(0);
  });

  it('reads on behind records that are dated later: clocks differ', async () => {
    write(0, ['a'], 10);
    write(0, ['from a fast clock'], 600_000);
    write(0, ['wanted'], 20);
    expect((await open().find(query('wanted'))).found?.offset).toBe(2);
  });

  it.each([
    [310, 0],
    [309, undefined],
  ])(
    'finds a record of a clock that is ahead, dated by its broker: %d ms ahead at most',
    async (aheadMs, offset) => {
      for (const [id, time] of Object.entries({ wanted: 190, a: 195, b: 600 }))
        write(0, [id], time, (batch) => batch.writeInt16BE(0x08, 21));
      // The index begins later than that.
      const index = how.index && { ...INDEX, windowMs: 450 };
      open({ aheadMs, ...(index && { index }) });
      expect((await search.find(query('wanted', 500))).found?.offset).toBe(offset);
      expect(await search.find(query('none', 500))).toEqual({});
    },
  );

  describe('where a leader was deposed', () => {
    /** Node 1 led partition 0 and does not know that node 2 does, which alone has the record. */
    const depose = (knowing: readonly number[] = [2, 3]) => {
      const topic = brokers.topic!;
      const stale = createFakePartition();
      write(0, ['wanted'], 10);
      const lead = (node: number) => (knowing.includes(node) ? 2 : 1);
      Object.assign(topic, {
        leadersAt: (node: number) => [lead(node)],
        epochAt: (node: number) => (knowing.includes(node) ? 1 : 0),
        at: (node: number) => (lead(node) !== node ? undefined : node === 1 ? stale : topic.partitions[0]),
      });
    };
    beforeEach(async () => {
      await brokers.close();
      brokers = await startFakeCluster(3);
      brokers.createTopic(1);
    });
    /** The time of its first query is over once a leader was asked. */
    const openForOneTry = (): RecordSearch => {
      const before = requestsOf('ListOffsets').length;
      const now = (): number => (requestsOf('ListOffsets').length > before ? 50_000 : 0);
      return open({ runtime: { ...systemRuntime, now } });
    };

    it('asks the leader that most brokers know, and not the first one in the metadata', async () => {
      depose();
      expect((await open().find(query('wanted'))).found?.offset).toBe(0);
    });

    it('gets no answer from a broker that leads in another epoch than the metadata say', async () => {
      depose([1, 3]);
      await expect(openForOneTry().find(query('wanted'))).rejects.toThrow('NOT_LEADER');
      search.close();
      depose([2]);
      brokers.topic!.leadersAt = () => [1];
      brokers.topic!.epochAt = (node) => (node === 1 && brokers.requests.at(-1)?.api !== 'Metadata' ? 0 : 1);
      await expect(openForOneTry().find(query('wanted'))).rejects.toThrow('UNKNOWN_LEADER_EPOCH');
    });

    it.each([
      ['UNKNOWN_TOPIC_OR_PARTITION of the topic', 'Metadata', 3],
      ['LEADER_NOT_AVAILABLE of the topic', 'Metadata', 5],
      ['UNKNOWN_TOPIC_OR_PARTITION', 'ListOffsets', 3],
      ['NOT_LEADER_OR_FOLLOWER', 'ListOffsets', 6],
      ['FENCED_LEADER_EPOCH', 'ListOffsets', 74],
      ['UNKNOWN_LEADER_EPOCH', 'ListOffsets', 75],
      ['OFFSET_NOT_AVAILABLE', 'ListOffsets', 78],
      ['NOT_LEADER_OR_FOLLOWER', 'Fetch', 6],
    ] as const)(
      'asks again until its time is over for %s to %s: a topic may be new',
      async (_error, api, code) => {
        write(0, ['wanted'], 10);
        brokers.errors[api] = Array.from({ length: 4 }, () => code);
        expect((await open().find(query('wanted'))).found?.offset).toBe(0);
      },
    );

    it('says that records were deleted while it was reading', async () => {
      write(0, ['other'], 10);
      open();
      brokers.errors.Fetch = [OFFSET_OUT_OF_RANGE];
      // The index begins again.
      expect(await search.find(query('wanted'))).toEqual(how.index ? {} : { gap: 'deleted' });
    });

    it('asks again until a partition has a leader', async () => {
      write(0, ['wanted'], 10);
      brokers.topic!.leaders = [-1];
      const found = open().find(query('wanted'));
      await eventually('metadata was read', () => requestsOf('Metadata').length > 3);
      brokers.topic!.leaders = [1];
      expect((await found).found?.offset).toBe(0);
    });

    it('finds what is there without a majority of the brokers, and calls nothing absent or lost', async () => {
      depose();
      const lost = jest.fn();
      open({ onLost: lost });
      await search.find(query('wanted'));
      await Promise.all([brokers.stop(2), brokers.stop(3)]);
      expect(await search.find(query('wanted'))).toEqual({ gap: 'no-majority' });
      expect(lost).not.toHaveBeenCalled();
      brokers.topic!.at = () => brokers.topic!.partitions[0];
      expect((await search.find(query('wanted'))).found?.offset).toBe(0);
    });

    it('wants a majority of the replicas that have the partition, and not of brokers that do not', async () => {
      await brokers.close();
      brokers = await startFakeCluster(5);
      brokers.createTopic(1);
      brokers.topic!.replicas = [1, 4, 5];
      open();
      expect(await search.find(query('none'))).toEqual({});
      await Promise.all([brokers.stop(4), brokers.stop(5)]);
      expect(await search.find(query('none'))).toEqual({ gap: 'no-majority' });
    });

    it('does not wait for a broker that hangs while the others are a majority', async () => {
      write(0, ['wanted'], 10);
      brokers.topic!.leaders = [1];
      open({ settings: { ...brokers.settings, requestTimeoutMs: 2_147_483_647 } });
      await search.find(query('wanted'));
      brokers.silentNodes.add(3);
      expect((await search.find(query('wanted'))).found?.offset).toBe(0);
      expect(await search.find(query('other'))).toEqual({});
    });

    it('finds a record although another partition cannot be read', async () => {
      brokers.createTopic(2);
      write(0, ['wanted'], 10);
      brokers.topic!.at = (_node, partition) => (partition === 0 ? brokers.topic!.partitions[0] : undefined);
      expect((await open().find(query('wanted'))).found?.offset).toBe(0);
      search.close();
      await expect(openForOneTry().find(query('other'))).rejects.toThrow('NOT_LEADER');
    });
  });

  it('reads on until the end, in pieces', async () => {
    for (let index = 0; index < 5; index += 1) write(0, [`${index}`.repeat(400_000)], 10);
    write(0, ['wanted'], 10);
    expect((await open().find(query('wanted'))).found?.offset).toBe(5);
    expect(fetches().length).toBeGreaterThan(3);
  });

  it.each([
    ['bytes', { maxBytes: 10 }],
    ['time', { timeoutMs: 0, runtime: { ...systemRuntime, now: () => 0 } }],
  ])('says that it did not read everything within its %s', async (_what, limits) => {
    write(0, ['a'], 10);
    write(0, ['wanted'], 10);
    expect(await open(limits).find(query('wanted'))).toEqual({ gap: 'too-long' });
  });

  it('reads not one batch more than its bytes allow, and all that they allow', async () => {
    // Larger than what is asked for at once: the first answer ends with it.
    write(0, ['a'.repeat(400_000)], 10);
    for (const id of ['b', 'c', 'd', 'wanted']) write(0, [id], 10);
    const long = stored()[0]!.bytes.length;
    const { found } = await open().find(query('wanted'));
    expect(found?.offset).toBe(4);
    for (const maxBytes of [long, long + 1]) {
      search.close();
      const header = { name: 'other', value: 'y' };
      expect(await open({ maxBytes }).find({ ...query('y'), header })).toEqual({ gap: 'too-long' });
      expect(await search.find(query('wanted'))).toEqual({ gap: 'too-long' });
    }
    search.close();
    expect(await open({ maxBytes: long }).find(query('b'))).toEqual({ gap: 'too-long' });
  });

  it('asks again for what a quota has withheld, and answers in time while it still does', async () => {
    write(0, ['wanted'], 10);
    const throttled: number[] = [];
    open({ onThrottle: (milliseconds) => throttled.push(milliseconds) });
    brokers.withheld.push(1, 2);
    expect((await search.find(query('wanted'))).found?.offset).toBe(0);
    expect(throttled).toEqual([1, 2]);
    search.close();
    open({ timeoutMs: 100 });
    brokers.withheld.push(...Array<number>(1e5).fill(60_000));
    expect(await search.find(query('wanted'))).toEqual({ gap: 'too-long' });
    brokers.withheld.length = 0;
  });

  it('says that the end is not replicated yet', async () => {
    write(0, ['a'], 10);
    write(0, ['wanted'], 10);
    brokers.topic!.partitions[0]!.highWatermark = 1;
    expect(await open().find(query('wanted'))).toEqual({ gap: 'not-replicated' });
  });

  it('says that records of that time were deleted, or may have been', async () => {
    write(0, ['wanted'], 10);
    write(0, ['a'], 20);
    const [partition] = brokers.topic!.partitions;
    expect(await open().find(query('other'))).toEqual({});
    partition!.start = 1;
    expect(await search.find(query('wanted'))).toEqual({ gap: 'deleted' });
    // The log has records from before that time, so all of that time are left. The index knows of the deleted one.
    write(0, ['b'], 30);
    expect(await search.find(query('wanted', 25))).toEqual(how.index ? { gap: 'deleted' } : {});
    expect(await search.find(query('other', 25))).toEqual({});
    partition!.start = 3;
    expect(await search.find(query('wanted', 25))).toEqual({ gap: 'deleted' });
    // Of records that were dated ahead, too.
    search.close();
    expect(await open({ aheadMs: 990 }).find(query('wanted', 25))).toEqual({ gap: 'deleted' });
  });

  it.each<[string, [number, number], Partial<RecordSearchOptions>, number]>([
    ['the log has kept what is newer', [10, 20], { keptSince: async () => 14 }, 14],
    ['the first one left is of that time', [20, 20], {}, 20],
    ['a clock may have been ahead of the first one left', [30, 20], { aheadMs: 10 }, 30],
  ])('says until when records may have been deleted: %s', async (_why, [first, left], limits, until) => {
    write(0, ['a'], first);
    write(0, ['b'], left);
    brokers.topic!.partitions[0]!.start = 1;
    open(limits);
    expect(await search.find(query('a', until))).toEqual({ gap: 'deleted' });
    expect(await search.find(query('a', until + 1))).toEqual({});
  });

  it('says that compaction has deleted records, a whole batch or a part of one', async () => {
    for (const id of ['a', 'b', 'c']) write(0, [id], 10);
    stored().splice(1, 1);
    expect(await open().find(query('none'))).toEqual({ gap: 'deleted' });
    search.close();
    brokers.createTopic(1);
    sequences.length = 0;
    write(0, ['a'], 10);
    write(0, ['b', 'c'], 10, (batch) => batch.writeInt32BE(2, 23));
    expect(await open().find(query('none'))).toEqual({ gap: 'deleted' });
  });

  it('reads a topic whose brokers compress it with zstd', async () => {
    brokers.topic!.settings['compression.type'] = 'zstd';
    write(0, ['wanted'], 10);
    expect(await open().find(query('wanted'))).toMatchObject({ found: { offset: 0 } });
  });

  it('says that it cannot read a compression of that time, and passes over marks of the broker', async () => {
    write(0, ['wanted'], 10, (batch) => batch.writeInt16BE(NO_CODEC, 21));
    open();
    for (const id of ['wanted', 'none'])
      expect(await search.find(query(id, 10))).toEqual({ gap: 'unreadable-compression' });
    expect(await search.find(query('none', 11))).toEqual({});
    write(1, ['marked'], 10, (batch) => batch.writeInt16BE(0x20, 21));
    brokers.topic!.partitions[0]!.start = 1;
    expect(await search.find(query('marked', 5))).toEqual({ gap: 'deleted' });
  });

  it('fails with the reason, and logs it once until it can be read again', async () => {
    write(0, ['wanted'], 10);
    open();
    const denied = () => {
      brokers.errors.Fetch = [TOPIC_AUTHORIZATION_FAILED];
      return search.find(query('none'));
    };
    await expect(denied()).rejects.toThrow(TopicUnreadable);
    // Without an index, it is not read again until the next query.
    expect(search.unreadable).toBe(how.index && 'TOPIC_AUTHORIZATION_FAILED');
    await expect(denied()).rejects.toMatchObject({
      message: 'TOPIC_AUTHORIZATION_FAILED',
      cause: { type: 'TOPIC_AUTHORIZATION_FAILED' },
    });
    expect(logged.lines).toMatchObject([
      { level: 'warn', msg: 'topic cannot be searched', topic: 't', reason: 'TOPIC_AUTHORIZATION_FAILED' },
    ]);
    expect(await search.find(query('none'))).toEqual({});
    expect(search.unreadable).toBeUndefined();
    await expect(denied()).rejects.toThrow(TopicUnreadable);
    expect(logged.lines).toHaveLength(2);
  });

  it('leaves no connection open when it is closed', async () => {
    await open().find(query('none'));
    expect(brokers.connections(1)).toBeGreaterThan(0);
    search.close();
    await eventually('no connections', () => brokers.connections(1) + brokers.connections(2) === 0);
  });

  it('fails where the broker no longer supports its version', async () => {
    write(0, ['wanted'], 10);
    brokers.versions = { ...brokers.versions, [APIS.Fetch.key]: { minVersion: 12, maxVersion: 17 } };
    await expect(open().find(query('wanted'))).rejects.toThrow(
      'supports versions 12 to 17 of Fetch requests, this client versions 4 to 11',
    );
  });
});

describe('the index of a topic', () => {
  let brokers: FakeCluster;
  let search: RecordSearch;
  beforeEach(async () => {
    brokers = await startFakeCluster(2);
    brokers.createTopic(2);
  });
  afterEach(async () => {
    search.close();
    await brokers.close();
  });
  const write = (
    ids: string[],
    timestamp: number,
    partition = brokers.topic!.partitions[0]!,
    producer = 1n,
  ) => {
    const records = ids.map((id) => ({ key: id, value: Buffer.from(`[${id}]`), headers: { id } }));
    const identity = { id: producer, epoch: 0 };
    const baseSequence = partition.log.length;
    const batch = encodeRecordBatch(records, { identity, baseSequence, timestamp });
    expect(partition.append(batch).errorCode).toBe(0);
  };
  const open = (index: Partial<typeof INDEX> = {}, more: Partial<RecordSearchOptions> = {}) =>
    (search = createRecordSearch({
      settings: brokers.settings,
      maxBytes: 1e9,
      timeoutMs: 50_000,
      logger: captureLogger().logger,
      now: () => new Date(1_000),
      index: { ...INDEX, ...index },
      ...more,
    }));
  const queryFor = (value: string, from = 0): RecordQuery => ({
    header: { name: 'id', value },
    likelyKey: value,
    from: new Date(from),
  });
  const find = (value: string, from?: number) => search.find(queryFor(value, from));
  const asked = (api: string) => brokers.requests.filter((request) => request.api === api).length;
  const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`);

  it('reads a record once, and again only what may hold the one that is asked for', async () => {
    for (let batch = 0; batch < 6; batch += 1) write(ids(`${batch}-`, 2_000), 10 + batch);
    open();
    expect(await find('none')).toEqual({});
    const before = asked('Fetch');
    write(['late'], 500);
    for (const value of ['none', 'nowhere', 'never']) expect(await find(value)).toEqual({});
    // The last batch of the one partition that has records, each time, with what follows it.
    expect(asked('Fetch') - before).toBe(3);
    expect((await find('late')).found?.offset).toBe(12_000);
    expect((await find('0-7')).found?.offset).toBe(7);
    expect((await find('5-1999')).found?.offset).toBe(11_999);
  });

  it('asks each leader once which of many partitions have grown, and reads those and a few in turn', async () => {
    const topic = brokers.createTopic(200);
    const writeTo = (partition: number, id: string) => write([id], 900, topic.partitions[partition]!);
    const partitionOf = async (id: string) => (await find(id)).found?.partition;
    open();
    expect(await partitionOf('none')).toBeUndefined();
    for (const partition of [0, 17, 198, 199]) {
      writeTo(partition, `first-${partition}`);
      expect(await partitionOf(`first-${partition}`)).toBe(partition);
      writeTo(partition, `next-${partition}`);
      expect(await partitionOf(`next-${partition}`)).toBe(partition);
      expect(await partitionOf(`first-${partition}`)).toBe(partition);
    }
    brokers.requests.length = 0;
    expect(await partitionOf('none')).toBeUndefined();
    expect(asked('ListOffsets')).toBeLessThanOrEqual(2 + 16);
    expect(asked('Fetch')).toBeLessThanOrEqual(16);
    // Made anew, with as many records: noticed when it is their turn.
    for (const partition of [0, 17, 198, 199]) {
      topic.partitions[partition] = createFakePartition();
      writeTo(partition, `other-${partition}`);
      writeTo(partition, `another-${partition}`);
    }
    for (let turn = 0; turn < 200 / 16; turn += 1) await find('none');
    for (const partition of [0, 17, 198, 199])
      expect(await partitionOf(`other-${partition}`)).toBe(partition);
    // A leader that does not say it for one of them is asked for each.
    brokers.errors.ListOffsets = [6];
    writeTo(5, 'last');
    expect(await partitionOf('last')).toBe(5);
  });

  it('asks the brokers once for all that wait at the same time', async () => {
    write(ids('x', 100), 10);
    open();
    await find('none');
    const before = asked('Metadata');
    const found = await Promise.all(ids('x', 100).map((id) => find(id)));
    expect(found.map((one) => one.found?.offset)).toEqual([...found.keys()]);
    // Two brokers are asked, once for all.
    expect(asked('Metadata') - before).toBe(2);
  });

  it('sees what was written before the question, though another reading is under way', async () => {
    open();
    const earlier = find('none');
    write(['now'], 20);
    expect((await find('now')).found?.offset).toBe(0);
    expect(await earlier).toEqual({});
  });

  it('reads again from the beginning where the log is not the one that it has read', async () => {
    write(ids('a', 3), 10);
    write(['lost'], 20);
    const lost: number[][] = [];
    open({}, { onLost: (...what) => lost.push(what) });
    expect((await find('lost')).found?.offset).toBe(3);
    // An unclean election: the new leader has other batches, and more.
    brokers.topic!.epochAt = () => 1;
    const other = createFakePartition();
    write(ids('other', 3), 10, other);
    write(['another', 'more'], 20, other, 2n);
    brokers.topic!.partitions[0] = other;
    expect(await find('lost')).toEqual({});
    expect((await find('other1')).found?.offset).toBe(1);
    expect((await find('another')).found?.offset).toBe(3);
    const before = asked('ListOffsets');
    expect(await find('none')).toEqual({});
    // The ends of two partitions.
    expect(asked('ListOffsets') - before).toBe(2);
    // A topic that was deleted and made again is shorter, or begins later.
    brokers.topic!.partitions[0] = createFakePartition();
    expect(await find('another')).toEqual({});
    write(ids('b', 9), 30);
    expect((await find('b8')).found?.offset).toBe(8);
    write(['c'], 30);
    brokers.topic!.partitions[0].start = 10;
    expect(await find('a0')).toEqual({ gap: 'deleted' });
    // Partition, how many, from which offset on.
    expect(lost).toEqual([[0, 1, 3]]);
  });

  it('calls nothing lost that an older leader lacks than one that had it', async () => {
    write(['kept'], 10);
    const topic = brokers.topic!;
    const lost = jest.fn();
    open({}, { onLost: lost });
    await find('none');
    // The next leader has it and nothing more.
    topic.epochAt = () => 2;
    expect((await find('kept')).found?.offset).toBe(0);
    topic.epochAt = () => 1;
    topic.partitions[0] = createFakePartition();
    await find('none');
    expect(lost).not.toHaveBeenCalled();
  });

  it('reads a topic that was made anew from its beginning, also where it had read no batch of the old one', async () => {
    write(ids('a', 3), 10);
    brokers.topic!.partitions[0]!.start = 3;
    open();
    await find('none');
    brokers.topic!.partitions[0] = createFakePartition();
    for (const id of ids('b', 4)) write([id], 20);
    expect((await find('b1')).found?.offset).toBe(1);
  });

  it('keeps the last while in memory, and reads what is older from the log', async () => {
    for (let batch = 0; batch < 3; batch += 1) write(ids(`${batch}-`, 4_096), 10 + batch * 400);
    let time = 500;
    open({ windowMs: 500 }, { now: () => new Date(time) });
    expect((await find('0-0')).found?.offset).toBe(0);
    let before = asked('ListOffsets');
    expect(await find('none', 0)).toEqual({});
    // The ends of two partitions: nothing of the last 500 ms is read again.
    expect(asked('ListOffsets') - before).toBe(2);
    time = 1_200;
    expect(await find('none', 700)).toEqual({});
    before = asked('ListOffsets');
    expect((await find('2-1', 700)).found?.offset).toBe(8_193);
    expect(asked('ListOffsets') - before).toBe(2);
    expect((await find('0-0', 5)).found?.offset).toBe(0);
    expect(await find('none', 5)).toEqual({});
  });

  it('reads by itself, says once that it may not, and answers in time while it still reads', async () => {
    const logged = captureLogger();
    brokers.errors.Fetch = [TOPIC_AUTHORIZATION_FAILED];
    write(['early'], 10);
    open({ intervalMs: 1 }, { logger: logged.logger, timeoutMs: 100 });
    await eventually('reading', () => asked('Fetch') > 2);
    expect(logged.lines).toMatchObject([
      { msg: 'topic cannot be searched', reason: 'TOPIC_AUTHORIZATION_FAILED' },
    ]);
    brokers.silent.add('Fetch').add('Metadata');
    expect(await find('early')).toEqual({ gap: 'too-long' });
  });

  it('says that it cannot be searched without a majority of the brokers, before anyone asks', async () => {
    brokers.topic!.leaders = [1, 1];
    open({ intervalMs: 1 });
    await eventually('reading', () => asked('Metadata') > 2);
    await brokers.stop(2);
    const reason = 'only a minority of the brokers answers';
    await eventually(reason, () => search.unreadable === reason);
    expect(await find('none')).toEqual({ gap: 'no-majority' });
    expect(search.unreadable).toBe(reason);
  });

  it('logs again that it cannot read by itself, once it could, and nothing when it is closed', async () => {
    const logged = captureLogger();
    write(['early'], 10);
    open({ intervalMs: 1 }, { logger: logged.logger });
    for (const count of [1, 2]) {
      await eventually('reading', () => asked('Fetch') > 0);
      brokers.errors.Fetch = [TOPIC_AUTHORIZATION_FAILED];
      await eventually('a line', () => logged.lines.length === count);
      const before = asked('Fetch');
      await eventually('reading again', () => asked('Fetch') > before + 1);
    }
    for (const node of [1, 2]) await brokers.stop(node);
    // More than one, where connections end in other ways than they begin.
    await eventually('a line', () => logged.lines.length > 2);
    for (const node of [1, 2]) await brokers.start(node);
    const read = asked('Fetch');
    await eventually('reading again', () => asked('Fetch') > read + 1);
    brokers.silent.add('Metadata');
    const before = asked('Metadata');
    await eventually('a question', () => asked('Metadata') > before);
    const lines = logged.lines.length;
    search.close();
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    expect(logged.lines).toHaveLength(lines);
  });

  it('goes by the clock of the system if it is not given another', async () => {
    write(['early'], Date.now());
    open({}, { now: undefined });
    expect((await find('early')).found?.offset).toBe(0);
  });

  it.each([
    ['in a later epoch', 7],
    ['of brokers that know of no epochs', 4],
  ])(
    'asks who leads since the last question, %s, though the last leader still answers',
    async (_what, version) => {
      brokers.versions = { ...brokers.versions, [APIS.Metadata.key]: { minVersion: 4, maxVersion: version } };
      const topic = brokers.topic!;
      const [, stale] = topic.partitions;
      write(['before'], 10, stale);
      open();
      expect((await find('before')).found?.offset).toBe(0);
      const elected = createFakePartition();
      elected.follow(stale!);
      write(['after'], 20, elected);
      Object.assign(topic, {
        leadersAt: () => [1, 1],
        epochAt: (node: number, partition: number) => (partition === 1 && node === 1 ? 1 : 0),
        at: (node: number, partition: number) =>
          partition === 0 ? topic.partitions[0] : [elected, stale][node - 1],
      });
      expect((await find('after')).found?.offset).toBe(1);
    },
  );

  it('reads what was written since in pieces, if it is more than one answer holds', async () => {
    write(['first'], 10);
    open();
    await find('none');
    const long = ids('', 6).map((id) => id.repeat(100_000));
    for (const id of long) write([id], 20);
    for (const [at, id] of long.entries()) expect((await find(id)).found?.offset).toBe(at + 1);
  });

  it('finds what was written after a part that was deleted before it was read', async () => {
    const [partition] = brokers.topic!.partitions;
    open();
    await find('none');
    for (const round of [0, 1]) {
      for (const id of ids(`${round}-`, 3)) write([id], 10);
      partition!.start = partition!.log.length - 1;
      expect((await find(`${round}-2`)).found?.offset).toBe(partition!.start);
    }
  });

  it('finds what is left of a part whose beginning was deleted since it was read', async () => {
    const [partition] = brokers.topic!.partitions;
    for (const id of ids('a', 4)) write([id], 10);
    open();
    expect((await find('a3')).found?.offset).toBe(3);
    partition!.start = 2;
    expect((await find('a2')).found?.offset).toBe(2);
    expect((await find('a3')).found?.offset).toBe(3);
    expect(await find('a1')).toEqual({ gap: 'deleted' });
    expect(await find('none', 900)).toEqual({});
  });

  it('fails where the beginning of a log is never what it was when its end was asked for', async () => {
    const [partition] = brokers.topic!.partitions;
    const { offsetAt } = partition!;
    partition!.offsetAt = (time) => (time === -2 ? partition!.log.length + 1 : offsetAt(time));
    write(['early'], 10);
    open();
    await expect(find('early')).rejects.toThrow('partition 0 changes');
    partition!.offsetAt = offsetAt;
    expect((await find('early')).found?.offset).toBe(0);
  });

  it('goes on after brokers have refused everything, or were gone', async () => {
    write(['early'], 10);
    open();
    await find('early');
    brokers.errors.Fetch = [TOPIC_AUTHORIZATION_FAILED];
    brokers.errors.ListOffsets = [TOPIC_AUTHORIZATION_FAILED, TOPIC_AUTHORIZATION_FAILED];
    await expect(find('early')).rejects.toThrow('TOPIC_AUTHORIZATION_FAILED');
    expect((await find('early')).found?.offset).toBe(0);
    for (const node of [1, 2]) await brokers.stop(node);
    await expect(find('early')).rejects.toThrow(TopicUnreadable);
    for (const node of [1, 2]) await brokers.start(node);
    expect((await find('early')).found?.offset).toBe(0);
  });

  it('calls nothing absent that the log has, whatever happens to the log', async () => {
    const small = fc.nat(3);
    const step = fc.oneof(
      fc.record({ do: fc.constant('write' as const), count: small, at: fc.nat(999) }),
      fc.record({ do: fc.constant('delete' as const), count: small }),
      fc.record({ do: fc.constant('truncate' as const), count: small }),
      fc.record({ do: fc.constant('hide' as const), count: small }),
      fc.record({ do: fc.constant('find' as const), id: fc.nat(20), from: fc.nat(999) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        brokers.createTopic(1);
        const topic = brokers.topic!;
        const indexed = open();
        const plain = createRecordSearch({
          settings: brokers.settings,
          maxBytes: 1e9,
          timeoutMs: 50_000,
          logger: captureLogger().logger,
        });
        let last = 0;
        try {
          for (const one of steps) {
            const partition = topic.partitions[0]!;
            if (one.do === 'write') {
              const written = Array.from({ length: one.count + 1 }, () => `id${(last += 1)}`);
              write(written, one.at, partition, BigInt(last));
            } else if (one.do === 'delete') {
              partition.start = Math.min(partition.start + one.count, partition.log.length);
            } else if (one.do === 'hide') {
              partition.highWatermark = one.count === 0 ? Infinity : partition.log.length - one.count;
            } else if (one.do === 'truncate') {
              const kept = createFakePartition();
              kept.follow({ ...partition, batches: partition.batches.slice(0, -1 - one.count) });
              kept.start = Math.min(partition.start, kept.log.length);
              topic.partitions[0] = kept;
            } else {
              const query = queryFor(`id${one.id}`, one.from);
              const [said, read] = [await indexed.find(query), await plain.find(query)];
              // It may know of earlier records, and of those that were deleted since it read them.
              if (said.found) expect(partition.log[said.found.offset]).toBe(`id${one.id}`);
              else expect(read.found).toBeUndefined();
            }
          }
        } finally {
          plain.close();
          indexed.close();
        }
      }),
      { numRuns: 150 },
    );
  });
});
