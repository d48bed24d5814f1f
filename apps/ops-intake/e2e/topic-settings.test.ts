import { describeWithKafka, startBroker, type StandaloneBroker, withAdmin } from '@workspace/kafka-broker';
import { eventually } from '@workspace/testing';
import { ConfigResourceTypes } from 'kafkajs';
import { createLogger } from '@workspace/logging';
import { openKafkaLog } from '../src/adapters/kafka/kafka-log.ts';
import { append } from '../test/append.ts';
import { healthOf, metricsOf } from './support/client.ts';
import { killServices, type RunningService, startService } from './support/service.ts';

const BEFORE_MAX = 'message.timestamp.before.max.ms';

describeWithKafka('settings of the topic', () => {
  let broker: StandaloneBroker;
  beforeAll(async () => {
    broker = await startBroker({ overrides: { 'producer.id.expiration.ms': '20000' } });
  });
  afterEach(killServices);
  afterAll(() => broker.stop());

  const start = (topic: string): Promise<RunningService> =>
    startService({
      KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers,
      KAFKA_TOPIC: topic,
      KAFKA_PROBE_INTERVAL_MS: '100',
    });
  const named = async (service: RunningService): Promise<string[]> =>
    ((await healthOf(service)).checks['kafka:settings'] ?? []).map(
      ({ output }) => output?.split('=')[0] ?? '',
    );

  it('that weaken a promise are named in /health, the log and a metric until they are corrected', async () => {
    const settings = {
      'cleanup.policy': 'compact,delete',
      'retention.ms': '60000',
      'message.timestamp.type': 'LogAppendTime',
      [BEFORE_MAX]: '9223372036854775807',
      'unclean.leader.election.enable': 'true',
    };
    await broker.createTopic('weak', { settings });
    const service = await start('weak');
    const found = await eventually('settings', async () => {
      const names = await named(service);
      return names.length > 0 && names;
    });
    expect(found.toSorted()).toEqual([...Object.keys(settings), 'producer.id.expiration.ms'].toSorted());
    await service.logged('setting weakens a promise');
    expect(await metricsOf(service)).toMatch(/^operations_kafka_weak_settings 6$/m);
    const good = {
      'cleanup.policy': 'delete',
      'retention.ms': '604800000',
      'message.timestamp.type': 'CreateTime',
      [BEFORE_MAX]: '35000',
      'unclean.leader.election.enable': 'false',
    };
    const configEntries = Object.entries(good).map(([name, value]) => ({ name, value }));
    await withAdmin(broker.bootstrapServers, (admin) =>
      admin.alterConfigs({
        validateOnly: false,
        resources: [{ type: ConfigResourceTypes.TOPIC, name: 'weak', configEntries }],
      }),
    );
    // Of the broker, and so of all topics.
    await eventually('correction', async () => (await named(service)).join() === 'producer.id.expiration.ms');
  });

  const openLog = (topic: string, more: Partial<Parameters<typeof openKafkaLog>[0]> = {}) =>
    openKafkaLog({
      settings: {
        brokers: [broker.bootstrapServers],
        clientId: 'late',
        topic,
        connectionTimeoutMs: 5_000,
        requestTimeoutMs: 5_000,
        deliveryTimeoutMs: 5_000,
      },
      limits: { queueRecords: 10, queueBytes: 10_000, batchRecords: 1, batchBytes: 10_000 },
      search: { maxBytes: 1_000_000, timeoutMs: 5_000 },
      probeIntervalMs: 100,
      now: () => new Date(),
      logger: createLogger({ name: 'late', level: 'silent' }),
      ...more,
    });

  it('and a clock that differs from the cluster’s are measured', async () => {
    await broker.createTopic('clock');
    const service = await start('clock');
    const differs = await eventually('difference', async () => {
      const text = await metricsOf(service);
      const [, seconds] = /^operations_kafka_clock_difference_seconds (-?[\d.e-]+)$/m.exec(text) ?? [];
      return seconds;
    });
    // Both run on one machine; how long a busy one takes to answer counts.
    expect(Math.abs(Number(differs))).toBeLessThan(5);
    const needs = { recordAgeMs: 35_000, clockDifferenceMs: 1_000, keptMs: 3_600_000 };
    const log = openLog('clock', { needs, now: () => new Date(Date.now() + 600_000) });
    try {
      const clock = await eventually('its clock', () => log.status().clock);
      expect(clock.aheadMs).toBeGreaterThan(590_000);
      expect(clock.warning).toMatch(/ahead of the cluster/);
    } finally {
      await log.close();
    }
  });

  it('are made by the service so that a broker rejects what arrives after its time', async () => {
    await start('made');
    const log = openLog('made');
    try {
      await eventually('topic', () => log.status().connected);
      const record = (ageMs: number) => ({
        key: 'k',
        value: Buffer.from('[]'),
        headers: {},
        timestamp: Date.now() - ageMs,
      });
      expect(await append(log, record(20_000))).toMatchObject({ offset: 0 });
      await expect(append(log, record(36_000))).rejects.toThrow('not-published');
    } finally {
      await log.close();
    }
  });
});
