import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Cluster, describeWithKafka, startCluster } from '@workspace/kafka-broker';
import { captureLogger, eventually } from '@workspace/testing';
import { type Cluster as Brokers, openCluster } from '../src/cluster/cluster.ts';
import { createProduceChannel } from '../src/cluster/produce-channel.ts';
import type { RecordOutcome } from '@workspace/schemas';
import { type KafkaSettings, openProducer } from '../src/index.ts';
import type { PartitionResponse } from '../src/wire/produce-request.ts';
import { encodeRecordBatch, type ProducerIdentity } from '../src/wire/record-batch.ts';

const OUT_OF_ORDER_SEQUENCE_NUMBER = 45;
/** LEADER_NOT_AVAILABLE, NOT_LEADER_OR_FOLLOWER, REQUEST_TIMED_OUT, NOT_ENOUGH_REPLICAS, the same after the append. */
const PASSING = [5, 6, 7, 19, 20];

describeWithKafka('record batches of our own, on three brokers', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.stop());

  const settingsOf = (topic: string): KafkaSettings => ({
    brokers: cluster.bootstrapServers.split(','),
    clientId: 'exact-retries',
    topic,
    connectionTimeoutMs: 5_000,
    requestTimeoutMs: 5_000,
    deliveryTimeoutMs: 60_000,
  });

  const leaderOf = (brokers: Brokers): Promise<number> =>
    eventually('leader', async () => {
      const [leader = -1] = (await brokers.topicMetadata()).leaders;
      return leader > 0 && leader;
    });

  /** A cluster that has just started answers COORDINATOR_LOAD_IN_PROGRESS for a while. */
  const newIdentity = (brokers: Brokers): Promise<ProducerIdentity> =>
    eventually('producer id', () => brokers.newProducerIdentity());

  /** Sends a batch to the current leader, until it is answered and the answer is not a temporary error. */
  const send = (brokers: Brokers, topic: string, batch: Buffer): Promise<PartitionResponse> =>
    eventually('answer', async () => {
      const connection = await brokers.connectionTo(await leaderOf(brokers));
      const options = { topic, clientId: 'exact-retries' };
      const response = await createProduceChannel(connection, options).produce(0, () => batch, 5_000);
      return response && !PASSING.includes(response.errorCode) && response;
    });

  it('are appended once, however often they are sent: again, after kill -9 of the leader, to the next leader', async () => {
    const topic = 'again';
    await cluster.brokers[0]?.createTopic(topic, { partitions: 1 });
    const brokers = openCluster(settingsOf(topic));
    const identity = await newIdentity(brokers);
    const timestamp = Date.now();
    const batchOf = (keys: string[], baseSequence: number): Buffer =>
      encodeRecordBatch(
        keys.map((key) => ({
          key,
          value: Buffer.from(`[${key}]`),
          headers: { 'content-type': 'text/plain' },
        })),
        { identity, baseSequence, timestamp },
      );
    const first = batchOf(['1', '2'], 0);
    const second = batchOf(['3'], 2);
    expect(await send(brokers, topic, first)).toEqual({ errorCode: 0, baseOffset: 0 });
    expect(await send(brokers, topic, first)).toEqual({ errorCode: 0, baseOffset: 0 });
    expect(await send(brokers, topic, second)).toEqual({ errorCode: 0, baseOffset: 2 });

    const leader = await leaderOf(brokers);
    await cluster.brokers[leader - 1]?.kill();
    // The next leader, or the same after its return: either has the numbers from the log.
    expect(await send(brokers, topic, second)).toEqual({ errorCode: 0, baseOffset: 2 });
    await cluster.brokers[leader - 1]?.restart();
    expect(await send(brokers, topic, first)).toEqual({ errorCode: 0, baseOffset: 0 });
    expect((await send(brokers, topic, batchOf(['5'], 4))).errorCode).toBe(OUT_OF_ORDER_SEQUENCE_NUMBER);
    brokers.close();

    const survivor = cluster.brokers[leader % 3];
    const records = (await survivor?.consume(topic)) ?? [];
    expect(records.map(({ offset, key, value, headers }) => [offset, key, value, headers])).toEqual(
      ['1', '2', '3'].map((key, offset) => [offset, key, `[${key}]`, { 'content-type': 'text/plain' }]),
    );
    const kcat = ['-b', cluster.bootstrapServers, '-C', '-e', '-q', '-t', topic, '-f', '%o %k %s %h\n'];
    const { stdout } = await promisify(execFile)('kcat', kcat);
    expect(stdout).toBe(
      ['1', '2', '3'].map((key, offset) => `${offset} ${key} [${key}] content-type=text/plain\n`).join(''),
    );
  });

  it('count on from sequence number 2³¹ - 1 to 0, without a record lost, doubled or rejected', async () => {
    await cluster.brokers[0]?.createTopic('wrap', { partitions: 3 });
    let renewed = 0;
    const log = openProducer({
      settings: settingsOf('wrap'),
      limits: { queueRecords: 10_000, queueBytes: 1e8, batchRecords: 20, batchBytes: 900_000 },
      search: { maxBytes: 1_000_000, timeoutMs: 5_000 },
      probeIntervalMs: 100,
      now: () => new Date(),
      logger: captureLogger('silent').logger,
      observer: { producerIdRenewed: () => (renewed += 1) },
      firstSequence: 2 ** 31 - 110,
    });
    await eventually('connection', () => log.status().connected);

    const keys = Array.from({ length: 1_000 }, (_, index) => `key-${index}`);
    const receipts = await Promise.all(
      keys.map(
        (key) =>
          new Promise<RecordOutcome & { outcome: 'accepted' }>((resolve, reject) => {
            const settled = (told: RecordOutcome) =>
              told.outcome === 'accepted' ? resolve(told) : reject(new Error(told.reason));
            log.append({ key, value: Buffer.from(key), headers: {} }, { settled });
          }),
      ),
    );
    await log.close();

    const told = receipts.map(({ partition, offset }, index) => `${partition}/${offset} ${keys[index]}`);
    const found = ((await cluster.brokers[0]?.consume('wrap')) ?? []).map(
      ({ partition, offset, key }) => `${partition}/${offset} ${key}`,
    );
    expect(found.sort()).toEqual(told.sort());
    expect(renewed).toBe(0);
  });
});
