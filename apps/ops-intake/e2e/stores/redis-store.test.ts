import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describeWith, eventually } from '@workspace/testing';
import { type RedisServer, startRedis } from '@workspace/testing/stores';
import { claimIn, claimOf, storeOpener } from '../../test/opened-stores.ts';
import { testStoreServer } from '../../test/store-server-suite.ts';
import { createClient, RESP_TYPES } from 'redis';
import { openRedisServer } from '../../src/features/shared-keys/redis/redis-server.ts';

const MARKER = 'ops-intake:store';

const open = storeOpener(openRedisServer);

describeWith(['redis-server'], 'keys in Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  testStoreServer(open, () => redis.url);

  it.each<[string, () => Promise<() => Promise<unknown>>]>([
    ['was emptied', async () => () => redis.command('FLUSHALL')],
    [
      'is an older copy',
      async () => {
        // The marker's bytes of now; the claims that follow are in it as little as in a copy of now.
        const client = await createClient({ url: redis.url }).connect();
        const bytes = await client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }).dump(MARKER);
        return async () => {
          await client.restore(MARKER, 0, bytes as never, { REPLACE: true });
          client.destroy();
        };
      },
    ],
  ])('notices with the next claim that the store %s', async (_what, prepare) => {
    const { store, lines, losses } = open(redis.url);
    await store.connected;
    await store.claim(claimOf());
    const before = store.since()!;
    const lose = await prepare();
    await store.claim(claimOf());
    expect(store.since()).toEqual(before);
    await lose();
    await store.claim(claimOf());
    expect(store.since()!.getTime()).toBeGreaterThan(before.getTime());
    expect(store.status().loss?.at).toEqual(store.since());
    expect(losses()).toBe(1);
    expect(lines.map(({ msg }) => msg)).toEqual([
      'idempotency store lost data; keys from before may be missing',
    ]);
    // Once is enough: everyone knows from now on.
    const { store: other, losses: ofOther } = open(redis.url);
    await other.connected;
    await store.claim(claimOf());
    expect(other.since()).toEqual(store.since());
    expect([losses(), ofOther()]).toEqual([1, 0]);
  });

  it('notices an older copy although it has claimed nothing itself', async () => {
    const { store, losses } = open(redis.url);
    await store.connected;
    const client = await createClient({ url: redis.url }).connect();
    const bytes = await client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }).dump(MARKER);
    // What others claim after the copy.
    const { store: other } = open(redis.url);
    await other.connected;
    await other.claim(claimOf());
    await other.close();
    const fields = async () => JSON.stringify(await client.hGetAll(MARKER));
    const before = await fields();
    await eventually('a probe', async () => (await fields()) !== before);
    await client.restore(MARKER, 0, bytes as never, { REPLACE: true });
    client.destroy();
    await eventually('loss', () => losses() === 1);
  });

  it('finds a policy that drops keys, and a claim finds that keys were dropped before it', async () => {
    const full = await startRedis();
    const set = (name: string, value: string) => full.command('CONFIG', 'SET', name, value);
    try {
      const opened = [open(full.url), open(full.url)];
      await Promise.all(opened.map(({ store }) => store.connected));
      const [{ store, losses }] = opened as [(typeof opened)[0]];
      const before = store.since()!;
      await full.command('SET', 'filler', 'x'.repeat(1_000_000), 'PX', '60000');
      const used = /used_memory:(\d+)/.exec(String(await full.command('INFO', 'memory')))![1];
      await set('maxmemory-policy', 'volatile-ttl');
      await set('maxmemory', String(Number(used) - 500_000));
      await eventually('eviction', async () => (await full.command('EXISTS', 'filler')) === 0);
      await set('maxmemory', '0');
      await store.claim(claimOf());
      expect([losses(), store.status().loss !== undefined]).toEqual([1, true]);
      for (const { store: each } of opened) {
        await eventually('policy', () => each.since() === undefined);
        expect(each.status().warning).toMatch(/^maxmemory-policy is volatile-ttl: .*; set noeviction$/);
      }
      await set('maxmemory-policy', 'noeviction');
      const since = await eventually('no policy', () => store.since());
      expect(since.getTime()).toBeGreaterThan(before.getTime());
      await eventually(
        'the same at the other',
        () => opened[1]!.store.since()?.getTime() === since.getTime(),
      );
      expect([opened[1]!.losses(), losses()]).toEqual([1, 1]);
    } finally {
      await full.stop();
    }
  });

  it('finds the new master behind the same address after a failover that closes no connection', async () => {
    const replica = await startRedis();
    let target = redis.port;
    const proxy = createServer((inbound) => {
      const outbound = connect(target, '127.0.0.1');
      inbound.on('error', () => undefined).pipe(outbound);
      outbound.on('error', () => undefined).pipe(inbound);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    try {
      const { port } = proxy.address() as AddressInfo;
      const { store, types } = open(`redis://127.0.0.1:${port}`);
      await store.connected;
      await redis.command('REPLICAOF', '127.0.0.1', String(replica.port));
      target = replica.port;
      await eventually('READONLY', () => types.includes('READONLY'));
      await claimIn(store);
    } finally {
      await redis.command('REPLICAOF', 'NO', 'ONE');
      proxy.close();
      await replica.stop();
    }
  });

  it('starts again once for all instances', async () => {
    const opened = [open(redis.url), open(redis.url), open(redis.url)];
    for (const { store } of opened) {
      await store.connected;
      await store.claim(claimOf());
    }
    await redis.command('FLUSHALL');
    for (const { store } of opened) await store.claim(claimOf());
    expect(new Set(opened.map(({ store }) => store.since()?.getTime())).size).toBe(1);
    expect(opened.map(({ losses }) => losses())).toEqual([1, 1, 1]);
  });

  it('notices a loss by itself, and with a search', async () => {
    const [probing, searching] = [open(redis.url), open(redis.url)];
    await Promise.all([probing.store.connected, searching.store.connected]);
    const before = searching.store.since()!;
    await redis.command('FLUSHALL');
    await searching.store.find(randomUUID(), undefined);
    expect(searching.store.since()!.getTime()).toBeGreaterThan(before.getTime());
    await eventually('loss', () => probing.losses() === 1);
  });
});
