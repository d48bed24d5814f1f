import { describeWithKafka, startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import { captureLogger } from '@workspace/service-kit/testing';
import { openKafkaLog } from '../src/adapters/kafka/kafka-log.ts';

describeWithKafka('a producer whose sequence numbers run out', () => {
  let broker: StandaloneBroker;
  beforeAll(async () => {
    broker = await startBroker();
  });
  afterAll(() => broker.stop());

  it('is replaced between two batches, without a record lost, doubled or rejected', async () => {
    await broker.createTopic('renewal', { partitions: 3 });
    let replaced = 0;
    const log = openKafkaLog({
      settings: {
        brokers: [broker.bootstrapServers],
        clientId: 'renewal',
        topic: 'renewal',
        connectionTimeoutMs: 5_000,
        requestTimeoutMs: 5_000,
        retries: 2,
      },
      producers: 2,
      limits: { queueRecords: 10_000, queueBytes: 1e8, batchRecords: 20, batchBytes: 900_000 },
      probeIntervalMs: 100,
      now: () => new Date(),
      logger: captureLogger('silent').logger,
      observer: { producerReplaced: () => (replaced += 1) },
      recordsPerProducer: 100,
    });
    while (!log.status().connected) await new Promise((resolve) => setTimeout(resolve, 20));

    const keys = Array.from({ length: 1_000 }, (_, index) => `key-${index}`);
    const receipts = await Promise.all(
      keys.map((key) => log.append({ key, value: Buffer.from(key), headers: {} }).settled),
    );
    await log.close();

    const told = receipts.map(({ partition, offset }, index) => `${partition}/${offset} ${keys[index]}`);
    const found = (await broker.consume('renewal')).map(
      ({ partition, offset, key }) => `${partition}/${offset} ${key}`,
    );
    expect(found.sort()).toEqual(told.sort());
    expect(replaced).toBeGreaterThanOrEqual(8);
  });
});
