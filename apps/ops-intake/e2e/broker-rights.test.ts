import { describeWithKafka } from '@workspace/kafka-broker';
import { AclOperationTypes } from 'kafkajs';
import { type GuardedBroker, startGuardedBroker } from './support/guarded-broker.ts';
import { untilHealth, untilHealthSays } from './support/health.ts';
import { killServices, startService } from './support/service.ts';

const ONE_BUY = '[{"operation":"buy","unit-cost":10.00,"quantity":100}]';
const { CREATE, DESCRIBE, READ, WRITE } = AclOperationTypes;

const post = async (url: string): Promise<number> => {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/operations`, { method: 'POST', headers, body: ONE_BUY });
  const { outcome } = (await answer.json()) as { outcome?: string };
  if (answer.status !== 202) expect(outcome).toBe('not-published');
  return answer.status;
};

describeWithKafka('the rights the service needs', () => {
  let broker: GuardedBroker;
  beforeAll(async () => {
    broker = await startGuardedBroker();
  });
  afterEach(killServices);
  afterAll(() => broker.stop());

  const start = (topic: string, createTopic: boolean) =>
    startService({
      ...broker.login,
      KAFKA_TOPIC: topic,
      KAFKA_CREATE_TOPIC: String(createTopic),
      KAFKA_PROBE_INTERVAL_MS: '200',
    });

  it('are WRITE on its topic and nothing else, where the topic is there', async () => {
    await broker.createTopic('given');
    await broker.allow('given', WRITE);
    const service = await start('given', false);
    await untilHealth(service.url, 200);
    const { status, checks } = (await (await fetch(`${service.url}/health`)).json()) as {
      status: string;
      checks: Record<string, unknown>;
    };
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
    const headers = { 'content-type': 'application/json' };
    const accepted = await fetch(`${service.url}/operations`, { method: 'POST', headers, body: ONE_BUY });
    const { statusUrl } = (await accepted.json()) as { statusUrl: string };
    const outcome = async (): Promise<unknown> =>
      ((await (await fetch(service.url + statusUrl)).json()) as { outcome: string }).outcome;
    expect(await outcome()).toBe('unknown');
    expect(await service.logged('topic cannot be searched')).toMatchObject({
      reason: 'TOPIC_AUTHORIZATION_FAILED',
    });
    await broker.allow('read', READ);
    expect(await outcome()).toBe('accepted');
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
