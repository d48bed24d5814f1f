import { setTimeout as sleep } from 'node:timers/promises';
import { CallFailed } from '../call-failed.ts';
import type { RedisNode } from './redis-address.ts';
import { type Client, newClient, pauseBefore, reopening } from './redis-client.ts';
import { type ConnectionOptions, oneServer, type RedisConnection } from './redis-connection.ts';

/** Connects and sends commands; a server that hangs accepts connections, too. */
const askFirst = async (client: Client, commands: string[][], timeoutMs: number): Promise<unknown[]> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([client.connect(), late]);
    return await Promise.race([Promise.all(commands.map((words) => client.sendCommand(words))), late]);
  } finally {
    clearTimeout(timer);
  }
};

const addressOf = ({ host, port }: RedisNode): string => `${host}:${port}`;

/** What one Sentinel knows of the master. */
interface MasterReport {
  readonly master: RedisNode;
  /** Grows with each failover; one that is under way counts as half. */
  readonly epoch: number;
  /** It has chosen another server, which has perhaps not taken over yet. */
  readonly isFailingOver: boolean;
}

const askSentinel = async (
  sentinel: RedisNode,
  { address, timeoutMs }: ConnectionOptions,
): Promise<MasterReport> => {
  const client = newClient(sentinel, { login: address.sentinelLogin, tls: address.tls, timeoutMs }, false);
  client.on('error', () => undefined);
  const commands = [
    ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', address.masterName],
    ['SENTINEL', 'MASTER', address.masterName],
  ];
  try {
    const answers = await askFirst(client, commands, timeoutMs);
    const [named, listed] = answers as [[string, string] | null, Record<string, string>];
    if (!named) throw new Error(`Sentinel knows no master ${address.masterName}`);
    const master = { host: named[0], port: Number(named[1]) };
    // The one that leads a failover names the new master once that has taken over, and lists the old one until all replicas follow.
    const hasTakenOver = addressOf(master) !== `${listed.ip}:${listed.port}`;
    const isFailingOver = /\bfailover_in_progress\b/.test(listed.flags ?? '') && !hasTakenOver;
    return { master, epoch: Number(listed['config-epoch']) + (isFailingOver ? 0.5 : 0), isFailingOver };
  } finally {
    if (client.isOpen) client.destroy();
  }
};

/**
 * Calls `onFailover` when this Sentinel begins a failover, a moment before it has another server take over. Writes that the old master
 * accepts after that are lost, also those that a replica confirms.
 *
 * @returns unsubscribes
 */
const subscribeToFailovers = (
  sentinel: RedisNode,
  { address, timeoutMs }: ConnectionOptions,
  onFailover: () => void,
): (() => void) => {
  const client = newClient(sentinel, { login: address.sentinelLogin, tls: address.tls, timeoutMs }, true);
  client.on('error', () => undefined);
  const onMessage = (text: string): void => {
    if (text.split(' ')[1] === address.masterName) onFailover();
  };
  client
    .connect()
    .then(() => client.subscribe('+try-failover', onMessage))
    // Without it, the next check finds out about the failover.
    .catch(() => undefined);
  return () => {
    if (client.isOpen) client.destroy();
  };
};

/**
 * The master of the last failover, by the Sentinels that answer: those that were cut off name an older one. There is no master
 * while a failover is under way: the old one may be back, with replicas that confirm its writes, and these will be lost.
 *
 * @param known the epoch found last: an older one counts only when all Sentinels answer, so that none of them knows better
 */
const findMaster = async (
  options: ConnectionOptions,
  known: number,
): Promise<{ epoch: number; master: RedisNode | undefined }> => {
  const { nodes } = options.address;
  const answers = await Promise.allSettled(nodes.map((sentinel) => askSentinel(sentinel, options)));
  const reports = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const reason = answers.find((answer) => answer.status === 'rejected')?.reason as unknown;
  const [newest] = reports.sort((a, b) => b.epoch - a.epoch);
  if (!newest) throw new Error(`no Sentinel names the master: ${String(reason)}`);
  if (newest.epoch < known && reason) {
    throw new Error(`no Sentinel that answers knows of the last failover: ${String(reason)}`);
  }
  const isFailingOver = reports.some((report) => report.isFailingOver);
  return { epoch: newest.epoch, master: isFailingOver ? undefined : newest.master };
};

/**
 * The master that Sentinels name. Not node-redis's own client for Sentinels, as that one sends a claim again after a failover, long
 * after its caller was answered.
 */
export const connectBySentinel = (options: ConnectionOptions): RedisConnection => {
  const { address, timeoutMs, logger, events } = options;
  let client: Client | undefined;
  let connectedTo: string | undefined;
  let isClosed = false;
  let connecting: Promise<void> | undefined;
  let checking: Promise<void> | undefined;
  /** of what Sentinels said last */
  let epoch = 0;
  /** how many failovers Sentinels have begun */
  let failovers = 0;

  /** @param failoversBefore those begun before Sentinels were asked: what they said may be from before a later one */
  const connectTo = async (master: RedisNode, failoversBefore: number): Promise<void> => {
    const opened = newClient(master, { ...address, timeoutMs }, false);
    opened.on('error', (error: Error) => {
      if (opened === client) lost(error.message || 'connection lost');
    });
    opened.on('end', () => {
      if (opened === client) lost('connection lost');
    });
    try {
      // Sentinels learn of a demotion before the server does, and the other way round.
      const [[role]] = (await askFirst(opened, [['ROLE']], timeoutMs)) as [[string]];
      if (role !== 'master') throw new Error(`${addressOf(master)} is no master yet`);
      if (isClosed) throw new Error('closed');
      if (failovers !== failoversBefore) throw new Error('a failover is under way');
    } catch (error) {
      if (opened.isOpen) opened.destroy();
      throw error;
    }
    client = opened;
    connectedTo = addressOf(master);
    events.connected();
  };

  const connect = async (): Promise<void> => {
    for (let retries = 0; !isClosed && !client; retries += 1) {
      try {
        const failoversBefore = failovers;
        const found = await findMaster(options, epoch);
        epoch = found.epoch;
        if (!found.master) throw new Error('a failover is under way');
        await connectTo(found.master, failoversBefore);
      } catch (error) {
        if (isClosed) return;
        const { message } = error as Error;
        events.failed(new CallFailed('DISCONNECTED', false, message || 'not connected'));
        await sleep(pauseBefore(retries), undefined, { ref: false });
      }
    }
  };
  const connectLater = (): void => {
    connecting ??= connect().finally(() => (connecting = undefined));
  };
  const connectSoon = reopening(connectLater);

  const drop = (): void => {
    const dropped = client;
    client = undefined;
    if (dropped?.isOpen) dropped.destroy();
    if (!isClosed) connectSoon();
  };
  const lost = (reason: string): void => {
    events.failed(new CallFailed('DISCONNECTED', true, reason));
    drop();
  };

  const follow = async (): Promise<void> => {
    const asked = client;
    if (!asked) return;
    const found = await findMaster(options, epoch);
    // What Sentinels said before a connection was made is no reason to drop it.
    if (client !== asked) return;
    epoch = found.epoch;
    const master = found.master && addressOf(found.master);
    if (master === connectedTo) return;
    logger.info({ master }, 'idempotency store failed over or is failing over; reconnecting');
    drop();
  };

  const subscriptions = address.nodes.map((sentinel) =>
    subscribeToFailovers(sentinel, options, () => {
      failovers += 1;
      if (!client) return;
      logger.info('idempotency store is about to fail over; reconnecting');
      drop();
    }),
  );
  connectLater();
  return {
    ...oneServer(() => client, options),
    check: () => {
      checking ??= follow()
        .catch((error: unknown) => logger.debug({ err: error }, 'asking the Sentinels'))
        .finally(() => (checking = undefined));
    },
    reconnect: drop,
    close: () => {
      isClosed = true;
      connectSoon.stop();
      for (const unsubscribe of subscriptions) unsubscribe();
      drop();
    },
  };
};
