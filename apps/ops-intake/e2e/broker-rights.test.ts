import { eventually } from '@workspace/testing';
import { startRedis } from '@workspace/testing/stores';
import { AclOperationTypes } from 'kafkajs';
import { healthOf, ONE_BUY, outputOf, submit } from './support/client.ts';
import { describeWithKafkaAnd } from './support/describe-with-kafka-and.ts';
import { type GuardedBroker, startGuardedBroker } from './support/guarded-broker.ts';
import { untilHealth, untilHealthSays } from './support/health.ts';
import { killServices, startService } from './support/service.ts';

const { CREATE, DESCRIBE, READ, WRITE } = AclOperationTypes;

const post = async (url: string): Promise<number> => {
  const { status, body } = await submit({ url });
  if (status !== 202) expect(body.outcome).toBe('not-published');
  return status;
};

describeWithKafkaAnd(['redis-server'], 'the rights the service needs', () => {
  let broker: GuardedBroker;
  beforeAll(async () => {
    broker = await startGuardedBroker();
  });
  afterEach(killServices);
  afterAll(() => broker.stop());

  const start = (topic: string, createTopic: boolean, env: Record<string, string> = {}) =>
    startService({
      ...broker.login,
      KAFKA_TOPIC: topic,
      KAFKA_CREATE_TOPIC: String(createTopic),
      KAFKA_PROBE_INTERVAL_MS: '200',
      ...env,
    });

  it('are WRITE on its topic and nothing else, where the topic is there', async () => {
    await broker.createTopic('given');
    await broker.allow('given', WRITE);
    const service = await start('given', false);
    await untilHealth(service.url, 200);
    const { status, checks } = await healthOf(service);
    // Whether settings weaken a promise is unknown, and no reason to warn.
    expect([status, checks['kafka:settings']]).toEqual([
      'up',
      [expect.objectContaining({ status: 'pass', output: expect.stringMatching(/^not known/) })],
    ]);
    expect(await post(service.url)).toBe(202);
    expect((await broker.consume('given')).map(({ value }) => value)).toEqual([ONE_BUY]);
  });

  it('are READ on its topic, where submissions are to be found in it', async () => {
    await broker.createTopic('read');
    await broker.allow('read', WRITE);
    const service = await start('read', false);
    await untilHealth(service.url, 200);
    const { statusUrl } = (await submit(service)).body;
    const outcome = async (): Promise<unknown> =>
      ((await (await fetch(`${service.url}${statusUrl}`)).json()) as { outcome: string }).outcome;
    expect(await outcome()).toBe('unknown');
    expect(await service.logged('topic cannot be searched')).toMatchObject({
      reason: 'TOPIC_AUTHORIZATION_FAILED',
    });
    await broker.allow('read', READ);
    expect(await outcome()).toBe('accepted');
  });

  it('are READ on its topic, too, where keys are shared: /health warns until it is given', async () => {
    const redis = await startRedis();
    try {
      await broker.createTopic('keys');
      await broker.allow('keys', WRITE);
      const service = await start('keys', false, { IDEMPOTENCY_STORE_URL: redis.url });
      const keyed = async (key: string) => {
        const { status, body } = await submit(service, { 'idempotency-key': key });
        return [status, body.outcome];
      };
      expect(await post(service.url)).toBe(202);
      // A new store may have lost keys: each is searched for.
      expect(await keyed('a')).toEqual([503, 'unknown']);
      const searchOutput = () => outputOf(service, 'kafka:search');
      await eventually('warning', async () => (await searchOutput())?.includes('TOPIC_AUTHORIZATION_FAILED'));
      await broker.allow('keys', READ);
      await eventually('search', async () => (await keyed('a'))[0] === 202);
      await eventually('no warning', async () => (await searchOutput()) === undefined);
    } finally {
      await redis.stop();
    }
  });

  it('are WRITE, which only a submission can find out where the user may write to other topics', async () => {
    await broker.createTopic('seen');
    await broker.allow('seen', DESCRIBE);
    const service = await start('seen', false);
    await untilHealth(service.url, 200);
    expect(await post(service.url)).toBe(503);
    await untilHealthSays(service.url, 'TOPIC_AUTHORIZATION_FAILED');
    expect(await broker.consume('seen')).toEqual([]);
  });

  it('are CREATE on its topic too, where it makes it; until then /health says what is rejected', async () => {
    await broker.allow('made', WRITE);
    const service = await start('made', true);
    await untilHealthSays(service.url, 'TOPIC_AUTHORIZATION_FAILED');
    await broker.allow('made', CREATE);
    await untilHealth(service.url, 200);
    expect(await post(service.url)).toBe(202);
  });
});
