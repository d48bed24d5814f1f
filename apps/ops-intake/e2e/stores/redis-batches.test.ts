import { describeWith } from '@workspace/testing';
import { type RedisServer, startRedis, valkeyProgram } from '@workspace/testing/stores';
import { claimOf, storeOpener } from '../../test/opened-stores.ts';
import { acceptedSubmission } from '../../src/application/submission-record.ts';
import type { KeyClaim } from '../../src/application/idempotency-store.ts';
import { openRedisServer } from '../../src/features/shared-keys/redis/redis-server.ts';

const open = storeOpener(openRedisServer);

const claimsOf = (count: number): KeyClaim[] => Array.from({ length: count }, () => claimOf());

describeWith(['redis-server'], 'keys that are claimed and settled at once', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  const scriptsRun = async (): Promise<number> => {
    const stats = String(await redis.command('INFO', 'commandstats'));
    const calls = [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].map(([, count]) => Number(count));
    return calls.reduce((sum, count) => sum + count, 0);
  };

  it('share commands', async () => {
    const { store } = open(redis.url);
    await store.connected;
    const claims = claimsOf(1_000);
    const before = await scriptsRun();
    const states = await Promise.all(claims.map((claim) => store.claim(claim)));
    expect(new Set(states.map(({ state }) => state))).toEqual(new Set(['claimed']));
    const answer = (id: string) => acceptedSubmission(id, 1, { topic: 't', partition: 0, offset: 7 });
    await Promise.all(
      claims.map((claim) => store.settle(claim, { outcome: 'accepted', answer: answer(claim.id) })),
    );
    // Probes are among them.
    expect((await scriptsRun()) - before).toBeLessThan(100);
    for (const claim of claims)
      expect(await store.claim(claim)).toEqual({ state: 'accepted', answer: answer(claim.id) });
  });

  it.each([
    ['is of another type', async (key: string) => redis.command('SET', key, 'text')],
    [
      'has no number where one belongs',
      async (key: string) => redis.command('HSET', key, 's', 'in-flight', 'f', 'f', 'u', 'soon'),
    ],
  ])('do not suffer from one among them that %s', async (_what, damage) => {
    const { store } = open(redis.url);
    await store.connected;
    const claims = claimsOf(5);
    await damage(`ops-intake:key:${claims[2]!.id}`);
    const results = await Promise.allSettled(claims.map((claim) => store.claim(claim)));
    expect(results.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    ]);
    expect(String((results[2] as PromiseRejectedResult).reason)).toMatch(/WRONGTYPE|compare/);
  });
});

describeWith(['redis-server'], 'a server that has forgotten the scripts', () => {
  it.each(['none', 'local'] as const)('gets them again, with durability %s', async (durability) => {
    const redis = await startRedis({
      program: await valkeyProgram(),
      settings: ['appendfsync always'],
    });
    try {
      const { store, types } = open(redis.url, { durability });
      await store.connected;
      for (let round = 0; round < 3; round += 1) {
        await redis.command('SCRIPT', 'FLUSH');
        const claims = claimsOf(10);
        for (const { state } of await Promise.all(claims.map((claim) => store.claim(claim))))
          expect(state).toBe('claimed');
        for (const claim of claims) expect(await store.claim(claim)).toEqual({ state: 'in-flight' });
      }
      expect(types).toEqual([]);
    } finally {
      await redis.stop();
    }
  });
});
