import { describeWithKafka, startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import { eventually } from '@workspace/testing';
import { metricsOf, outputOf, submit } from './support/client.ts';
import { killServices, type RunningService, startService } from './support/service.ts';

/** About two submissions a second. */
const QUOTA = 'producer_byte_rate=1000';

describeWithKafka('a quota of the broker', () => {
  let broker: StandaloneBroker;
  beforeAll(async () => {
    broker = await startBroker();
  });
  afterEach(killServices);
  afterAll(() => broker.stop());

  const alter = (change: string, config: string): Promise<void> => {
    const client = ['--entity-type', 'clients', '--entity-name', 'ops-intake'];
    return broker.runTool('kafka.admin.ConfigCommand', [...client, '--alter', change, config]);
  };
  const post = async (service: RunningService): Promise<number> => (await submit(service)).status;
  const quotaCheck = (service: RunningService) => outputOf(service, 'kafka:quota');

  it('is named in /health, the log and the metrics, ends when it is lifted, and holds up no shutdown', async () => {
    const start = () => startService({ KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers });
    const service = await start();
    await eventually('202', async () => (await post(service)) === 202);
    await alter('--add-config', QUOTA);
    const load = { isOn: true };
    const loaded = Promise.all(
      Array.from({ length: 50 }, async () => {
        while (load.isOn) await post(service);
      }),
    );
    const output = await eventually('quota', () => quotaCheck(service));
    expect(output).toContain('a quota of the broker');
    await service.logged('throttled by a quota of the broker');
    expect(await metricsOf(service)).toMatch(/^operations_kafka_throttled_seconds_total (0\.\d*)?[1-9]/m);
    const other = await start();
    await eventually('throttled', async () => {
      await Promise.all(Array.from({ length: 20 }, () => post(other)));
      return quotaCheck(other);
    });
    // While it is throttled.
    const began = performance.now();
    expect(await other.stop()).toBe(0);
    expect(performance.now() - began).toBeLessThan(10_000);

    await alter('--delete-config', QUOTA.split('=')[0]!);
    load.isOn = false;
    await loaded;
    await eventually('no quota', async () => (await post(service)) === 202 && !(await quotaCheck(service)));
  });
});
