import { describeWithKafka, startBroker, type StandaloneBroker, withAdmin } from '@workspace/kafka-broker';
import { captureLogger, eventually } from '@workspace/testing';
import { Kafka, logLevel, type Transaction } from 'kafkajs';
import type { SearchResult } from '@workspace/schemas';
import { createRecordSearch, type RecordSearch } from '../src/search/record-search.ts';

const HEADER = 'ce_id';
const WINDOW_MS = 3_600_000;

/** What a search meets in a real topic from other producers; `record-search.test.ts` beside the source has the rest. */
describeWithKafka('the search of a real topic', () => {
  let broker: StandaloneBroker;
  let kafka: Kafka;
  const searches: RecordSearch[] = [];
  beforeAll(async () => {
    broker = await startBroker();
    kafka = new Kafka({ brokers: [broker.bootstrapServers], logLevel: logLevel.NOTHING });
  });
  afterEach(() => {
    for (const search of searches.splice(0)) search.close();
  });
  afterAll(() => broker.stop());

  const open = (topic: string, isIndexed: boolean): RecordSearch => {
    const search = createRecordSearch({
      settings: {
        brokers: [broker.bootstrapServers],
        clientId: 'search',
        topic,
        connectionTimeoutMs: 5_000,
        requestTimeoutMs: 5_000,
        deliveryTimeoutMs: 5_000,
      },
      maxBytes: 1e9,
      timeoutMs: 30_000,
      logger: captureLogger().logger,
      ...(isIndexed && { index: { header: HEADER, windowMs: WINDOW_MS, intervalMs: 2_147_483_647 } }),
    });
    searches.push(search);
    return search;
  };
  /** What searches say that read before, that read now, and that have no index. */
  const opened = (topic: string) => {
    const before = open(topic, true);
    return async (value: string): Promise<SearchResult[]> => {
      const query = {
        header: { name: HEADER, value },
        likelyKey: value,
        from: new Date(Date.now() - WINDOW_MS / 2),
      };
      return [
        await before.find(query),
        await open(topic, true).find(query),
        await open(topic, false).find(query),
      ];
    };
  };
  const three = (result: unknown): unknown[] => [result, result, result];
  const messageOf = (id: string) => ({ key: id, value: `[${id}]`, headers: { [HEADER]: id } });

  it('counts what a transaction wrote once it is committed, and never when it is aborted', async () => {
    const topic = 'transactions';
    await broker.createTopic(topic);
    const find = opened(topic);
    const producer = kafka.producer({ transactionalId: 'mirror', maxInFlightRequests: 1, idempotent: true });
    await producer.connect();
    const write = async (id: string): Promise<Transaction> => {
      const transaction = await eventually('transaction', () => producer.transaction());
      await transaction.send({ topic, messages: [messageOf(id)] });
      return transaction;
    };
    try {
      await (await write('committed')).commit();
      await (await write('aborted')).abort();
      await (await write('again')).commit();
      expect(await find('committed')).toEqual(three({ found: expect.objectContaining({ offset: 0 }) }));
      await eventually('end of the transaction', async () =>
        (await find('again')).every(({ found }) => found),
      );
      expect(await find('aborted')).toEqual(three({}));
      const opened = await write('open');
      expect(await find('open')).toEqual(three({ gap: 'not-replicated' }));
      await opened.commit();
      await eventually('end of the transaction', async () =>
        (await find('open')).every(({ found }) => found),
      );
    } finally {
      await producer.disconnect();
    }
  });

  it('calls nothing absent from a log that was compacted', async () => {
    const topic = 'compacted';
    const settings = {
      'cleanup.policy': 'compact',
      'segment.ms': '100',
      'min.cleanable.dirty.ratio': '0.01',
    };
    await broker.createTopic(topic, { settings });
    const producer = kafka.producer();
    await producer.connect();
    try {
      const messages = [messageOf('first'), messageOf('second')].map((one) => ({ ...one, key: 'account' }));
      for (const message of messages) await producer.send({ topic, messages: [message] });
      const find = opened(topic);
      // What is compacted is behind the segment that is being written.
      await eventually('compaction', async () => {
        await producer.send({ topic, messages: [{ ...messageOf('last'), key: 'account' }] });
        return (await find('first')).every(({ gap }) => gap === 'deleted');
      });
      expect((await find('last')).every(({ found }) => found)).toBe(true);
    } finally {
      await producer.disconnect();
    }
  });

  it('reads a topic that was made anew from its beginning, also where the old one was empty', async () => {
    const topic = 'anew';
    const producer = kafka.producer();
    await producer.connect();
    const send = (id: string) => producer.send({ topic, messages: [messageOf(id)] });
    try {
      await broker.createTopic(topic);
      for (const id of ['a', 'b']) await send(id);
      await withAdmin(broker.bootstrapServers, async (admin) => {
        // kafkajs has to learn who leads the partition first.
        await admin.fetchTopicOffsets(topic);
        await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '2' }] });
      });
      const find = opened(topic);
      expect((await find('none')).some(({ found }) => found)).toBe(false);
      await broker.deleteTopic(topic);
      await eventually('new topic', () =>
        broker.createTopic(topic).then(
          () => true,
          () => false,
        ),
      );
      for (const id of ['c', 'd', 'e']) await eventually('record', () => send(id).catch(() => false));
      expect(await find('c')).toEqual(three({ found: expect.objectContaining({ offset: 0 }) }));
    } finally {
      await producer.disconnect();
    }
  });
});
