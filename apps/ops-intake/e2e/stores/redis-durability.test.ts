import { randomUUID } from 'node:crypto';
import { describeWith, eventually } from '@workspace/testing';
import { type RedisServer, startRedis, valkeyProgram } from '@workspace/testing/stores';
import { claimIn, claimOf, closings, storeOpener } from '../../test/opened-stores.ts';
import { acceptedSubmission } from '../../src/application/submission-record.ts';
import type { KeyClaim } from '../../src/application/idempotency-store.ts';
import type { Durability } from '../../src/features/shared-keys/store-server.ts';
import { openRedisServer } from '../../src/features/shared-keys/redis/redis-server.ts';

const start = async (...options: Parameters<typeof startRedis>): Promise<RedisServer> => {
  const server = await startRedis(...options);
  closings.push(() => server.stop());
  return server;
};
const startReplica = (of: RedisServer): Promise<RedisServer> =>
  start({ settings: [`replicaof 127.0.0.1 ${of.port}`, 'repl-diskless-sync-delay 0'] });

const openStore = storeOpener(openRedisServer);
const open = (url: string, durability: Durability, timeoutMs = 1_500) =>
  openStore(url, { durability, timeoutMs });

describeWith(['redis-server'], 'a durability that the server cannot give', () => {
  it.each<[string, Durability, string[], boolean, RegExp]>([
    ['no WAITAOF', 'local', [], false, /=local: the server has no WAITAOF, which needs Redis 7.2 or Valkey$/],
    ['no append-only file', 'local', ['appendonly no'], true, /=local: the server keeps no append-only file/],
    [
      'no fsync',
      'local',
      ['appendfsync no'],
      true,
      /^a write was not on disk within 500 ms \(appendfsync\)$/,
    ],
    ['no replica', 'replicated', [], false, /^no replica confirmed a write within 500 ms$/],
  ])(
    'is said at the start, in the log and to each claim: %s',
    async (_what, level, settings, isValkey, why) => {
      const server = await start({ settings, ...(isValkey && { program: await valkeyProgram() }) });
      const { store, lines, types } = open(server.url, level);
      await eventually('reason', () => why.test(store.status().error ?? ''));
      expect(lines).toContainEqual(
        expect.objectContaining({
          msg: 'idempotency store unavailable; submissions with a key get 503',
          reason: expect.stringMatching(why),
        }),
      );
      expect(types).toContain('NOT_DURABLE');
      // On a busy machine, a claim may get no answer in time instead; none is ever accepted.
      const rejectionOf = (claim: KeyClaim): Promise<string> =>
        store.claim(claim).then(
          ({ state }) => Promise.reject(new Error(`the claim was answered: ${state}`)),
          (error: Error) => error.message,
        );
      let claim = claimOf();
      while (!why.test(await rejectionOf(claim))) claim = claimOf();
      // It does not stay taken by a submission that was rejected.
      const { store: other } = open(server.url, 'none');
      await other.connected;
      await eventually(
        'free key',
        async () => (await other.claim({ ...claim, owner: 'other' })).state === 'claimed',
      );
    },
  );
});

describeWith(['redis-server'], 'keys that are on disk before they count', () => {
  it('come back when the server is killed, in groups that share one wait', async () => {
    const program = await valkeyProgram();
    const server = await start({ program, settings: ['appendfsync always'] });
    // A disk has a third of it, which a busy one may need.
    const { store } = open(server.url, 'local', 30_000);
    await store.connected;
    const claims = Array.from({ length: 300 }, () => claimOf());
    const confirmations = async () =>
      Number(/cmdstat_waitaof:calls=(\d+)/.exec(String(await server.command('INFO', 'commandstats')))?.[1]);
    const before = await confirmations();
    for (const { state } of await Promise.all(claims.map((claim) => store.claim(claim))))
      expect(state).toBe('claimed');
    expect((await confirmations()) - before).toBeLessThan(20);
    const answer = acceptedSubmission(claims[0]!.id, 1, { topic: 't', partition: 0, offset: 7 });
    await store.settle(claims[0]!, { outcome: 'accepted', answer });
    await server.kill();
    await server.restart();
    await eventually(
      'answer',
      async () => (await store.find(claims[0]!.id, undefined))?.state === 'accepted',
    );
    for (const { id } of claims.slice(1))
      expect(await store.find(id, undefined)).toEqual({ state: 'in-flight' });
  });
});

describeWith(['redis-server'], 'keys that a replica has before they count', () => {
  it('are rejected while it hangs, and free when it is back; outcomes wait for it', async () => {
    const server = await start();
    const replica = await startReplica(server);
    // A replica has a third of it: on a busy machine, that is not always 500 ms.
    const { store, types } = open(server.url, 'replicated', 3_000);
    await store.connected;
    const kept = await claimIn(store);
    replica.freeze();
    const rejected = claimOf();
    await expect(store.claim(rejected)).rejects.toThrow('no replica confirmed a write within 1000 ms');
    const answer = acceptedSubmission(kept.id, 1, { topic: 't', partition: 0, offset: 7 });
    await store.settle(kept, { outcome: 'accepted', answer });
    expect(store.status().unsettled).toBeGreaterThan(0);
    expect(types).toContain('NOT_DURABLE');
    replica.thaw();
    await eventually('settled', () => store.status().unsettled === 0 && !store.status().error);
    await eventually(
      'free key',
      async () => (await store.claim({ ...rejected, owner: 'retry' })).state === 'claimed',
    );
    // The replica has all of it.
    await server.kill();
    await replica.command('REPLICAOF', 'NO', 'ONE');
    const { store: after } = open(replica.url, 'none', 30_000);
    await after.connected;
    expect(await after.claim({ ...kept, owner: 'retry' })).toEqual({ state: 'accepted', answer });
    expect(await after.claim({ ...rejected, owner: 'third' })).toEqual({ state: 'in-flight' });
  });
});

describeWith(['redis-server'], 'claims of a server that wakes too late for them', () => {
  it('are given back, also those that waited for the confirmation of others', async () => {
    const server = await start();
    await startReplica(server);
    const { store } = open(server.url, 'replicated');
    await store.connected;
    await claimIn(store);
    server.freeze();
    const [first, second] = [claimOf(), claimOf()];
    const taken = { series: randomUUID(), number: 1, holder: second.id, owner: second.owner };
    const claims = [store.claim(first)];
    // The first one is under way, and the next ones wait for it.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    const all = await Promise.allSettled([...claims, store.claim(second), store.sequences.take(taken)]);
    server.thaw();
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    const { store: other } = open(server.url, 'none');
    await other.connected;
    for (const claim of [first, second])
      await eventually(
        'free key',
        async () => (await other.claim({ ...claim, owner: 'other' })).state === 'claimed',
      );
    const next = { ...taken, holder: first.id, owner: 'other' };
    await eventually('free number', async () => (await other.sequences.take(next)).state === 'taken');
  });
});
