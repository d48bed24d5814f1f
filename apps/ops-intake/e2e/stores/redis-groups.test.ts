import { setTimeout as sleep } from 'node:timers/promises';
import { describeWith, eventually } from '@workspace/testing';
import { MASTER_NAME, type RedisGroup, startRedisCluster, startSentinels } from '@workspace/testing/stores';
import { testIdempotencyStore } from '../../test/idempotency-store-suite.ts';
import { claimIn, storeOpener } from '../../test/opened-stores.ts';
import type { IdempotencyStore } from '../../src/application/idempotency-store.ts';
import { SLOT_OF_TAG } from '../../src/features/shared-keys/redis/redis-cluster.ts';
import { openRedisServer } from '../../src/features/shared-keys/redis/redis-server.ts';

const PASSWORD = 'correct-horse';
const openStore = storeOpener(openRedisServer);
const open = (url: string, options: Parameters<typeof openStore>[1] = {}) =>
  openStore(url, { timeoutMs: 2_000, ...options });

/** What `start` starts, and the URL by which clients find it. */
const withGroup = (start: () => Promise<RedisGroup>, urlOf: (hosts: string) => string) => {
  let group: RedisGroup;
  beforeAll(async () => {
    group = await start();
  });
  afterAll(() => group.stop());
  return {
    get group() {
      return group;
    },
    get url() {
      return urlOf(group.hosts);
    },
  };
};

const GROUPS: [string, () => Promise<RedisGroup>, (hosts: string) => string][] = [
  [
    'Redis with Sentinels',
    () => startSentinels({ password: PASSWORD }),
    (hosts) => `redis+sentinel://:${PASSWORD}@${hosts}/${MASTER_NAME}`,
  ],
  ['a Redis Cluster', startRedisCluster, (hosts) => `redis+cluster://${hosts}`],
];

describe.each(GROUPS)('in %s', (_name, start, urlOf) => {
  describeWith(['redis-server'], 'keys', () => {
    const bed = withGroup(start, urlOf);

    testIdempotencyStore({
      open: async (times): Promise<IdempotencyStore> => {
        // No fault: a busy machine takes its time.
        const { store } = open(bed.url, { timeoutMs: 10_000, ...times });
        await store.connected;
        return store;
      },
      pass: (milliseconds) => sleep(milliseconds),
    });

    it('are counted together, with the room that they take', async () => {
      const { store } = open(bed.url);
      await eventually('use', () => store.status().use);
      expect(store.status().use).toMatchObject({ unit: 'bytes', used: expect.any(Number) });
      expect(store.status().use?.capacity).toBeUndefined();
    });

    it('survive failovers; replicas that knew of all of them have lost nothing', async () => {
      const { store, losses } = open(bed.url, { durability: 'replicated' });
      await store.connected;
      for (let round = 0; round < 2; round += 1) {
        const claims = await Promise.all(Array.from({ length: 50 }, () => claimIn(store)));
        const masters = await bed.group.masters();
        await masters[0]!.kill();
        await eventually('another master', async () => {
          const now = await bed.group.masters();
          return now.length === masters.length && !now.includes(masters[0]!);
        });
        // In the Cluster no other server could be the new master's replica. Sentinels may promote a replica that has not copied
        // anything yet.
        await masters[0]!.restart();
        await eventually(
          'a replica of it',
          async () => (await bed.group.masters()).length === masters.length && (await bed.group.isInSync()),
        );
        await eventually('claims of all keys', async () => {
          for (const claim of claims)
            expect(await store.claim({ ...claim, owner: 'retry' })).toEqual({ state: 'in-flight' });
          return true;
        });
        await eventually('no error', () => store.status().error === undefined);
      }
      expect(losses()).toBe(0);
    });
  });
});

describeWith(['redis-server'], 'keys in a Redis Cluster', () => {
  const bed = withGroup(startRedisCluster, (hosts) => `redis+cluster://${hosts}`);

  it('are spread by tags whose slots are known, over all masters', async () => {
    const [server] = bed.group.servers;
    for (const [tag, slot] of Object.entries(SLOT_OF_TAG))
      expect(await server!.command('CLUSTER', 'KEYSLOT', `ops-intake:key:${tag}`)).toBe(slot);
    const { store } = open(bed.url);
    await store.connected;
    await Promise.all(Array.from({ length: 200 }, () => claimIn(store)));
    for (const master of await bed.group.masters())
      expect(((await master.command('KEYS', 'ops-intake:key:*')) as string[]).length).toBeGreaterThan(20);
  });

  it('are known to be lost when one master of several was emptied', async () => {
    const { store, losses } = open(bed.url);
    await store.connected;
    const before = store.since()!;
    const [, master] = await bed.group.masters();
    await master!.command('FLUSHALL');
    await eventually('loss', () => losses() > 0);
    expect(store.since()!.getTime()).toBeGreaterThan(before.getTime());
  });
});
