import { randomUUID } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeWith, eventually } from '@workspace/testing';
import { type RedisServer, startRedis } from '@workspace/testing/stores';
import { startLateProxy, testLateClaims } from '../../test/late-claims-suite.ts';
import { closings, storeOpener } from '../../test/opened-stores.ts';
import { openRedisServer } from '../../src/features/shared-keys/redis/redis-server.ts';

interface Report {
  /** what `GET-MASTER-ADDR-BY-NAME` answers */
  named: number;
  /** what `MASTER` lists: it differs while the one that leads a failover changes the replicas */
  listed?: number;
  epoch: number;
  flags?: string;
  /** the answers to come are sent once it resolves */
  held?: Promise<void>;
}

const openStore = storeOpener(openRedisServer);

/** connections that are told of failovers */
const listeners = new Set<Socket>();

const bulk = (texts: string[]): string => texts.map((text) => `$${text.length}\r\n${text}\r\n`).join('');

/** Answers as a Sentinel does that has seen what `report` says at the moment. */
const startSentinel = async (report: () => Report): Promise<number> => {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    const answer = async (data: Buffer): Promise<void> => {
      const commands = [...data.toString().matchAll(/\*\d+\r\n\$\d+\r\n\w+\r\n\$\d+\r\n([\w-]+)\r\n/g)].map(
        ([, command]) => command!,
      );
      if (data.includes('subscribe')) {
        listeners.add(socket);
        socket.once('close', () => listeners.delete(socket));
        socket.write(`>3\r\n${bulk(['subscribe', '+try-failover'])}:1\r\n`);
        return;
      }
      if (!commands.includes('GET-MASTER-ADDR-BY-NAME')) {
        socket.write('+OK\r\n'.repeat(commands.length));
        return;
      }
      const { named, listed = named, epoch, flags = 'master', held } = report();
      await held;
      for (const command of commands) {
        if (command === 'GET-MASTER-ADDR-BY-NAME') {
          socket.write(`*2\r\n${bulk(['127.0.0.1', `${named}`])}`);
        } else if (command === 'MASTER') {
          const listing = { ip: '127.0.0.1', port: `${listed}`, flags, 'config-epoch': `${epoch}` };
          socket.write(`%4\r\n${bulk(Object.entries(listing).flat())}`);
        } else socket.write('+OK\r\n');
      }
    };
    socket.on('data', (data) => void answer(data));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closings.push(() => {
    for (const socket of sockets) {
      socket.destroy();
      listeners.delete(socket);
    }
    server.close();
  });
  return (server.address() as { port: number }).port;
};

const FAILING_OVER = 'master,failover_in_progress';

describeWith(['redis-server'], 'the master that Sentinels name', () => {
  let old: RedisServer;
  let promoted: RedisServer;
  beforeAll(async () => {
    [old, promoted] = await Promise.all([startRedis(), startRedis()]);
  });
  afterAll(() => Promise.all([old.stop(), promoted.stop()]));

  const open = async (reports: Report[]) => {
    const ports = await Promise.all(reports.map((_report, index) => startSentinel(() => reports[index]!)));
    const url = `redis+sentinel://${ports.map((port) => `127.0.0.1:${port}`).join()}/keys`;
    return openStore(url, { timeoutMs: 1_000 }).store;
  };
  /** Connects to the old master, which two Sentinels name; a test changes their reports. */
  const openAtOld = async () => {
    const reports: Report[] = [1, 2].map(() => ({ named: old.port, epoch: 1 }));
    const store = await open(reports);
    await store.connected;
    return { reports, store };
  };
  /** Claims a key, and says which server has it. */
  const placeOf = async (store: Awaited<ReturnType<typeof open>>): Promise<string> => {
    const id = randomUUID();
    await store.claim({ id, fingerprint: 'f', owner: 'o' });
    const isThere = async (server: RedisServer) =>
      (await server.command('EXISTS', `ops-intake:key:${id}`)) === 1;
    return `${(await isThere(old)) ? 'old' : ''}${(await isThere(promoted)) ? 'promoted' : ''}`;
  };

  /** Waits for it: a busy machine may hear a Sentinel too late, and its next check does. */
  const claimsGoTo = (place: 'old' | 'promoted', store: Awaited<ReturnType<typeof open>>): Promise<true> =>
    eventually(`claims to the ${place} one`, async () => (await placeOf(store).catch(() => '')) === place);

  /** Where a claim goes, also when the first ones are not answered in time. */
  const answeredPlaceOf = (store: Awaited<ReturnType<typeof open>>): Promise<string> =>
    eventually('answered claim', () => placeOf(store));

  describe('through faults', () => {
    testLateClaims(async () => {
      const proxy = await startLateProxy(old.port);
      const lasting = { leaseMs: 600_000, ttlMs: 600_000, timeoutMs: 1_000 };
      const stores = await Promise.all(
        [proxy.port, old.port].map(async (named) => {
          const port = await startSentinel(() => ({ named, epoch: 1 }));
          return openStore(`redis+sentinel://127.0.0.1:${port}/keys`, lasting).store;
        }),
      );
      await Promise.all(stores.map(({ connected }) => connected));
      return { store: stores[0]!, other: stores[1]!, proxy };
    });
  });

  it('is that of the last failover, whatever most of them say', async () => {
    const store = await open([
      { named: old.port, epoch: 1 },
      { named: promoted.port, epoch: 2 },
      { named: old.port, epoch: 1 },
    ]);
    await claimsGoTo('promoted', store);
    await sleep(2_500);
    expect(await answeredPlaceOf(store)).toBe('promoted');
  });

  it('is the new one while the replicas are still changed', async () => {
    const store = await open([
      { named: promoted.port, listed: old.port, epoch: 2, flags: FAILING_OVER },
      { named: old.port, epoch: 1 },
    ]);
    await claimsGoTo('promoted', store);
  });

  it('is not used from the moment that one of them chose another until that has taken over', async () => {
    const { reports, store } = await openAtOld();
    await claimsGoTo('old', store);
    reports[0]!.flags = FAILING_OVER;
    await eventually('no master', () => /a failover is under way/.test(store.status().error ?? ''));
    await sleep(1_500);
    await expect(placeOf(store)).rejects.toThrow('not connected');
    reports[0] = { named: promoted.port, epoch: 2, flags: 'master' };
    await claimsGoTo('promoted', store);
  });

  const announce = (master: string): void => {
    const text = ['message', '+try-failover', `master ${master} 127.0.0.1 ${old.port}`];
    for (const socket of listeners) socket.write(`>3\r\n${bulk(text)}`);
  };

  it('is not used once one of them begins a failover, even while no check is answered', async () => {
    const { reports, store } = await openAtOld();
    await eventually('both heard', () => listeners.size === 2);
    announce('of-others');
    await sleep(50);
    expect(await placeOf(store)).toBe('old');
    // No check hears of it.
    for (const at of [0, 1]) reports[at] = { ...reports[at]!, held: new Promise(() => undefined) };
    announce('keys');
    await eventually('no master', () =>
      placeOf(store).then(
        () => false,
        (error: Error) => error.message === 'not connected',
      ),
    );
    reports[0] = { named: promoted.port, epoch: 2 };
    await claimsGoTo('promoted', store);
  });

  it('is not used when a failover begins before all of them have answered', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const reports: Report[] = [
      { named: old.port, epoch: 1 },
      { named: old.port, epoch: 1, held },
    ];
    const store = await open(reports);
    await eventually('both heard', () => listeners.size === 2);
    announce('keys');
    await sleep(50);
    reports[0] = { named: old.port, epoch: 1, flags: FAILING_OVER };
    reports[1] = { named: old.port, epoch: 1 };
    release();
    const until = performance.now() + 500;
    while (performance.now() < until) {
      await expect(placeOf(store)).rejects.toThrow('not connected');
      await sleep(1);
    }
    reports[0] = { named: promoted.port, epoch: 2 };
    await claimsGoTo('promoted', store);
  });

  describe('is not an older one while the Sentinel is silent that', () => {
    const silent = { held: new Promise<void>(() => undefined) };

    it('knows of the last failover', async () => {
      const reports: Report[] = [
        { named: promoted.port, epoch: 2 },
        { named: old.port, epoch: 1 },
      ];
      const store = await open(reports);
      await claimsGoTo('promoted', store);
      reports[0] = { ...reports[0]!, ...silent };
      await sleep(3_500);
      expect(await answeredPlaceOf(store)).toBe('promoted');
      await promoted.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await eventually('no master', () => /last failover/.test(store.status().error ?? ''));
      await expect(placeOf(store)).rejects.toThrow('not connected');
      // As after an operator has set up the Sentinels anew: all of them answer, so none can know of a later failover.
      reports[0] = { named: old.port, epoch: 0 };
      await claimsGoTo('old', store);
    });

    it('leads one', async () => {
      const { reports, store } = await openAtOld();
      reports[0] = { ...reports[0]!, flags: FAILING_OVER };
      await eventually('no master', () => /a failover is under way/.test(store.status().error ?? ''));
      reports[0] = { ...reports[0]!, ...silent };
      await sleep(3_500);
      await expect(placeOf(store)).rejects.toThrow('not connected');
      reports[1] = { named: promoted.port, epoch: 2 };
      await claimsGoTo('promoted', store);
    });
  });

  it('stays connected when an answer comes that is older than the connection', async () => {
    let release = (): void => undefined;
    let hasAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => (hasAsked = resolve));
    const current: Report = { named: old.port, epoch: 1 };
    const reports: Report[] = [current];
    const store = await open(reports);
    await store.connected;
    // What the next check hears: the failover that is over by the time the answer arrives.
    reports[0] = {
      ...current,
      flags: FAILING_OVER,
      get held() {
        reports[0] = { named: promoted.port, epoch: 2 };
        hasAsked();
        return new Promise<void>((resolve) => (release = resolve));
      },
    };
    await asked;
    await old.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await claimsGoTo('promoted', store);
    const connections = async (): Promise<string[]> => {
      const lines = String(await promoted.command('CLIENT', 'LIST', 'TYPE', 'normal')).split('\n');
      return lines.filter((line) => / cmd=(?!client|exists)/.test(line)).map((line) => line.split(' ')[0]!);
    };
    // Those of earlier tests may take a moment to end.
    const before = await eventually('one connection', async () => {
      const open = await connections();
      return open.length === 1 && open;
    });
    release();
    await sleep(200);
    expect(await answeredPlaceOf(store)).toBe('promoted');
    expect(await connections()).toEqual(before);
  });
});
