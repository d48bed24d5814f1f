import { setTimeout as sleep } from 'node:timers/promises';
import { createCluster } from 'redis';
import { CallFailed } from '../call-failed.ts';
import {
  type Client,
  clientOptions,
  evaluate,
  pauseBefore,
  type ScriptCall,
  reopening,
  scriptRunner,
} from './redis-client.ts';
import type { ConnectionOptions, RedisConnection } from './redis-connection.ts';

/**
 * Enough to spread the keys over the masters of a large Cluster, and few enough for a marker each. The slot is the CRC16 of what is
 * between the braces.
 */
export const SLOT_OF_TAG: Readonly<Record<string, number>> = {
  '{0}': 13907,
  '{1}': 9842,
  '{2}': 5649,
  '{3}': 1584,
  '{4}': 14039,
  '{5}': 9974,
  '{6}': 5781,
  '{7}': 1716,
  '{8}': 14171,
  '{9}': 10106,
  '{a}': 15495,
  '{b}': 3300,
  '{c}': 7365,
  '{d}': 11298,
  '{e}': 15363,
  '{f}': 3168,
};
/** How long the master of some slots may be away before the others are asked who took over. */
const REFRESH_AFTER_MS = 500;

/** The masters of a Cluster, as its nodes name them. */
export const connectToCluster = (options: ConnectionOptions): RedisConnection => {
  const { address, durability, timeoutMs, logger, events } = options;
  const open = () => {
    const { socket, ...others } = clientOptions({ login: address.login, tls: address.tls, timeoutMs });
    const defaults = { ...others, socket };
    const opened = createCluster({
      rootNodes: address.nodes.map((node) => ({ ...defaults, socket: { ...socket, ...node } })),
      defaults,
      topologyRefreshOnReconnectionAttemptStrategy: REFRESH_AFTER_MS,
    });
    opened.on('error', (error: Error) => {
      if (opened !== cluster) return;
      events.failed(new CallFailed('DISCONNECTED', true, error.message || 'connection lost'));
    });
    return opened;
  };
  let cluster = open();
  let isClosed = false;

  /** Until one of the nodes has answered; from then on node-redis finds the others. */
  const connect = async (opened: typeof cluster): Promise<void> => {
    for (let retries = 0; !isClosed && opened === cluster; retries += 1) {
      try {
        await opened.connect();
        return events.connected();
      } catch (error) {
        logger.debug({ err: error }, 'connecting to the store');
        await sleep(pauseBefore(retries), undefined, { ref: false });
      }
    }
  };
  void connect(cluster);
  const reopen = reopening(() => {
    cluster = open();
    void connect(cluster);
  });

  const run = scriptRunner(durability, timeoutMs);
  const runOnMaster = (tag: string, call: ScriptCall): Promise<unknown> => {
    const { client } = cluster.slots[SLOT_OF_TAG[tag]!]?.master ?? {};
    if (!client?.isReady) throw new CallFailed('DISCONNECTED', false, `no master for the keys ${tag}`);
    return run(client as unknown as Client, call);
  };

  return {
    tags: Object.keys(SLOT_OF_TAG),
    run: async (tag, call) => {
      try {
        return await runOnMaster(tag, call);
      } catch (error) {
        if (!(error instanceof CallFailed) || error.type !== 'MOVED') throw error;
        // Any command that node-redis directs by itself has it find out where the slots are now.
        await cluster.exists(tag).catch(() => undefined);
        return runOnMaster(tag, call);
      }
    },
    evaluate: async (script, key, args) =>
      evaluate(cluster as unknown as Pick<Client, 'eval' | 'evalSha'>, { script, keys: [key], args }),
    info: () =>
      Promise.all(
        cluster.masters.map(async (master) => String(await (await cluster.nodeClient(master)).info())),
      ),
    reconnect: () => {
      cluster.destroy();
      reopen();
    },
    close: () => {
      isClosed = true;
      reopen.stop();
      cluster.destroy();
    },
  };
};
