import { type KeyStoreOptions, openSharedStore, type SharedStore } from '../shared-store.ts';
import { openPostgresServer } from './postgres-server.ts';

/** Keys that all instances see, in a table of PostgreSQL. */
export const openPostgresStore = (options: KeyStoreOptions): SharedStore =>
  openSharedStore((events) => openPostgresServer({ ...options, events }), options);
