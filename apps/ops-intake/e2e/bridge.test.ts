import { spawnSync } from 'node:child_process';
import { describeWithKafka, type StandaloneBroker, startBroker } from '@workspace/kafka-broker';
import { pythonProgram } from '@workspace/testing';
import { untilHealth } from './support/health.ts';
import { killServices, type RunningService, startService } from './support/service.ts';

/** An unmodified client of Strimzi's bridge, from PyPI. It knows success by the status 200 and reads no error within. */
const PROGRAM = `
import json, sys
from kafka_bridge_client import KafkaBridgeProducer
url, topic, records = json.load(sys.stdin)
try:
    print(KafkaBridgeProducer(url, timeout=30).sends(topic, records))
except Exception as error:
    print(type(error).__name__)
`;
const ONE = [{ operation: 'buy', 'unit-cost': 10.5, quantity: 100 }];

describeWithKafka('clients of Confluent’s API, from PyPI', () => {
  let broker: StandaloneBroker;
  let service: RunningService;
  let python: string;
  const send = (records: unknown, topic = 'operations'): string => {
    const input = JSON.stringify([service.url, topic, records]);
    const { stdout, stderr } = spawnSync(python, ['-c', PROGRAM], { input, encoding: 'utf8' });
    return stdout.trim() || stderr;
  };
  const values = async (): Promise<[string | null, unknown][]> => {
    const found: [string | null, unknown][] = [];
    await broker.consumeEach('operations', ({ key, value }) => void found.push([key, JSON.parse(value)]));
    return found;
  };

  beforeAll(async () => {
    python = await pythonProgram('python', 'kafka-bridge');
    broker = await startBroker();
    service = await startService({ KAFKA_BOOTSTRAP_SERVERS: `127.0.0.1:${broker.port}`, BRIDGE: 'true' });
    await untilHealth(service.url, 200);
  });
  afterAll(async () => {
    await killServices();
    await broker?.stop();
  });

  it('produce, and are told of every record that is not in the log', async () => {
    const records = ['a', 'b', 'a'].map((key) => ({ key, value: ONE }));
    expect(send(records)).toBe('True');
    expect((await values()).sort()).toEqual(records.map(({ key, value }) => [key, value]).sort());
    expect(send([...records, { key: 'a', value: [{ operation: 'hold' }] }])).toBe('ValidationError');
    expect(send(records, 'other')).toBe('KafkaBridgeTopicNotFoundError');
    expect(await values()).toHaveLength(3);
    await broker.kill();
    expect(send(records)).toBe('KafkaBridgeResourceException');
    await broker.restart();
  });
});
