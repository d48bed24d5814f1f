import { captureLogger } from '@workspace/testing';
import { type FakeCluster, startFakeCluster } from '../testing/fake-cluster.ts';
import { createFakePartition } from '../testing/fake-partition.ts';
import { APIS } from '../wire/api-versions.ts';
import { encodeRecordBatch } from '../wire/record-batch.ts';
import { crc32c } from '../wire/crc32c.ts';
import {
  createRecordSearch,
  type RecordQuery,
  type RecordSearch,
  type RecordSearchOptions,
  TopicUnreadable,
} from './record-search.ts';

const TOPIC_AUTHORIZATION_FAILED = 29;
const NO_CODEC = 7;

describe('the search of a topic', () => {
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
      timeoutMs: 5_000,
      logger: logged.logger,
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
  const query = (value: string, from = 0, until = 1_000): RecordQuery => ({
    header: { name: 'id', value },
    likelyKey: value,
    from: new Date(from),
    until: new Date(until),
  });
  const fetches = () => brokers.requests.filter(({ api }) => api === 'Fetch');

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
    const { found } = await open().find(query('wanted'));
    const { found: again } = await search.find(query('wanted'));
    expect(again!.partition).toBe(found!.partition);
    expect([brokers.connections(1), brokers.connections(2)]).toEqual([2, 1]);
  });

  it('does not take a value of another header, or a part of one, for the record', async () => {
    write(0, ['wanted-not'], 10);
    write(1, ['x'], 10);
    expect(await open().find(query('wanted'))).toEqual({});
    expect(await search.find({ ...query('x'), header: { name: 'none', value: 'x' } })).toEqual({});
  });

  it('reads nothing that was written before the time of the query', async () => {
    write(0, ['wanted'], 10);
    write(0, ['a'], 500);
    expect(await open().find(query('wanted', 500))).toEqual({});
    expect((await search.find(query('wanted', 10))).found?.offset).toBe(0);
  });

  it('reads on behind records that are dated later: clocks differ', async () => {
    write(0, ['a'], 10);
    write(0, ['from a fast clock'], 600_000);
    write(0, ['wanted'], 20);
    expect((await open().find(query('wanted'))).found?.offset).toBe(2);
  });

  it('stops behind what is later than the topic lets the times of records be out of order', async () => {
    write(0, ['a'], 10);
    write(0, ['b'], 1_000 + 500);
    write(0, ['wanted'], 20);
    expect((await open({ disorderMs: () => 500 }).find(query('wanted'))).found?.offset).toBe(2);
    search.close();
    expect(await open({ disorderMs: () => 499 }).find(query('wanted'))).toEqual({});
  });

  describe('where a leader was deposed', () => {
    /** Node 1 led partition 0 and has not heard that node 2 does, which alone has the record. */
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

    it('asks the leader that most brokers know, and not the one that it was told of first', async () => {
      depose();
      expect((await open().find(query('wanted'))).found?.offset).toBe(0);
    });

    it('gets no answer from a broker that leads in another epoch than it was told', async () => {
      depose([1, 3]);
      await expect(open().find(query('wanted'))).rejects.toThrow('NOT_LEADER');
      search.close();
      depose([2]);
      brokers.topic!.leadersAt = () => [1];
      brokers.topic!.epochAt = (node) => (node === 1 && brokers.requests.at(-1)?.api !== 'Metadata' ? 0 : 1);
      await expect(open().find(query('wanted'))).rejects.toThrow('UNKNOWN_LEADER_EPOCH');
    });

    it('finds what is there without a majority of the brokers, and calls nothing absent', async () => {
      depose();
      open();
      await search.find(query('wanted'));
      await Promise.all([brokers.stop(2), brokers.stop(3)]);
      expect(await search.find(query('wanted'))).toEqual({ gap: 'no-majority' });
      brokers.topic!.at = () => brokers.topic!.partitions[0];
      expect((await search.find(query('wanted'))).found?.offset).toBe(0);
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
      await expect(search.find(query('other'))).rejects.toThrow('NOT_LEADER');
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
    ['time', { timeoutMs: 0 }],
  ])('says that it did not read everything within its %s', async (_what, limits) => {
    write(0, ['a'], 10);
    write(0, ['wanted'], 10);
    expect(await open(limits).find(query('wanted'))).toEqual({ gap: 'too-long' });
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
    // The log has records from before that time, so all of that time are left.
    write(0, ['b'], 30);
    expect(await search.find(query('wanted', 25))).toEqual({});
    partition!.start = 3;
    expect(await search.find(query('wanted', 25))).toEqual({ gap: 'deleted' });
  });

  it('says that it cannot read a compression, and passes over marks of the broker', async () => {
    write(0, ['wanted'], 10, (batch) => batch.writeInt16BE(NO_CODEC, 21));
    expect(await open().find(query('wanted'))).toEqual({ gap: 'unreadable-compression' });
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
    await expect(denied()).rejects.toThrow('TOPIC_AUTHORIZATION_FAILED');
    expect(logged.lines).toMatchObject([
      { level: 'warn', msg: 'topic cannot be searched', topic: 't', reason: 'TOPIC_AUTHORIZATION_FAILED' },
    ]);
    expect(await search.find(query('none'))).toEqual({});
    await expect(denied()).rejects.toThrow(TopicUnreadable);
    expect(logged.lines).toHaveLength(2);
  });

  it('fails where the broker no longer speaks its version', async () => {
    write(0, ['wanted'], 10);
    brokers.versions = { ...brokers.versions, [APIS.Fetch.key]: { minVersion: 10, maxVersion: 17 } };
    await expect(open().find(query('wanted'))).rejects.toThrow(
      'supports versions 10 to 17 of Fetch requests, this client versions 4 to 9',
    );
  });
});
