import { startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import { eventually } from '@workspace/testing';
import { lineText, sendLines } from '../test/bulk-client.ts';
import { healthOf, metricsOf, ONE_BUY, outputOf, submit } from './support/client.ts';
import { describeWithKafkaAnd } from './support/describe-with-kafka-and.ts';
import { KEY_STORES, startOldRedis } from './support/key-stores.ts';
import { killServices, type RunningService, startService } from './support/service.ts';

const ONE_SELL = '[{"operation":"sell","unit-cost":10.00,"quantity":100}]';

const post = async (service: RunningService, key?: string, body = ONE_BUY) => {
  const answer = await submit(service, key === undefined ? {} : { 'idempotency-key': key }, body);
  const replayed = answer.headers.get('idempotent-replayed') === 'true';
  return { status: answer.status, replayed, body: answer.body };
};

/** What /health says, but for settings of the topic: they are made for submissions that may take longer. */
const healthStatus = async (service: RunningService): Promise<string> => {
  const { status, checks } = await healthOf(service);
  const warned = Object.keys(checks).filter((name) => checks[name]?.some((one) => one.status === 'warn'));
  return warned.join() === 'kafka:settings' ? 'up' : status;
};

const untilHealth = (service: RunningService, status: string): Promise<boolean> =>
  eventually(`health ${status}`, async () => (await healthStatus(service)) === status);

/** A broker, a key store and services on a topic of its own for each test. */
const setUp = <Store extends { url: string; stop(): Promise<void> }>(startStore: () => Promise<Store>) => {
  let broker: StandaloneBroker;
  let store: Store;
  let topic: string;
  let topics = 0;

  beforeAll(async () => {
    [broker, store] = await Promise.all([startBroker(), startStore()]);
  });
  afterAll(async () => {
    await Promise.all([broker.stop(), store.stop()]);
  });
  beforeEach(async () => {
    topic = `store-${(topics += 1)}`;
    await broker.createTopic(topic);
  });
  afterEach(killServices);

  return {
    get broker() {
      return broker;
    },
    get store() {
      return store;
    },
    get topic() {
      return topic;
    },
    start: async (env: Record<string, string> = {}, health = 'up'): Promise<RunningService> => {
      const service = await startService({
        KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers,
        KAFKA_TOPIC: topic,
        KAFKA_PROBE_INTERVAL_MS: '200',
        IDEMPOTENCY_STORE_URL: store.url,
        ...env,
      });
      await untilHealth(service, health);
      return service;
    },
  };
};

describe.each(Object.entries(KEY_STORES))('%s', (_name, { tool, start }) => {
  describeWithKafkaAnd([tool], 'Idempotency-Keys in a shared store', () => {
    const bed = setUp(start);

    it('are seen by every instance: replay, 409, 422 and one record', async () => {
      const patient = { IDEMPOTENCY_STORE_TIMEOUT_MS: '10000' };
      const [one, two] = [await bed.start(patient), await bed.start(patient)];
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) => post(index % 2 ? one : two, `${bed.topic}-shared`)),
      );
      const accepted = answers.filter(({ status }) => status === 202);
      expect(accepted.filter(({ replayed }) => !replayed)).toHaveLength(1);
      expect(answers.filter(({ status }) => status !== 202 && status !== 409)).toEqual([]);

      const first = await post(one, `${bed.topic}-shared`);
      const second = await post(two, `${bed.topic}-shared`);
      expect([first.replayed, second.replayed]).toEqual([true, true]);
      expect(second.body).toEqual(first.body);
      expect((await post(two, `${bed.topic}-shared`, ONE_SELL)).status).toBe(422);
      expect(await bed.broker.consume(bed.topic)).toHaveLength(1);
    });

    it('keep the lines of a stream that is cut at one instance and sent again to another: one record each', async () => {
      const env = { BULK_STREAMS: '1', IDEMPOTENCY_STORE_TIMEOUT_MS: '10000' };
      const [one, two] = [await bed.start(env), await bed.start(env)];
      const bodies = Array.from({ length: 300 }, (_, at) => ONE_BUY.replace('100', String(at + 1)));
      const lines = bodies.map((operations, at) => ({
        key: `${bed.topic}-line-${at}`,
        partitionKey: `account-${at % 7}`,
        operations,
      }));
      const portOf = ({ url }: RunningService): number => Number(new URL(url).port);
      const bytes = Buffer.byteLength(lines.slice(0, 200).map(lineText).join(''));
      const before = await sendLines(portOf(one), lines, { bytes, answered: 0.5 });
      expect(before.size).toBeGreaterThanOrEqual(100);
      const resumed = await eventually('202 for every line', async () => {
        const answers = await sendLines(portOf(two), lines);
        return [...answers.values()].every(({ status }) => status === 202) && answers;
      });
      for (const [key, answer] of before) {
        if (answer.status === 202) expect(resumed.get(key)).toEqual({ ...answer, replayed: true });
      }
      const records = await bed.broker.consume(bed.topic);
      expect(records.map(({ value }) => value).sort()).toEqual(bodies.sort());
    });

    it('show every instance what became of a submission, for its principal only', async () => {
      // So that nothing but the store can answer.
      const env = { AUTH_TOKENS: 'alice:0123456789abcdef,bob:fedcba9876543210', STATUS_READ_BYTES: '1' };
      const [one, two] = [await bed.start(env), await bed.start({ ...env, DEADLINE_MS: '2000' })];
      const submitAs = async (service: RunningService, key: string) => {
        const headers = { 'idempotency-key': key, authorization: 'Bearer 0123456789abcdef' };
        return (await submit(service, headers)).body as { statusUrl: string };
      };
      const ask = async (service: RunningService, path: string, token = '0123456789abcdef') => {
        const answer = await fetch(service.url + path, { headers: { authorization: `Bearer ${token}` } });
        const { outcome, offset } = (await answer.json()) as { outcome: string; offset?: number };
        return [answer.status, outcome, offset];
      };
      const accepted = await submitAs(one, `${bed.topic}-told`);
      expect(await ask(two, accepted.statusUrl)).toEqual([200, 'accepted', 0]);

      bed.broker.freeze();
      try {
        const { statusUrl } = await submitAs(two, `${bed.topic}-waiting`);
        expect(await ask(one, statusUrl)).toEqual([200, 'in-flight', undefined]);
        bed.broker.thaw();
        await eventually('acceptance', async () => (await ask(one, statusUrl))[1] === 'accepted');
        // To others the store says nothing, so the topic is asked, of which nothing may be read here.
        expect((await ask(one, statusUrl, 'fedcba9876543210'))[1]).not.toBe('accepted');
      } finally {
        bed.broker.thaw();
      }
    });

    it('cannot be promised while the store is unavailable; requests without a key are not affected', async () => {
      const service = await bed.start();
      const before = await post(service, `${bed.topic}-kept`);
      await bed.store.kill();
      const rejected = await post(service, `${bed.topic}-new`);
      expect(rejected.status).toBe(503);
      expect(rejected.body).toMatchObject({
        type: 'urn:problem-type:idempotency-store-unavailable',
        // This request published nothing; whether an earlier one did only the store knows.
        outcome: 'unknown',
        submissionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      });
      expect((await post(service)).status).toBe(202);
      await untilHealth(service, 'warn');

      await bed.store.restart();
      await untilHealth(service, 'up');
      const after = await post(service, `${bed.topic}-kept`);
      expect([after.replayed, after.body]).toEqual([true, before.body]);
      expect((await post(service, `${bed.topic}-new`)).status).toBe(202);
      expect(await bed.broker.consume(bed.topic)).toHaveLength(3);
    });

    it('outlive an instance killed between claim and acknowledgement: one record, whoever wrote it', async () => {
      // A short lease, as the dead instance's claim holds until it ends.
      const impatient = {
        DEADLINE_MS: '500',
        KAFKA_DELIVERY_TIMEOUT_MS: '2000',
        KAFKA_REQUEST_TIMEOUT_MS: '300',
        KAFKA_CONNECTION_TIMEOUT_MS: '300',
      };
      const [one, two] = [await bed.start(impatient), await bed.start(impatient)];
      const before = await bed.store.keys();
      bed.broker.freeze();
      const lost = post(one, `${bed.topic}-orphan`).catch(() => undefined);
      await eventually('claim', async () => (await bed.store.keys()) !== before);
      expect((await post(two, `${bed.topic}-orphan`)).status).toBe(409);
      one.signal('SIGKILL');
      await Promise.all([one.exited, lost]);
      bed.broker.thaw();

      const statuses: number[] = [];
      const answer = await eventually('202', async () => {
        const retry = await post(two, `${bed.topic}-orphan`);
        statuses.push(retry.status);
        return retry.status === 202 && retry;
      });
      expect(statuses.filter((status) => ![202, 409, 503].includes(status))).toEqual([]);
      expect((await post(two, `${bed.topic}-orphan`)).replayed).toBe(true);
      expect((await post(two, `${bed.topic}-orphan`, ONE_SELL)).status).toBe(422);
      const records = await bed.broker.consume(bed.topic);
      expect(records.map(({ headers }) => headers['ce_id'])).toEqual([answer.body.submissionId]);
    });

    it('that were lost are noticed at once: in the log, in /health and in the metrics', async () => {
      const [one, two] = [await bed.start(), await bed.start()];
      expect((await post(one, `${bed.topic}-before`)).status).toBe(202);
      const metric = async (name: string, service = one) =>
        Number(
          new RegExp(`^operations_idempotency_store_${name} (\\S+)$`, 'm').exec(
            await metricsOf(service),
          )?.[1],
        );
      const since = await eventually('age', () => metric('since_timestamp_seconds'));
      expect([since > 0, await metric('losses_total')]).toEqual([true, 0]);
      await bed.store.empty();
      for (const service of [one, two]) {
        await service.logged('idempotency store lost data; keys from before may be missing');
        await untilHealth(service, 'warn');
        expect(await outputOf(service, 'idempotency-store:data')).toMatch(
          /^keys from before .* were lost; they matter until/,
        );
        expect(await metric('losses_total', service)).toBe(1);
        expect(await metric('since_timestamp_seconds', service)).toBeGreaterThan(since);
      }
      // A new instance has nothing to compare with: the store is young, that is all.
      const three = await bed.start();
      const sinceOfOne = await metric('since_timestamp_seconds');
      await eventually(
        'the same age',
        async () => (await metric('since_timestamp_seconds', three)) === sinceOfOne,
      );
    });

    // Last, because the store is young afterwards: searches of the topic come before all else.
    it.each([
      ['while no instance runs', true],
      ['while it cannot be reached', false],
    ])(
      'are looked up in the topic after the store was replaced by an older copy %s',
      async (_when, isEnded) => {
        const one = await bed.start();
        const [key, next] = [`${bed.topic}-before`, `${bed.topic}-after`];
        const first = await post(one, key);
        expect(first.status).toBe(202);
        // Those without a key may be all that a partition got lately.
        for (let more = 0; more < 60; more += 1) await post(one);
        if (isEnded) {
          one.signal('SIGKILL');
          await one.exited;
        }
        await bed.store.kill();
        await bed.store.restart();
        await bed.store.becomeOlder();
        const two = isEnded ? await bed.start({}, 'warn') : one;
        await eventually('loss', async () =>
          (await (await fetch(`${two.url}/health`)).text()).includes('"idempotency-store:data"'),
        );
        expect(await post(two, key)).toEqual({ ...first, replayed: true });
        // Something else may be on its way that the store knew.
        expect(await post(two, next)).toMatchObject({ status: 503, body: { outcome: 'unknown' } });
        expect(await bed.broker.consume(bed.topic)).toHaveLength(61);
      },
    );
  });
});

describeWithKafkaAnd(['redis-server'], 'Idempotency-Keys in Redis', () => {
  const bed = setUp(startOldRedis);

  it('share one connection with the rate limit when both are in one store', async () => {
    const clients = async () =>
      String(await bed.store.command('CLIENT', 'LIST'))
        .trim()
        .split('\n').length;
    let attempts = 0;
    const { connections, answers } = await eventually(
      'requests that a busy store counts in time',
      async () => {
        const key = `${bed.topic}-limited-${(attempts += 1)}`;
        await bed.store.command('DEL', 'ops-intake:rate:127.0.0.1');
        const before = await clients();
        const service = await bed.start({ RATE_LIMIT: '3/hour', RATE_LIMIT_STORE_URL: bed.store.url });
        const first = await post(service, key);
        const withOne = (await clients()) - before;
        // Both count there: another instance knows what is left.
        const other = await bed.start({ RATE_LIMIT: '3/hour' });
        const answers = [first, await post(other, key), await post(other), await post(service)];
        const connections = [withOne, (await clients()) - before];
        const metrics = await Promise.all([service, other].map(metricsOf));
        const isCounted = metrics.every((text) => /^rate_limit_store_failures_total 0$/m.test(text));
        return isCounted && { connections, answers };
      },
    );
    expect(connections).toEqual([1, 2]);
    expect(answers.map(({ status, replayed }) => [status, replayed])).toEqual([
      [202, false],
      [202, true],
      [202, false],
      [429, false],
    ]);
  });

  it('say in /health and the metrics how full the store is, before it rejects keys', async () => {
    const service = await bed.start();
    const { used_memory: used } = Object.fromEntries(
      String(await bed.store.command('INFO', 'memory'))
        .split('\r\n')
        .map((line) => line.split(':') as [string, string]),
    ) as Record<string, string>;
    await bed.store.command('CONFIG', 'SET', 'maxmemory', String(Math.floor(Number(used) * 1.1)));
    try {
      await untilHealth(service, 'warn');
      expect(await outputOf(service, 'idempotency-store:capacity')).toMatch(/^\d\d % of \d+ MB used/);
      const metrics = await metricsOf(service);
      expect(metrics).toMatch(/^operations_idempotency_store_used_bytes \d+$/m);
      expect(metrics).toMatch(/^operations_idempotency_store_capacity_bytes \d+$/m);
      await bed.store.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
      await eventually('warning of the policy', async () =>
        (await (await fetch(`${service.url}/health`)).text()).includes('maxmemory-policy is allkeys-lru'),
      );
    } finally {
      await bed.store.command('CONFIG', 'SET', 'maxmemory', '0');
      await bed.store.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    }
    await untilHealth(service, 'up');
  });

  it('take less than 350 bytes each in the store', async () => {
    const service = await bed.start();
    const memory = async () =>
      Number(/used_memory:(\d+)/.exec(String(await bed.store.command('INFO', 'memory')))?.[1]);
    await post(service, `${bed.topic}-warm-up`);
    const before = await memory();
    for (let number = 0; number < 500; number += 1) await post(service, `${bed.topic}-${number}`);
    expect((await memory()) - before).toBeLessThan(500 * 350);
  });
});
