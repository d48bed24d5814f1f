import { CallFailed } from '../call-failed.ts';
import type { StoreServerOptions } from '../store-server.ts';
import type { RedisAddress } from './redis-address.ts';
import {
  type Client,
  evaluate,
  newClient,
  reopening,
  type ScriptCall,
  scriptRunner,
} from './redis-client.ts';

export interface ConnectionOptions extends Pick<
  StoreServerOptions,
  'durability' | 'timeoutMs' | 'logger' | 'events'
> {
  readonly address: RedisAddress;
}

/** The connections to the servers that hold the keys: one, or those of a Cluster. Opened and kept up in the background. */
export interface RedisConnection {
  /**
   * The hash tags that the keys are spread over, `{…}`, so that all keys of one script are on one server; one empty tag when there is only
   * one server.
   */
  readonly tags: readonly string[];
  /** Runs a script whose keys have that tag. @throws CallFailed */
  run(tag: string, call: ScriptCall): Promise<unknown>;
  /** Runs a script of someone else, whose key has no tag. @throws CallFailed */
  evaluate(script: string, key: string, args: string[]): Promise<unknown>;
  /** What `INFO` says, of each server that holds keys. */
  info(): Promise<string[]>;
  /** Looks whether the servers are still the right ones; left out where they cannot change. */
  check?(): void;
  /** Replaces connections that are not answered any more. */
  reconnect(): void;
  close(): void;
}

/**
 * What all connections to one server have in common.
 * @param current the connection of the moment
 */
export const oneServer = (
  current: () => Client | undefined,
  { durability, timeoutMs }: Pick<ConnectionOptions, 'durability' | 'timeoutMs'>,
): Pick<RedisConnection, 'tags' | 'run' | 'evaluate' | 'info'> => {
  const run = scriptRunner(durability, timeoutMs);
  const client = (): Client => {
    const connected = current();
    if (!connected) throw new CallFailed('DISCONNECTED', false, 'not connected');
    return connected;
  };
  return {
    tags: [''],
    run: async (_tag, call) => run(client(), call),
    evaluate: async (script, key, args) => evaluate(client(), { script, keys: [key], args }),
    info: async () => [await client().info()],
  };
};

/** One server whose address does not change. */
export const connectToServer = (options: ConnectionOptions): RedisConnection => {
  const { address, logger, events } = options;
  const connect = (): Client => {
    const opened = newClient(address.nodes[0]!, { ...address, ...options }, true);
    opened.on('error', (error: Error) => {
      if (opened !== client) return;
      events.failed(new CallFailed('DISCONNECTED', true, error.message || 'connection lost'));
      // Its bytes are no replies: the next ones could be taken for those to other commands.
      if (opened.isReady) reconnect();
    });
    opened.on('ready', events.connected);
    opened.connect().catch((error: unknown) => logger.debug({ err: error }, 'connecting to the store'));
    return opened;
  };
  let client: Client | undefined = connect();
  const connectSoon = reopening(() => (client = connect()));
  const drop = (): void => {
    const dropped = client;
    client = undefined;
    if (dropped?.isOpen) dropped.destroy();
  };
  const reconnect = (): void => {
    drop();
    connectSoon();
  };
  return {
    ...oneServer(() => client, options),
    reconnect,
    close: () => {
      connectSoon.stop();
      drop();
    },
  };
};
