import { type KeyStoreOptions, openSharedStore, type SharedStore } from '../shared-store.ts';
import type { ServerEvents } from '../store-server.ts';
import { openRedisServer, type RedisServer } from './redis-server.ts';

export interface RedisStore extends SharedStore {
  /** Runs a script of someone else on one key of the same store. @throws CallFailed */
  run(script: string, key: string, args: string[]): Promise<unknown>;
}

/** Keys that all instances see, in Redis or Valkey. */
export const openRedisStore = (options: KeyStoreOptions): RedisStore => {
  let run: RedisStore['run'] = () => Promise.reject(new Error('not opened yet'));
  const connect = (events: ServerEvents): RedisServer => {
    const server = openRedisServer({ ...options, events });
    run = (script, key, args) => events.call(server.evaluate(script, key, args));
    return server;
  };
  const store = openSharedStore(connect, options);
  return { ...store, run };
};
