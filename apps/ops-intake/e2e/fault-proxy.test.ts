import { type Broker, type StandaloneBroker, describeWithKafka, startBroker } from '@workspace/kafka-broker';
import { freePort, eventually } from '@workspace/testing';
import { Kafka, logLevel } from 'kafkajs';
import { type FaultProxy, type FaultRule, startFaultProxy } from './support/fault-proxy.ts';
import { apiKeys } from './support/frames.ts';
import type { Hold } from './support/link.ts';

describeWithKafka('the fault proxy between kafkajs and a real broker', () => {
  let proxy: FaultProxy;
  let broker: StandaloneBroker;
  beforeAll(async () => {
    const port = await freePort();
    proxy = await startFaultProxy({ port: port!, seed: 1 });
    broker = await startBroker({ viaAdvertisedPort: proxy.port });
    proxy.target = broker.ports['VIA']!;
  });
  afterAll(async () => {
    await proxy?.close();
    await broker?.stop();
  });

  /** One send through the proxy under the given rules; a fresh client without retries. */
  const send = async (
    topic: string,
    rules: FaultRule[],
    requestTimeout = 500,
  ): Promise<Error | undefined> => {
    proxy.rules = [];
    const kafka = new Kafka({
      brokers: [`127.0.0.1:${proxy.port}`],
      logLevel: logLevel.NOTHING,
      requestTimeout,
      retry: { retries: 0 },
    });
    const producer = kafka.producer({ retry: { retries: 0 } });
    await producer.connect();
    proxy.rules = rules;
    try {
      await producer.send({ topic, acks: -1, messages: [{ key: 'k', value: 'v' }] });
      return undefined;
    } catch (error) {
      return error as Error;
    } finally {
      proxy.rules = [];
      await producer.disconnect();
    }
  };

  /** For an answer that comes: longer than a busy machine takes. */
  const PATIENT_MS = 30_000;

  const rule = (kind: FaultRule['kind'], hold: Hold): FaultRule => ({
    kind,
    apiKey: apiKeys.produce,
    probability: 1,
    hold,
  });
  const count = async (by: Broker, topic: string): Promise<number> => (await by.consume(topic)).length;

  it.each([
    ['cut-before', 0],
    ['cut-after', 1],
    ['cut-inside', 1],
    ['stall', 1],
  ] as const)('%s: the client fails, %d records are in the log', async (kind, records) => {
    await broker.createTopic(kind);
    expect(await send(kind, [rule(kind, { ms: 2_000 })])).toBeInstanceOf(Error);
    expect(proxy.struck[kind]).toBe(1);
    expect(await count(broker, kind)).toBe(records);
  });

  it('holds an answer until it is let through', async () => {
    await broker.createTopic('held');
    const before = proxy.struck.stall;
    let letThrough: (value?: unknown) => void = () => undefined;
    const until = new Promise((resolve) => (letThrough = resolve));
    let isTold = false;
    const sent = send('held', [rule('stall', { until })], PATIENT_MS).finally(() => (isTold = true));
    await eventually('frame held back', () => proxy.struck.stall > before);
    expect(await count(broker, 'held')).toBe(1);
    expect(isTold).toBe(false);
    letThrough();
    expect(await sent).toBeUndefined();
  });
});
