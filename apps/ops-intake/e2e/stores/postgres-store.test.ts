import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeWith, eventually } from '@workspace/testing';
import { type PostgresServer, startPostgres } from '@workspace/testing/stores';
import { claimIn, claimOf, closings, storeOpener } from '../../test/opened-stores.ts';
import { testStoreServer } from '../../test/store-server-suite.ts';
import { acceptedSubmission } from '../../src/application/submission-record.ts';
import type { Durability } from '../../src/features/shared-keys/store-server.ts';
import { openPostgresServer } from '../../src/features/shared-keys/postgres/postgres-server.ts';

const open = storeOpener(openPostgresServer);

describeWith(['pg_ctlcluster'], 'keys in PostgreSQL', () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  testStoreServer(open, () => postgres.url);

  /** Two instances that share the store. */
  const two = async () => {
    const opened = [open(postgres.url), open(postgres.url)] as const;
    await Promise.all(opened.map(({ store }) => store.connected));
    return opened;
  };

  it('are told as they are, not as they were when a claim began to wait for another one', async () => {
    const { store } = open(postgres.url, { leaseMs: 1 });
    await store.connected;
    const claim = claimOf();
    await store.claim(claim);
    await sleep(10);
    const another = postgres.query(
      'BEGIN',
      `UPDATE ops_intake_keys SET leased_until = now() + interval '1 hour' WHERE id = '${claim.id}'`,
      'SELECT pg_sleep(0.5)',
      'COMMIT',
    );
    const updated = "SELECT FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(0.5)' AND state = 'active'";
    await eventually('update', async () => (await postgres.query(updated)).length === 1);
    expect(await store.claim({ ...claim, owner: 'other', isAbsent: true })).toEqual({ state: 'in-flight' });
    await another;
  });

  it.each([
    ['emptied', 'TRUNCATE ops_intake_keys'],
    ['deleted', 'DROP TABLE ops_intake_keys'],
  ])('notice with the next claim that the table was %s, once for all instances', async (_what, sql) => {
    const [one, other] = await two();
    const before = one.store.since()!;
    await postgres.query(sql);
    // Without its table the store is unavailable, until a probe has made it again.
    await eventually('claim', () => one.store.claim(claimOf()));
    // A claim can be answered while another connection still reports the table as missing: no age is named then.
    const age = await eventually('age', () => one.store.since());
    expect(age.getTime()).toBeGreaterThan(before.getTime());
    expect(one.store.status().loss?.at).toEqual(one.store.since());
    await eventually('the same age', () => other.store.since()?.getTime() === one.store.since()?.getTime());
    expect([one.losses(), other.losses()]).toEqual([1, 1]);
    const third = open(postgres.url);
    await third.store.connected;
    expect([third.store.since(), third.losses()]).toEqual([one.store.since(), 0]);
  });

  it('notice one loss, however many claims find it at once', async () => {
    const [{ store, losses }] = await two();
    const probes = async () => {
      const [row] = await postgres.query('SELECT sum(probes)::int AS probes FROM ops_intake_keys');
      return row!['probes'] as number;
    };
    await postgres.query('TRUNCATE ops_intake_keys');
    await Promise.all(Array.from({ length: 20 }, () => store.claim(claimOf())));
    const counted = await probes();
    await eventually('more probes', async () => (await probes()) >= counted + 4);
    expect(losses()).toBe(1);
  });

  it('notice that the table is an older copy', async () => {
    const [{ store, losses }] = await two();
    const before = store.since()!;
    await postgres.query("UPDATE ops_intake_keys SET probes = probes - 1 WHERE state = 'instance'");
    await eventually('loss', () => losses() === 1);
    expect(store.since()!.getTime()).toBeGreaterThan(before.getTime());
  });

  it.each(['2 hours', '-2 hours'])(
    'have the times of the instance whatever the clock of the server says: %s',
    async (difference) => {
      const clocks = ['now', 'clock_timestamp'].map(
        (name) =>
          `CREATE FUNCTION ahead.${name}() RETURNS timestamptz LANGUAGE sql STABLE AS
           $$ SELECT pg_catalog.clock_timestamp() + interval '${difference}' $$`,
      );
      await postgres.query(
        'DROP TABLE IF EXISTS ops_intake_keys',
        'CREATE SCHEMA ahead',
        'GRANT USAGE ON SCHEMA ahead TO PUBLIC',
        ...clocks,
        'ALTER DATABASE postgres SET search_path = public, ahead, pg_catalog',
      );
      try {
        const { store, losses } = open(postgres.url, { leaseMs: 1 });
        await store.connected;
        const isNow = (time: Date | undefined) => Math.abs(Number(time) - Date.now()) < 60_000;
        await postgres.query('TRUNCATE public.ops_intake_keys');
        const claim = await claimIn(store);
        await eventually('loss', () => losses() === 1);
        const { at, over } = store.status().loss!;
        expect([isNow(at), isNow(new Date(over.getTime() - 60_000)), isNow(store.since())]).toEqual([
          true,
          true,
          true,
        ]);
        await store.settle(claim, { outcome: 'unknown' });
        for (const found of [
          await store.find(claim.id, undefined),
          await store.claim({ ...claim, owner: 'other' }),
        ])
          expect(found && 'claimedAt' in found && isNow(found.claimedAt)).toBe(true);
        const series = { series: randomUUID(), number: 1, holder: randomUUID(), owner: 'one' };
        await store.sequences.take(series);
        const pending = await store.sequences.take({ ...series, holder: randomUUID(), owner: 'other' });
        expect('claimedAt' in pending && isNow(pending.claimedAt)).toBe(true);
      } finally {
        await postgres.query('ALTER DATABASE postgres RESET search_path', 'DROP SCHEMA ahead CASCADE');
        await postgres.query('DROP TABLE ops_intake_keys');
      }
    },
  );

  it('are deleted when their time is over', async () => {
    const { store } = open(postgres.url, { ttlMs: 1, leaseMs: 1, timeoutMs: 60_000 });
    await store.connected;
    await Promise.all(Array.from({ length: 2_500 }, () => store.claim(claimOf())));
    const left = async () =>
      (
        await postgres.query('SELECT count(*)::int AS keys FROM ops_intake_keys WHERE expires_at < now()')
      )[0]!['keys'];
    expect(await left()).toBeGreaterThanOrEqual(1_000);
    const { store: starting } = open(postgres.url);
    await starting.connected;
    await eventually('an empty table', async () => (await left()) === 0);
  });

  it('need one migration, however many instances start at once, and no right to make tables after it', async () => {
    await postgres.query('DROP TABLE ops_intake_keys');
    const starting = Array.from({ length: 8 }, () => open(postgres.url));
    await Promise.all(starting.map(({ store }) => store.connected));
    const messages = starting.flatMap(({ lines }) => lines.map(({ msg }) => msg));
    expect(new Set(messages)).toEqual(new Set(['table of the idempotency store created']));
    expect(new Set(starting.map(({ store }) => store.since()?.getTime())).size).toBe(1);

    await postgres.query("CREATE ROLE intake LOGIN PASSWORD 'battery-staple'");
    await postgres.query('GRANT SELECT, INSERT, UPDATE, DELETE ON ops_intake_keys TO intake');
    const url = new URL(postgres.url);
    url.username = 'intake';
    url.password = 'battery-staple';
    const { store } = open(url.href);
    await store.connected;
    expect(await store.claim(claimOf())).toMatchObject({ state: 'claimed' });
    await eventually('size', () => store.status().use);

    // The error does not contain the password.
    await postgres.query('REVOKE INSERT ON ops_intake_keys FROM intake');
    await expect(store.claim(claimOf())).rejects.toThrow('permission denied for table ops_intake_keys');
    url.password = 'wrong-horse';
    const stranger = open(url.href);
    await expect(stranger.store.claim(claimOf())).rejects.toThrow('password authentication failed');
    await eventually('failure', () => stranger.types.includes('28P01'));
    expect(JSON.stringify(stranger.lines)).not.toMatch(/wrong-horse|battery-staple/);
    await postgres.query('GRANT INSERT ON ops_intake_keys TO intake');
  });

  it('wait for a connection that they have when the server allows no more', async () => {
    await open(postgres.url).store.connected;
    const limit = (count: number) => `ALTER ROLE few CONNECTION LIMIT ${count}`;
    await postgres.query("CREATE ROLE few LOGIN PASSWORD 'battery-staple'", limit(2));
    const url = new URL(postgres.url);
    url.username = 'few';
    url.password = 'battery-staple';
    await postgres.query('GRANT SELECT, INSERT, UPDATE, DELETE ON ops_intake_keys TO few');
    const { store, lines, types } = open(url.href);
    await store.connected;
    for (let round = 0; round < 3; round += 1) {
      const claims = await Promise.all(Array.from({ length: 100 }, () => store.claim(claimOf())));
      expect(new Set(claims.map(({ state }) => state))).toEqual(new Set(['claimed']));
    }
    expect(types).toEqual([]);
    expect(lines.map(({ msg }) => msg)).toEqual([
      'PostgreSQL allows no more connections; using those that are open',
    ]);

    await postgres.query(
      limit(0),
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'few'",
    );
    await eventually('failure', () => types.includes('53300'));
    await expect(store.claim(claimOf())).rejects.toThrow('too many connections for role "few"');
  });

  describe('through faults', () => {
    const accepted = (id: string) =>
      ({
        outcome: 'accepted',
        answer: acceptedSubmission(id, 1, { topic: 't', partition: 0, offset: 7 }),
      }) as const;

    it.each<[string, string, () => unknown, () => unknown]>([
      ['killed', 'DISCONNECTED', () => postgres.kill(), () => postgres.restart()],
      ['frozen', 'TIMEOUT', () => postgres.freeze(), () => postgres.thaw()],
      [
        'read-only',
        '25006',
        () =>
          postgres.query('ALTER SYSTEM SET default_transaction_read_only = on', 'SELECT pg_reload_conf()'),
        () =>
          postgres.query(
            'SET default_transaction_read_only = off',
            'ALTER SYSTEM RESET default_transaction_read_only',
            'SELECT pg_reload_conf()',
          ),
      ],
    ])('of a server that is %s, and take what it missed afterwards', async (_what, type, begin, end) => {
      const { store, lines, types } = open(postgres.url, { timeoutMs: 300 });
      await store.connected;
      const claim = await claimIn(store);
      let refused = claimOf();
      await begin();
      try {
        await eventually('refusal', async () => {
          refused = claimOf();
          return store.claim(refused).then(
            () => false,
            () => true,
          );
        });
        await store.settle(claim, accepted(claim.id));
        expect(store.status()).toMatchObject({ unsettled: expect.any(Number), error: expect.any(String) });
        // This instance knows the answer meanwhile.
        expect(await store.claim({ ...claim, owner: 'retry' })).toMatchObject({ state: 'accepted' });
        // A busy machine may see another failure first.
        await eventually(type, () => types.includes(type));
      } finally {
        await end();
      }
      await eventually('confirmation', () => store.status().unsettled === 0 && !store.status().error);
      // A claim that the server carried out too late is withdrawn, long before its lease ends.
      const again = { ...refused, owner: 'again' };
      await eventually('free key', async () => (await store.claim(again)).state === 'claimed');
      const { store: other } = open(postgres.url);
      await other.connected;
      expect(await other.claim({ ...claim, owner: 'elsewhere' })).toMatchObject({ state: 'accepted' });
      expect(lines.map(({ msg }) => msg)).not.toContain(
        'idempotency store lost data; keys from before may be missing',
      );
    });

    it('but not of connections that the server ends because they are idle', async () => {
      await postgres.query("ALTER SYSTEM SET idle_session_timeout = '400ms'", 'SELECT pg_reload_conf()');
      try {
        const { store, lines, types } = open(postgres.url);
        await store.connected;
        const claims = () => Promise.all(Array.from({ length: 20 }, () => store.claim(claimOf())));
        await claims();
        const left =
          "SELECT count(*)::int AS open FROM pg_stat_activity WHERE application_name = 'ops-intake'";
        await eventually('end of all', async () => (await postgres.query(left))[0]!['open'] === 0);
        // The server ends connections while this process is busy. Statements are sent on them before it reads that they have ended.
        for (let round = 0; round < 3; round += 1) {
          await claims();
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 900);
          await claims();
        }
        expect([store.status().error, types]).toEqual([undefined, []]);
        expect(lines.filter(({ level }) => level === 'warn')).toEqual([]);
      } finally {
        await postgres.query('ALTER SYSTEM RESET idle_session_timeout', 'SELECT pg_reload_conf()');
      }
    });

    /** Runs `scene` with a standby and an address at which first the primary answers, and then what `turnTo` says. */
    const withStandby = async (
      scene: (
        standby: PostgresServer,
        url: string,
        turnTo: (server: PostgresServer) => void,
      ) => Promise<void>,
    ): Promise<void> => {
      const standby = await postgres.standby();
      let target = postgres;
      const forwarder = createServer((inbound) => {
        const outbound = connect(Number(new URL(target.url).port), '127.0.0.1');
        for (const socket of [inbound, outbound]) socket.on('error', () => undefined);
        inbound.pipe(outbound).pipe(inbound);
      }).listen(0, '127.0.0.1');
      await once(forwarder, 'listening');
      const url = new URL(postgres.url);
      url.port = String((forwarder.address() as AddressInfo).port);
      try {
        await scene(standby, url.href, (server) => (target = server));
      } finally {
        await Promise.all(closings.splice(0).map((close) => close()));
        forwarder.close();
        await standby.stop();
      }
    };

    it('of a server that was read-only when the connections were opened', async () => {
      const { store, types } = open(postgres.url);
      await store.connected;
      const readOnly = (value: string) =>
        postgres.query(
          'SET default_transaction_read_only = off',
          `ALTER DATABASE postgres SET default_transaction_read_only = ${value}`,
        );
      const end =
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ops-intake'";
      await readOnly('on');
      await postgres.query(end);
      try {
        await eventually('read-only', () => types.includes('25006'));
      } finally {
        await readOnly('off');
      }
      await claimIn(store);
    });

    it('of a standby, which is unavailable until it takes over: then keys may be missing', async () => {
      await withStandby(async (standby, url, turnTo) => {
        const { store, types, losses } = open(url);
        await store.connected;
        const before = store.since()!;
        turnTo(standby);
        await postgres.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ops-intake'",
        );
        await eventually('failure', () => types.includes('25006'));
        expect(losses()).toBe(0);
        await standby.query('SELECT pg_promote()');
        await eventually('claim', () => store.claim(claimOf()));
        const since = await eventually('age', () => store.since());
        expect(since.getTime()).toBeGreaterThan(before.getTime());
        expect(losses()).toBe(1);
      });
    });

    it('of a primary that goes on after its standby has taken over: no claim goes to it any more', async () => {
      await withStandby(async (standby, url, turnTo) => {
        const { store, losses } = open(url);
        await store.connected;
        const claimMany = async (): Promise<string[]> => {
          const claims = Array.from({ length: 10 }, () => claimOf());
          await Promise.all(claims.map((claim) => store.claim(claim)));
          return claims.map(({ id }) => id);
        };
        // The pool has connections to spare, and none of them is lost.
        await Promise.all([store.claim(claimOf()), store.claim(claimOf()), store.claim(claimOf())]);
        await standby.query('SELECT pg_promote()');
        turnTo(standby);
        await claimMany();
        await eventually('loss', () => losses() > 0);
        const ids = [...(await claimMany()), ...(await claimMany())].map((id) => `'${id}'`).join();
        const rows = `SELECT count(*)::int AS keys FROM ops_intake_keys WHERE id IN (${ids})`;
        expect([await postgres.query(rows), await standby.query(rows)]).toEqual([
          [{ keys: 0 }],
          [{ keys: 20 }],
        ]);
        expect(losses()).toBe(1);
      });
    });

    it('and keep to a few connections, and leave none behind', async () => {
      const connections = async () =>
        (
          await postgres.query(
            "SELECT count(*)::int AS open FROM pg_stat_activity WHERE application_name = 'ops-intake'",
          )
        )[0]!['open'] as number;
      const { store } = open(postgres.url);
      await store.connected;
      await Promise.all(Array.from({ length: 500 }, () => store.claim(claimOf())));
      expect(await connections()).toBeLessThanOrEqual(10);
      await Promise.all(closings.splice(0).map((close) => close()));
      await eventually('no connection', async () => (await connections()) === 0);
    });
  });
});

describeWith(['pg_ctlcluster'], 'durability of keys in PostgreSQL', () => {
  const start = async (settings: Record<string, string> = {}): Promise<PostgresServer> => {
    const server = await startPostgres(settings);
    closings.push(() => server.stop());
    return server;
  };
  const connectionsOf = async (server: PostgresServer): Promise<number> =>
    (
      await server.query(
        "SELECT count(*)::int AS open FROM pg_stat_activity WHERE backend_type = 'client backend'",
      )
    )[0]!['open'] as number;

  it.each<[Durability, Record<string, string>, string]>([
    ['local', {}, 'IDEMPOTENCY_STORE_DURABILITY=local: the server does not wait for its disk: set fsync on'],
    [
      'replicated',
      { fsync: 'on' },
      'IDEMPOTENCY_STORE_DURABILITY=replicated: the server waits for no standby: set synchronous_standby_names',
    ],
  ])('%s that the server cannot give is logged at the start', async (durability, settings, reason) => {
    const server = await start(settings);
    const { store, lines, types } = open(server.url, { durability });
    await eventually('reason', () => store.status().error === reason);
    await expect(store.claim(claimOf())).rejects.toThrow(reason);
    expect(lines).toContainEqual(expect.objectContaining({ reason }));
    expect(types).toContain('NOT_DURABLE');
  });

  it('local waits for the disk whatever the server does by itself', async () => {
    const server = await start({ fsync: 'on', synchronous_commit: 'off' });
    const { store } = open(server.url, { durability: 'local' });
    await store.connected;
    expect(await store.claim(claimOf())).toMatchObject({ state: 'claimed' });
    await server.query("ALTER SYSTEM SET synchronous_commit = 'off'", 'SELECT pg_reload_conf()');
    expect(await store.claim(claimOf())).toMatchObject({ state: 'claimed' });
  });

  /** Forwards to a server. Like a pooler, it tells clients numbers of its own instead of those of the server's processes. */
  const startPooler = async (url: string): Promise<string> => {
    // BackendKeyData: its type, its length, the process, and a secret.
    const start = Buffer.from('K\0\0\0\x0c', 'latin1');
    const pooler = createServer((inbound) => {
      const outbound = connect(Number(new URL(url).port), '127.0.0.1');
      for (const socket of [inbound, outbound]) socket.on('error', () => undefined);
      inbound.pipe(outbound);
      outbound.on('data', (bytes: Buffer) => {
        const at = bytes.indexOf(start);
        if (at >= 0) bytes.writeInt32BE(2_147_483_647, at + start.length);
        inbound.write(bytes);
      });
      outbound.on('close', () => inbound.destroy());
    }).listen(0, '127.0.0.1');
    await once(pooler, 'listening');
    closings.push(() => pooler.close());
    const own = new URL(url);
    own.port = String((pooler.address() as AddressInfo).port);
    return own.href;
  };

  it.each([
    ['directly', (url: string) => url],
    ['behind a pooler', startPooler],
  ])(
    'replicated waits for a standby, %s: none in time, no claim; and no connection is left waiting',
    async (_where, reach) => {
      const server = await start({ fsync: 'on' });
      const standby = await server.standby();
      closings.push(() => standby.stop());
      await server.query("ALTER SYSTEM SET synchronous_standby_names = '*'", 'SELECT pg_reload_conf()');
      const { store, losses } = open(await reach(server.url), { durability: 'replicated', timeoutMs: 500 });
      await store.connected;
      const kept = await claimIn(store);

      await standby.kill();
      const idle = await connectionsOf(server);
      for (let round = 0; round < 4; round += 1) {
        const claims = await Promise.allSettled(Array.from({ length: 20 }, () => store.claim(claimOf())));
        expect(claims.filter(({ status }) => status === 'fulfilled')).toEqual([]);
      }
      // Others have the rest of what the server allows, as soon as it has ended those that were given up.
      await eventually('the rest', async () => (await connectionsOf(server)) < idle + 15);

      await standby.restart();
      await claimIn(store);
      await eventually('few connections', async () => (await connectionsOf(server)) <= 11);
      await server.kill();
      await standby.query('SELECT pg_promote()');
      const { store: after } = open(standby.url);
      await eventually('a primary', () => after.status().error === undefined);
      expect(await after.find(kept.id, undefined)).toEqual({ state: 'in-flight' });
      expect(losses()).toBe(0);
    },
  );
});
