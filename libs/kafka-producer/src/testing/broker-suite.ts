import { eventually } from '@workspace/testing';
import { openCluster } from '../cluster/cluster.ts';
import { createProduceChannel } from '../cluster/produce-channel.ts';
import type { KafkaSettings } from '../settings.ts';
import { batchHeads, type FetchResponse } from '../wire/fetch-response.ts';
import type { KafkaJSProtocolError } from '../wire/kafkajs-protocol.ts';
import { NO_EPOCH } from '../wire/leader-epoch.ts';
import type { PartitionResponse } from '../wire/produce-request.ts';
import { encodeRecordBatch, type ProducerIdentity } from '../wire/record-batch.ts';
import type { Runtime } from '../wire/runtime.ts';

/** Brokers with one topic of one partition. */
export interface BrokersUnderTest {
  readonly settings: KafkaSettings;
  readonly runtime?: Runtime;
  /** the clock of the brokers, milliseconds since 1970 */
  now(): number;
  /** Lets another broker lead. */
  moveLeader(leader: number): Promise<void>;
  /** Deletes the records before an offset, as retention does. */
  deleteBefore(offset: number): Promise<void>;
  close(): Promise<void>;
}

const OFFSET_OUT_OF_RANGE = 1;
const INVALID_TIMESTAMP = 32;
const OUT_OF_ORDER_SEQUENCE_NUMBER = 45;
const FENCED_LEADER_EPOCH = 74;
const UNKNOWN_LEADER_EPOCH = 75;
/** LEADER_NOT_AVAILABLE, NOT_LEADER_OR_FOLLOWER, REQUEST_TIMED_OUT, NOT_ENOUGH_REPLICAS, the same after the append. */
const PASSING = [5, 6, 7, 19, 20];

const EARLIEST = -2;
const LATEST = -1;
const LAST_SEQUENCE = 2 ** 31 - 1;

/**
 * What the producer and the search rely on: holds the models of brokers, for tests and for simulations, to a real Kafka.
 *
 * @param start brokers whose topic has these settings
 */
export const describeBrokers = (
  what: string,
  start: (topicSettings: Record<string, string>) => Promise<BrokersUnderTest>,
): void => {
  const open: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close();
  });

  const startWith = async (topicSettings: Record<string, string> = {}) => {
    const brokers = await start(topicSettings);
    const { settings, runtime } = brokers;
    const { topic, clientId } = settings;
    const cluster = openCluster(settings, runtime);
    open.push(
      () => brokers.close(),
      () => cluster.close(),
    );
    const leadership = () =>
      eventually('leader', async () => {
        const { leaders, epochs } = await cluster.topicMetadata();
        return leaders[0]! > 0 && { leader: leaders[0]!, epoch: epochs[0]! };
      });
    const connection = async () => cluster.connectionTo((await leadership()).leader);
    const identity: ProducerIdentity = await eventually('producer id', () => cluster.newProducerIdentity());

    /** One record under a sequence number. */
    const batchOf = (baseSequence: number, timestamp = brokers.now()): Buffer => {
      const record = { key: String(baseSequence), value: Buffer.from('[]'), headers: {} };
      return encodeRecordBatch([record], { identity, baseSequence, timestamp });
    };
    const send = (batch: Buffer): Promise<PartitionResponse> =>
      eventually('answer', async () => {
        const channel = createProduceChannel(await connection(), {
          topic,
          clientId,
          ...(runtime && { runtime }),
        });
        const response = await channel.produce(0, () => batch, 5_000);
        return response && !PASSING.includes(response.errorCode) && response;
      });
    const offsetAt = async (time: number, leaderEpoch = NO_EPOCH): Promise<number> => {
      const { responses } = (await (
        await connection()
      ).request('ListOffsets', {
        replicaId: -1,
        isolationLevel: 0,
        topics: [{ topic, partitions: [{ partition: 0, leaderEpoch, timestamp: String(time) }] }],
      })) as { responses: { partitions: { offset: string }[] }[] };
      return Number(responses[0]!.partitions[0]!.offset);
    };
    /** Offsets of the batches from an offset on, or the error code. */
    const fetch = async (offset: number, leaderEpoch = NO_EPOCH): Promise<number[] | number> => {
      const to = await connection();
      const maxBytes = 1_000_000;
      const wanted = { partition: 0, currentLeaderEpoch: leaderEpoch, fetchOffset: offset, maxBytes };
      const options = { maxWaitTime: 0, minBytes: 1, maxBytes, topics: [{ topic, partitions: [wanted] }] };
      const lastOffsets = (answer: unknown): number[] =>
        [...batchHeads((answer as FetchResponse).fetched!.batches)].map(({ nextOffset }) => nextOffset - 1);
      return to.request('Fetch', options).then(lastOffsets, codeOf);
    };
    return { ...brokers, leadership, batchOf, send, offsetAt, fetch };
  };

  const appended = (baseOffset: number): PartitionResponse => ({ errorCode: 0, baseOffset });
  const rejected = (errorCode: number) => expect.objectContaining({ errorCode }) as unknown;
  const codeOf = (error: unknown): number => (error as KafkaJSProtocolError).code;

  describe(`${what}, as brokers`, () => {
    it('append a batch once while it is among the last five of its producer, and say where', async () => {
      const { batchOf, send, offsetAt } = await startWith();
      const batches = [0, 1, 2, 3, 4, 5].map((sequence) => batchOf(sequence));
      for (const [offset, batch] of batches.entries()) expect(await send(batch)).toEqual(appended(offset));
      for (const offset of [5, 1]) expect(await send(batches[offset]!)).toEqual(appended(offset));
      expect(await send(batches[0]!)).toEqual(rejected(OUT_OF_ORDER_SEQUENCE_NUMBER));
      expect(await offsetAt(LATEST)).toBe(6);
    });

    it('append nothing after a gap in the sequence numbers', async () => {
      const { batchOf, send, offsetAt } = await startWith();
      await send(batchOf(0));
      expect(await send(batchOf(2))).toEqual(rejected(OUT_OF_ORDER_SEQUENCE_NUMBER));
      expect(await offsetAt(LATEST)).toBe(1);
      expect(await send(batchOf(1))).toEqual(appended(1));
    });

    it('take any number from a producer that they do not know, and count on from the last to 0', async () => {
      const { batchOf, send } = await startWith();
      expect(await send(batchOf(LAST_SEQUENCE))).toEqual(appended(0));
      expect(await send(batchOf(0))).toEqual(appended(1));
    });

    it('reject timestamps outside of their limits, also of a batch that they have', async () => {
      const limits = { 'message.timestamp.before.max.ms': '3000', 'message.timestamp.after.max.ms': '3000' };
      const { batchOf, send, offsetAt, now } = await startWith(limits);
      expect(await send(batchOf(0, now() - 60_000))).toEqual(rejected(INVALID_TIMESTAMP));
      expect(await send(batchOf(0, now() + 60_000))).toEqual(rejected(INVALID_TIMESTAMP));
      const batch = batchOf(0);
      expect(await send(batch)).toEqual(appended(0));
      await eventually('too old', async () => (await send(batch)).errorCode === INVALID_TIMESTAMP);
      expect(await offsetAt(LATEST)).toBe(1);
      expect(await send(batchOf(1))).toEqual(appended(1));
    });

    it('find the first record that is dated at a time or later, in whatever order they are', async () => {
      const { batchOf, send, offsetAt, now } = await startWith();
      // Not so old that a topic with a limit rejects it.
      const time = now() - 10_000;
      for (const [at, ms] of [0, 5_000, 1_000].entries()) {
        expect(await send(batchOf(at, time + ms))).toEqual(appended(at));
      }
      expect(await offsetAt(time)).toBe(0);
      expect(await offsetAt(time + 1)).toBe(1);
      expect(await offsetAt(time + 5_001)).toBe(-1);
    });

    it('show nothing outside of the log that retention has left', async () => {
      const { batchOf, send, offsetAt, fetch, deleteBefore } = await startWith();
      for (const sequence of [0, 1, 2]) await send(batchOf(sequence));
      expect(await fetch(0)).toEqual([0, 1, 2]);
      await deleteBefore(2);
      expect(await fetch(2)).toEqual([2]);
      expect(await fetch(1)).toBe(OFFSET_OUT_OF_RANGE);
      expect(await fetch(3)).toEqual([]);
      expect(await fetch(4)).toBe(OFFSET_OUT_OF_RANGE);
      expect([await offsetAt(EARLIEST), await offsetAt(0), await offsetAt(LATEST)]).toEqual([2, 2, 3]);
    });

    it('answer only who knows the epoch of the leader, which grows with the next, who has the numbers', async () => {
      const { batchOf, send, offsetAt, fetch, leadership, moveLeader } = await startWith();
      const batch = batchOf(0);
      await send(batch);
      const before = await leadership();
      expect(await fetch(0, before.epoch)).toEqual([0]);
      expect(await fetch(0, before.epoch + 1)).toBe(UNKNOWN_LEADER_EPOCH);
      await moveLeader(before.leader);
      const after = await eventually('another leader', async () => {
        const { leader, epoch } = await leadership();
        return leader !== before.leader && { epoch };
      });
      expect(after.epoch).toBeGreaterThan(before.epoch);
      expect(await send(batch)).toEqual(appended(0));
      expect(await fetch(0, after.epoch)).toEqual([0]);
      expect(await fetch(0, before.epoch)).toBe(FENCED_LEADER_EPOCH);
      expect(await offsetAt(LATEST, after.epoch)).toBe(1);
      expect(await offsetAt(LATEST, before.epoch).catch(codeOf)).toBe(FENCED_LEADER_EPOCH);
    });
  });
};
