import { startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import { type RedisServer, startRedis } from '@workspace/testing/stores';
import { eventually } from '@workspace/testing';
import { describeWithKafkaAnd } from './support/describe-with-kafka-and.ts';
import { type RunningService, startService } from './support/service.ts';

const ONE_BUY = '[{"operation":"buy","unit-cost":10.00,"quantity":100}]';
const ONE_SELL = '[{"operation":"sell","unit-cost":10.00,"quantity":100}]';

interface Answer {
  status: number;
  replayed: boolean;
  body: { submissionId?: string; type?: string; outcome?: string };
}

const post = async (service: RunningService, key?: string, body = ONE_BUY): Promise<Answer> => {
  const answer = await fetch(`${service.url}/operations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
    body,
  });
  return {
    status: answer.status,
    replayed: answer.headers.get('idempotent-replayed') === 'true',
    body: (await answer.json()) as Answer['body'],
  };
};

const healthStatus = async (service: RunningService): Promise<string> =>
  ((await (await fetch(`${service.url}/health`)).json()) as { status: string }).status;

const untilHealth = (service: RunningService, status: string): Promise<boolean> =>
  eventually(`health ${status}`, async () => (await healthStatus(service)) === status);

describeWithKafkaAnd(['redis-server'], 'Idempotency-Keys in a shared store', () => {
  let broker: StandaloneBroker;
  let redis: RedisServer;
  let topic: string;
  let services: RunningService[];
  let topics = 0;

  const start = async (env: Record<string, string> = {}): Promise<RunningService> => {
    const service = await startService({
      KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers,
      KAFKA_TOPIC: topic,
      KAFKA_PROBE_INTERVAL_MS: '200',
      IDEMPOTENCY_STORE_URL: redis.url,
      ...env,
    });
    services.push(service);
    await untilHealth(service, 'up');
    return service;
  };

  beforeAll(async () => {
    [broker, redis] = await Promise.all([startBroker(), startRedis()]);
    // A store that is new, or lost its data, has every key looked up in the topic, which no frozen broker answers.
    await redis.command('HSET', 'ops-intake:store', 'since', String(Date.now() - 86_400_000));
  });
  afterAll(async () => {
    await Promise.all([broker.stop(), redis.stop()]);
  });
  beforeEach(async () => {
    services = [];
    topic = `store-${(topics += 1)}`;
    await broker.createTopic(topic);
  });
  afterEach(async () => {
    for (const service of services) service.signal('SIGKILL');
    await Promise.all(services.map(({ exited }) => exited));
  });

  it('are seen by every instance: replay, 409, 422 and one record', async () => {
    const patient = { IDEMPOTENCY_STORE_TIMEOUT_MS: '10000' };
    const [one, two] = [await start(patient), await start(patient)];
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => post(index % 2 ? one : two, `${topic}-shared`)),
    );
    const accepted = answers.filter(({ status }) => status === 202);
    expect(accepted.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(answers.filter(({ status }) => status !== 202 && status !== 409)).toEqual([]);

    const first = await post(one, `${topic}-shared`);
    const second = await post(two, `${topic}-shared`);
    expect([first.replayed, second.replayed]).toEqual([true, true]);
    expect(second.body).toEqual(first.body);
    expect((await post(two, `${topic}-shared`, ONE_SELL)).status).toBe(422);
    expect(await broker.consume(topic)).toHaveLength(1);
  });

  it('tell every instance what became of a submission, for its principal only', async () => {
    // So that nothing but the store can answer.
    const env = { AUTH_TOKENS: 'alice:0123456789abcdef,bob:fedcba9876543210', STATUS_READ_BYTES: '1' };
    const [one, two] = [await start(env), await start({ ...env, DEADLINE_MS: '300' })];
    const submit = async (service: RunningService, key: string) => {
      const headers = {
        'content-type': 'application/json',
        'idempotency-key': key,
        authorization: 'Bearer 0123456789abcdef',
      };
      const answer = await fetch(`${service.url}/operations`, { method: 'POST', headers, body: ONE_BUY });
      return (await answer.json()) as { submissionId: string; statusUrl: string; offset: number };
    };
    const ask = async (service: RunningService, path: string, token = '0123456789abcdef') => {
      const answer = await fetch(service.url + path, { headers: { authorization: `Bearer ${token}` } });
      const { outcome, offset } = (await answer.json()) as { outcome: string; offset?: number };
      return [answer.status, outcome, offset];
    };
    const accepted = await submit(one, `${topic}-told`);
    expect(await ask(two, accepted.statusUrl)).toEqual([200, 'accepted', 0]);

    broker.freeze();
    try {
      const { statusUrl } = await submit(two, `${topic}-waiting`);
      expect(await ask(one, statusUrl)).toEqual([200, 'in-flight', undefined]);
      broker.thaw();
      await eventually('acceptance', async () => (await ask(one, statusUrl))[1] === 'accepted');
      // To others the store says nothing, so the topic is asked, of which nothing may be read here.
      expect((await ask(one, statusUrl, 'fedcba9876543210'))[1]).not.toBe('accepted');
    } finally {
      broker.thaw();
    }
  });

  it('are settled by a search that finds the record of an instance that died: a retry gets the answer', async () => {
    const impatient = {
      DEADLINE_MS: '2000',
      KAFKA_DELIVERY_TIMEOUT_MS: '2000',
      KAFKA_REQUEST_TIMEOUT_MS: '500',
    };
    const [one, two] = [await start(impatient), await start(impatient)];
    const keys = async () => String(await redis.command('DBSIZE'));
    const before = await keys();
    // The broker appends what it was sent while it slept; the instance that sent it is gone by then.
    broker.freeze();
    let submissionId: string | undefined;
    try {
      const lost = post(one, `${topic}-found`).catch(() => undefined);
      await eventually('claim', async () => (await keys()) !== before);
      const { status, body } = await post(two, `${topic}-found`);
      expect(status).toBe(409);
      submissionId = body.submissionId;
      one.signal('SIGKILL');
      await Promise.all([one.exited, lost]);
    } finally {
      broker.thaw();
    }

    const outcome = async () =>
      ((await (await fetch(`${two.url}/operations/${submissionId}`)).json()) as Answer['body']).outcome;
    await eventually('acceptance', async () => (await outcome()) === 'accepted');
    expect(await post(two, `${topic}-found`)).toMatchObject({ status: 202, replayed: true });
    expect(await broker.consume(topic)).toHaveLength(1);
  });

  it('share one connection with the rate limit when both are in one store', async () => {
    const clients = async () =>
      String(await redis.command('CLIENT', 'LIST'))
        .trim()
        .split('\n').length;
    const before = await clients();
    const service = await start({ RATE_LIMIT: '3/hour', RATE_LIMIT_STORE_URL: redis.url });
    expect((await post(service, `${topic}-limited`)).status).toBe(202);
    expect(await clients()).toBe(before + 1);
    // Both count there: another instance knows what is left.
    const other = await start({ RATE_LIMIT: '3/hour' });
    expect((await post(other, `${topic}-limited`)).replayed).toBe(true);
    expect((await post(other)).status).toBe(202);
    expect((await post(service)).status).toBe(429);
    expect(await clients()).toBe(before + 2);
  });

  it('cannot be promised while the store is unavailable; requests without a key are not affected', async () => {
    const service = await start();
    const before = await post(service, `${topic}-kept`);
    await redis.kill();
    const rejected = await post(service, `${topic}-new`);
    expect(rejected.status).toBe(503);
    expect(rejected.body).toMatchObject({
      type: 'urn:problem-type:idempotency-store-unavailable',
      // This request published nothing; whether an earlier one did only the store knows.
      outcome: 'unknown',
      submissionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect((await post(service)).status).toBe(202);
    await untilHealth(service, 'warn');

    await redis.restart();
    await untilHealth(service, 'up');
    const after = await post(service, `${topic}-kept`);
    expect([after.replayed, after.body]).toEqual([true, before.body]);
    expect((await post(service, `${topic}-new`)).status).toBe(202);
    expect(await broker.consume(topic)).toHaveLength(3);
  });

  it('get 503 in time while the store hangs, and are free again when it answers', async () => {
    const service = await start();
    redis.freeze();
    const began = performance.now();
    const rejected = await post(service, `${topic}-frozen`);
    expect(rejected.body).toMatchObject({ outcome: 'unknown' });
    expect(performance.now() - began).toBeLessThan(5_000);
    redis.thaw();
    await eventually('202', async () => (await post(service, `${topic}-frozen`)).status === 202);
    expect(await broker.consume(topic)).toHaveLength(1);
  });

  it('remember what was acknowledged while the store was unavailable', async () => {
    const service = await start();
    broker.freeze();
    const answer = post(service, `${topic}-late`);
    const reserved = async () => (await post(service, `${topic}-late`)).status === 409;
    await eventually('claim', reserved);
    await redis.kill();
    broker.thaw();
    expect((await answer).status).toBe(202);
    await redis.restart();
    await untilHealth(service, 'up');
    await eventually('replay', async () => (await post(service, `${topic}-late`)).replayed);
    expect(await broker.consume(topic)).toHaveLength(1);
  });

  it('survive a store that hangs until its connection is replaced', async () => {
    const service = await start();
    const before = await post(service, `${topic}-kept`);
    redis.freeze();
    await service.logged('idempotency store unavailable; submissions with a key get 503');
    // Three probes without an answer: the connection is replaced, and the store finds both when it wakes.
    await service.logged('idempotency store hangs: reconnecting');
    redis.thaw();
    await untilHealth(service, 'up');
    expect((await post(service, `${topic}-kept`)).body).toEqual(before.body);
  });

  it('say in /health and the metrics how full the store is, before it rejects keys', async () => {
    const service = await start();
    const { used_memory: used } = Object.fromEntries(
      String(await redis.command('INFO', 'memory'))
        .split('\r\n')
        .map((line) => line.split(':') as [string, string]),
    ) as Record<string, string>;
    await redis.command('CONFIG', 'SET', 'maxmemory', String(Math.floor(Number(used) * 1.1)));
    try {
      await untilHealth(service, 'warn');
      const { checks } = (await (await fetch(`${service.url}/health`)).json()) as {
        checks: Record<string, { output: string }[]>;
      };
      expect(checks['idempotency-store:capacity']?.[0]?.output).toMatch(/^\d\d % of \d+ MB used/);
      const metrics = await (await fetch(`${service.managementUrl}/metrics`)).text();
      expect(metrics).toMatch(/^operations_idempotency_store_used_bytes \d+$/m);
      expect(metrics).toMatch(/^operations_idempotency_store_capacity_bytes \d+$/m);
      await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
      await eventually('warning of the policy', async () =>
        (await (await fetch(`${service.url}/health`)).text()).includes('maxmemory-policy is allkeys-lru'),
      );
    } finally {
      await redis.command('CONFIG', 'SET', 'maxmemory', '0');
      await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    }
    await untilHealth(service, 'up');
  });

  it('take less than 350 bytes each in the store', async () => {
    const service = await start();
    const memory = async () =>
      Number(/used_memory:(\d+)/.exec(String(await redis.command('INFO', 'memory')))?.[1]);
    await post(service, `${topic}-warm-up`);
    const before = await memory();
    for (let number = 0; number < 500; number += 1) await post(service, `${topic}-${number}`);
    expect((await memory()) - before).toBeLessThan(500 * 350);
  });

  it('outlive an instance killed between claim and acknowledgement: one record, whoever wrote it', async () => {
    // A short lease, as the dead instance's claim holds until it ends.
    const impatient = {
      DEADLINE_MS: '500',
      KAFKA_REQUEST_TIMEOUT_MS: '300',
      KAFKA_CONNECTION_TIMEOUT_MS: '300',
    };
    const [one, two] = [await start(impatient), await start(impatient)];
    broker.freeze();
    const lost = post(one, `${topic}-orphan`).catch(() => undefined);
    await eventually('409', async () => (await post(two, `${topic}-orphan`)).status === 409);
    one.signal('SIGKILL');
    await Promise.all([one.exited, lost]);
    broker.thaw();

    const statuses: number[] = [];
    const answer = await eventually('202', async () => {
      const told = await post(two, `${topic}-orphan`);
      statuses.push(told.status);
      return told.status === 202 && told;
    });
    expect(statuses.filter((status) => ![202, 409, 503].includes(status))).toEqual([]);
    expect((await post(two, `${topic}-orphan`)).replayed).toBe(true);
    expect((await post(two, `${topic}-orphan`, ONE_SELL)).status).toBe(422);
    const records = await broker.consume(topic);
    expect(records.map(({ headers }) => headers['ce_id'])).toEqual([answer.body.submissionId]);
  });
});
