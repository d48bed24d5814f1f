import { startRedis, type RedisServer } from '@workspace/testing/stores';
import { describeWith, eventually } from '@workspace/testing';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KeyFile, keyFile, documentedKey } from './key-file.ts';
import { type RunningService, startService } from './service.ts';

const PATH = '/8.8.8.8/json/';
const LIMIT = 20;

describeWith(['redis-server'], 'a rate limit that two replicas share', () => {
  let redis: RedisServer;
  let replicas: RunningService[];
  let keys: KeyFile;

  const ask = async (replica: number, client: string, key?: string) => {
    const headers = { 'x-forwarded-for': client, ...(key !== undefined && { 'x-api-key': key }) };
    const reply = await fetch(replicas[replica]!.url + PATH, { headers });
    await reply.body?.cancel();
    return reply;
  };
  /** Asks the replicas in turn; returns how many requests were answered with each status. */
  const askInTurn = async (
    requests: number,
    client: string,
    key?: string,
  ): Promise<Record<number, number>> => {
    const replies = await Promise.all(
      Array.from({ length: requests }, (_, request) => ask(request % 2, client, key)),
    );
    const statuses = replies.map(({ status }) => status);
    return Object.fromEntries(
      [...new Set(statuses)].map((status) => [status, statuses.filter((one) => one === status).length]),
    );
  };
  const commands = async (): Promise<number> => {
    const text = String(await redis.command('INFO', 'commandstats'));
    return [...text.matchAll(/cmdstat_evalsha:calls=(\d+)/g)].reduce(
      (sum, [, calls]) => sum + Number(calls),
      0,
    );
  };

  /** How many requests the replicas counted by themselves, because the store had not answered in time. */
  const failures = async (): Promise<number[]> =>
    Promise.all(
      replicas.map(async ({ logged }) => {
        const { address } = await logged('management listening');
        const metrics = await (await fetch(`${String(address)}/metrics`)).text();
        return Number(/^rate_limit_store_failures_total (\d+)$/m.exec(metrics)![1]);
      }),
    );
  let attempts = 0;
  /** Begins again, for another client, when an expectation fails that the store of a busy machine did not count for. */
  const whileShared = async (expectations: (client: string, attempt: number) => Promise<void>) => {
    for (;;) {
      const before = await failures();
      attempts += 1;
      try {
        return await expectations(`192.0.2.${attempts % 256}`, attempts);
      } catch (error) {
        if (String(await failures()) === String(before)) throw error;
      }
    }
  };

  beforeAll(async () => {
    redis = await startRedis();
    keys = keyFile({ 'unused-key': '1/hour' });
    const env = {
      MANAGEMENT_PORT: '0',
      RATE_LIMIT: `${LIMIT}/hour`,
      RATE_LIMIT_STORE_URL: redis.url,
      TRUST_PROXY: 'loopback',
      API_KEYS_FILE: keys.path,
    };
    replicas = await Promise.all([startService(env), startService(env)]);
  });
  afterAll(async () => {
    await Promise.all((replicas ?? []).map((replica) => replica.stop()));
    await redis?.stop();
    keys?.remove();
  });

  it('is one allowance, and leaves that of others alone', () =>
    whileShared(async (client) => {
      expect(await askInTurn(LIMIT, client)).toEqual({ 200: LIMIT });
      for (const replica of [0, 1]) {
        const limited = await ask(replica, client);
        expect(limited.status).toBe(429);
        // A bucket has begun to refill since.
        expect(limited.headers.get('ratelimit')).toMatch(/^"lookups";r=0;t=3[56]\d\d$/);
        expect(limited.headers.get('ratelimit-policy')).toBe(`"lookups";q=${LIMIT};w=3600`);
        expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(80);
        expect(limited.headers.get('access-control-expose-headers')).toBe('*');
      }
      const asked = await commands();
      expect(await askInTurn(200, client)).toEqual({ 429: 200 });
      // Each replica knows by now that this client has nothing left.
      expect(await commands()).toBe(asked);
      expect((await ask(1, client.replace('192.0.2', '203.0.113'))).status).toBe(200);
    }));

  it('of a key is one allowance too, and a new key needs no restart', () =>
    whileShared(async (client, attempt) => {
      const [acme, tom] = [`key-of-acme-${attempt}`, `key-of-tom-${attempt}`];
      const replaceKeys = async (limits: Record<string, string>) => {
        const reloaded = replicas.map((replica) => replica.nextLine('data files loaded'));
        keys.write(limits);
        await Promise.all(reloaded);
      };
      const quotas = () =>
        Promise.all(
          replicas.map(async ({ url }) => {
            const answer = await fetch(`${url}/quota/?key=${acme}`);
            return ((await answer.json()) as { available: string }).available;
          }),
        );
      await replaceKeys({ [acme]: '7/hour' });
      expect(await quotas()).toEqual(['7', '7']);
      expect((await ask(0, client, acme)).status).toBe(200);
      expect(await quotas()).toEqual(['6', '6']);
      expect(await askInTurn(9, client, acme)).toEqual({ 200: 6, 429: 3 });
      expect((await ask(0, client, tom)).status).toBe(403);
      await replaceKeys({ [tom]: '5/hour' });
      expect(await askInTurn(8, client, tom)).toEqual({ 200: 5, 429: 3 });
      expect((await ask(1, client, acme)).status).toBe(403);
    }));

  it('becomes one for each replica while the store hangs, and is shared again after that', async () => {
    redis.freeze();
    try {
      expect(await askInTurn(2 * LIMIT + 10, '198.51.100.0')).toEqual({ 200: 2 * LIMIT, 429: 10 });
      // Perhaps it was before: on a busy machine, an outage may have begun by then.
      for (const { logged } of replicas)
        await logged('rate limit store unavailable; this instance limits clients by itself');
    } finally {
      redis.thaw();
    }
    const available = replicas.map((replica) => replica.nextLine('rate limit store available'));
    let client = 0;
    let again = false;
    void Promise.all(available).then(() => (again = true));
    // An outage is over when requests of several seconds were answered; a busy machine may need more of them.
    await eventually('end of the outage', async () => {
      for (const replica of [0, 1]) await ask(replica, `198.51.100.${(client += 1) % 256}`);
      return again;
    });
    await whileShared(async (client) =>
      expect(await askInTurn(LIMIT + 10, client)).toEqual({ 200: LIMIT, 429: 10 }),
    );
  });
});

describe('API keys as the documentation makes them', () => {
  it('are accepted, and a file that is wrong leaves the last good version in use', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ip-locate-readme-'));
    const { key, env } = documentedKey(folder);
    const service = await startService(env);
    try {
      const ask = () => fetch(`${service.url}${PATH}?key=${key}`);
      const reply = await ask();
      expect([reply.status, reply.headers.get('ratelimit-policy')]).toEqual([200, '"lookups";q=5000;w=3600']);
      for (const [bytes, reason] of [
        [9, 'line 1 must be name:digest'],
        [2 ** 30, 'the file is larger than 32 MiB'],
      ] as const) {
        const rejected = service.nextLine('data files not loaded: the previous version stays in use');
        writeFileSync(env['API_KEYS_FILE'] as string, 'nonsense\n');
        truncateSync(env['API_KEYS_FILE'] as string, bytes);
        expect(JSON.stringify(await rejected)).toContain(reason);
        expect((await ask()).status).toBe(200);
      }
      expect(JSON.stringify(service.lines)).not.toContain(key);
    } finally {
      await service.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
