import { Kafka, logLevel } from 'kafkajs';
import { type Cluster, startCluster } from '../src/index.ts';
import { describeWithKafka } from '../src/describe-with-kafka.ts';

describeWithKafka('startCluster', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster?.stop());

  it('acknowledges with two of three brokers, rejects with one, and recovers', async () => {
    const [first, second, third] = cluster.brokers;
    await first!.createTopic('replicated');
    const kafka = new Kafka({
      brokers: cluster.bootstrapServers.split(','),
      logLevel: logLevel.NOTHING,
      requestTimeout: 2_000,
      retry: { initialRetryTime: 200, maxRetryTime: 1_000, retries: 30 },
    });
    const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    const send = (key: string) =>
      producer.send({ topic: 'replicated', acks: -1, messages: [{ key, value: key }] });

    await send('three');
    await third!.kill();
    await send('two');
    await producer.disconnect();
    await second!.kill();
    const alone = new Kafka({
      brokers: [first!.bootstrapServers],
      logLevel: logLevel.NOTHING,
      requestTimeout: 1_000,
      retry: { retries: 0 },
    });
    const refused = alone.producer();
    await expect(
      refused
        .connect()
        .then(() => refused.send({ topic: 'replicated', messages: [{ key: 'one', value: 'one' }] })),
    ).rejects.toThrow(); // no leader, too few in sync, or no answer, as the case may be
    await refused.disconnect();
    await Promise.all([second!.restart(), third!.restart()]);
    await producer.connect();
    await send('healed');
    await producer.disconnect();
    const values = (await first!.consume('replicated')).map(({ value }) => value);
    expect(values.filter((value) => value !== 'one')).toEqual(['three', 'two', 'healed']);
  });
});
