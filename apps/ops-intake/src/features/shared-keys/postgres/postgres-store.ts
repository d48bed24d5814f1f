import { openSharedStore, type SharedStore, type SharedStoreOptions } from '../shared-store.ts';
import type { Durability } from '../store-server.ts';
import { openPostgresServer } from './postgres-server.ts';

export interface PostgresStoreOptions extends SharedStoreOptions {
  /** `postgres://` or `postgresql://` */
  url: string;
  durability: Durability;
  /** milliseconds a claim holds without word from its owner; longer than any send can take */
  leaseMs: number;
  /** milliseconds a series of numbers is remembered; as long as an answer when left out */
  sequenceTtlMs?: number | undefined;
}

/** Keys that all instances see, in a table of PostgreSQL. */
export const openPostgresStore = (options: PostgresStoreOptions): SharedStore =>
  openSharedStore((events) => openPostgresServer({ ...options, events }), options);
