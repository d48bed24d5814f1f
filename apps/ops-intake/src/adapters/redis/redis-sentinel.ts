import { setTimeout as sleep } from 'node:timers/promises';
import { CallFailed } from '../shared-store/call-failed.ts';
import type { RedisNode } from './redis-address.ts';
import { type Client, newClient, pauseBefore } from './redis-client.ts';
import { type ConnectionOptions, oneServer, type RedisConnection } from './redis-connection.ts';

/** Connects and sends a command; a server that hangs accepts connections, too. */
const askFirst = async (client: Client, words: string[], timeoutMs: number): Promise<unknown> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([client.connect(), late]);
    return await Promise.race([client.sendCommand(words), late]);
  } finally {
    clearTimeout(timer);
  }
};

const addressOf = ({ host, port }: RedisNode): string => `${host}:${port}`;

/** One Sentinel's word on where the master is. */
const askSentinel = async (
  sentinel: RedisNode,
  { address, timeoutMs }: ConnectionOptions,
): Promise<RedisNode> => {
  const client = newClient(sentinel, { login: address.sentinelLogin, tls: address.tls, timeoutMs }, false);
  client.on('error', () => undefined);
  const words = ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', address.masterName];
  try {
    const answer = (await askFirst(client, words, timeoutMs)) as [string, string] | null;
    if (!answer) throw new Error(`Sentinel knows no master ${address.masterName}`);
    return { host: answer[0], port: Number(answer[1]) };
  } finally {
    if (client.isOpen) client.destroy();
  }
};

/** Where most of the Sentinels that answer say that the master is: one that was cut off names an old one. */
const findMaster = async (options: ConnectionOptions): Promise<RedisNode> => {
  const { nodes } = options.address;
  const answers = await Promise.allSettled(nodes.map((sentinel) => askSentinel(sentinel, options)));
  const votes = new Map<string, { node: RedisNode; count: number }>();
  for (const answer of answers) {
    if (answer.status === 'rejected') continue;
    const name = addressOf(answer.value);
    votes.set(name, { node: answer.value, count: (votes.get(name)?.count ?? 0) + 1 });
  }
  const [first] = [...votes.values()].sort((a, b) => b.count - a.count);
  if (first) return first.node;
  const reasons = answers.map((answer) => (answer.status === 'rejected' ? String(answer.reason) : ''));
  throw new Error(`no Sentinel names the master: ${reasons[0]}`);
};

/**
 * The master that Sentinels name. Not node-redis's own client for Sentinels, as that one sends a claim again after a fail-over, long
 * after its caller was answered.
 */
export const connectBySentinel = (options: ConnectionOptions): RedisConnection => {
  const { address, timeoutMs, logger, events } = options;
  let client: Client | undefined;
  let connectedTo: string | undefined;
  let isClosed = false;
  let connecting: Promise<void> | undefined;
  let checking: Promise<void> | undefined;

  const connectTo = async (master: RedisNode): Promise<void> => {
    const opened = newClient(master, { ...address, timeoutMs }, false);
    opened.on('error', (error: Error) => {
      if (opened === client) lost(error.message || 'connection lost');
    });
    opened.on('end', () => {
      if (opened === client) lost('connection lost');
    });
    try {
      // Sentinels learn of a demotion before the server does, and the other way round.
      const [role] = (await askFirst(opened, ['ROLE'], timeoutMs)) as [string];
      if (role !== 'master') throw new Error(`${addressOf(master)} is no master yet`);
      if (isClosed) throw new Error('closed');
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
        await connectTo(await findMaster(options));
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

  const drop = (): void => {
    const dropped = client;
    client = undefined;
    if (dropped?.isOpen) dropped.destroy();
    if (!isClosed) connectLater();
  };
  const lost = (reason: string): void => {
    events.failed(new CallFailed('DISCONNECTED', true, reason));
    drop();
  };

  const follow = async (): Promise<void> => {
    const master = addressOf(await findMaster(options));
    if (!client || master === connectedTo) return;
    logger.info({ master }, 'the idempotency store has another master');
    drop();
  };

  const server = oneServer(() => client, options);
  connectLater();
  return {
    ...server,
    run: async (tag, call) => {
      const at = client;
      try {
        return await server.run(tag, call);
      } catch (error) {
        // It became a replica.
        if (error instanceof CallFailed && error.type === 'READONLY' && at === client) drop();
        throw error;
      }
    },
    check: () => {
      checking ??= follow()
        .catch((error: unknown) => logger.debug({ err: error }, 'asking the Sentinels'))
        .finally(() => (checking = undefined));
    },
    reconnect: drop,
    close: () => {
      isClosed = true;
      drop();
    },
  };
};
