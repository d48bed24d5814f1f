import type { RateLimit, RateLimitStore } from '@workspace/service-kit/rate-limit';
import { createMetrics } from '@workspace/service-process';
import { captureLogger, describeWith, eventually } from '@workspace/testing';
import { type RedisServer, startRedis } from '@workspace/testing/stores';
import { openRateLimitStore } from '../src/index.ts';

describeWith(['redis-server'], 'the rate limit store', () => {
  let redis: RedisServer;
  const opened: RateLimitStore[] = [];

  /** Opens the store as one instance of a service does; it waits for a busy machine. */
  const instance = async (limit: RateLimit, service = 'test', timeoutMs: number | undefined = 30_000) => {
    const { logger } = captureLogger();
    const metrics = createMetrics({ name: service, version: '1' });
    const store = await openRateLimitStore({ store: redis.url, service, logger, metrics, timeoutMs });
    opened.push(store);
    const take = (client: string, cost: number) => store.take(client, cost, limit);
    const answers = () => eventually('answer', async () => (await take('waiting', 1)) !== undefined);
    // A store is returned after a second, connected or not.
    await answers();
    const failures = async () =>
      (await metrics.registry.getSingleMetric('rate_limit_store_failures_total')!.get()).values[0]!.value;
    return { take, answers, failures };
  };

  beforeAll(async () => {
    redis = await startRedis();
  });
  beforeEach(() => redis.command('FLUSHALL'));
  afterEach(() => opened.splice(0).forEach((store) => store.close()));
  afterAll(() => redis.stop());

  it('counts for all instances of a service together, and apart from other services', async () => {
    const limit: RateLimit = { requests: 3, per: 'hour' };
    const [one, two, other] = [await instance(limit), await instance(limit), await instance(limit, 'other')];
    const balances = [
      await one.take('a', 1),
      await two.take('a', 2),
      await one.take('a', 1),
      await two.take('b', 1),
      await other.take('a', 1),
    ];
    expect(balances.map((balance) => Math.round(balance!))).toEqual([2, 0, -1, 2, 2]);
  });

  it('takes nothing for a batch that does not fit', async () => {
    const { take } = await instance({ requests: 10, per: 'hour' });
    expect(await take('a', 8)).toBeCloseTo(2, 0);
    expect(await take('a', 3)).toBeCloseTo(-1, 0);
    expect(await take('a', 11)).toBeCloseTo(-9, 0);
    expect(await take('a', 2)).toBeCloseTo(0, 0);
  });

  it('grants every token, whatever the rate', async () => {
    const requests = 2_000;
    const { take } = await instance({ requests, per: 'hour' });
    const began = performance.now();
    let granted = 0;
    for (let left = requests + 10; left > 0; left -= 10) {
      const balances = await Promise.all(Array.from({ length: 10 }, () => take('a', 1)));
      granted += balances.filter((balance) => balance! >= -0.001).length;
    }
    expect(granted).toBeGreaterThanOrEqual(requests);
    // A token takes 1.8 s to refill.
    expect(granted).toBeLessThanOrEqual(requests + (performance.now() - began) / 1_800);
  });

  it('forgets a client when its bucket is full again', async () => {
    const { take } = await instance({ requests: 4, per: 'minute' });
    const began = performance.now();
    await take('a', 2);
    const left = Number(await redis.command('PTTL', 'test:rate:a'));
    // The server rounds both of its times to milliseconds.
    expect(left).toBeGreaterThan(30_000 - (performance.now() - began) - 3);
    expect(left).toBeLessThanOrEqual(30_000);
  });

  it.each<[string, () => unknown, () => unknown]>([
    ['hangs', () => redis.freeze(), () => redis.thaw()],
    ['is gone', () => redis.kill(), () => redis.restart()],
    [
      'rejects writes',
      () => redis.command('CONFIG', 'SET', 'maxmemory', '1'),
      () => redis.command('CONFIG', 'SET', 'maxmemory', '0'),
    ],
  ])('answers nothing while it %s, and works again', async (_what, breakIt, repair) => {
    const { take, answers, failures } = await instance({ requests: 3, per: 'hour' }, 'test', 250);
    await breakIt();
    try {
      for (let times = 0; times < 5; times += 1) expect(await take('a', 1)).toBeUndefined();
      expect(await failures()).toBeGreaterThanOrEqual(5);
    } finally {
      await repair();
    }
    await answers();
  });
});
