import type { Logger } from '@workspace/logging';
import type { Clock, Timers } from '@workspace/service-process';
import type {
  Claim,
  KeyClaim,
  KeyOutcome,
  StoredOutcome,
  StoreObserver,
  StoreStatus,
} from '../../application/idempotency-store.ts';
import type { NewestRecords } from '../../application/record-search.ts';
import type { SequenceStore } from '../../application/sequence-store.ts';
import type { CallFailed } from './call-failed.ts';

/**
 * What a claim and an answer must have got to before they count. `none`: what the server does by itself before it answers;
 * `local`: its disk; `replicated`: another server.
 */
export type Durability = 'none' | 'local' | 'replicated';

/** How long a server may take to carry out a call, in time limits of its caller: who gives up first never calls it done. */
export const LONGEST_CALL = 2;

/** What a server reports between calls. */
export interface ServerEvents {
  /** A connection is there: it may be usable now. */
  connected(): void;
  /** A connection was lost. */
  failed(failure: CallFailed): void;
}

/** What a server is opened with. */
export interface StoreServerOptions {
  /** `postgres://` or `postgresql://`; of Redis or Valkey: see `parseRedisUrl` */
  url: string;
  durability: Durability;
  /** milliseconds an answer is remembered; after that, a loss makes no difference any more */
  ttlMs: number;
  /** milliseconds a series of numbers is remembered; as long as an answer when left out */
  sequenceTtlMs?: number | undefined;
  /** milliseconds a claim holds without word from its owner; longer than any send can take */
  leaseMs: number;
  /** milliseconds to wait for a connection, and for a call */
  timeoutMs: number;
  logger: Logger;
  events: ServerEvents;
}

/** What a key store on a server is opened with. */
export interface SharedStoreOptions extends Pick<StoreServerOptions, 'ttlMs' | 'timeoutMs' | 'logger'> {
  clock: Clock;
  timers: Timers;
  observer?: StoreObserver | undefined;
  /** what the store is compared with when it is reached: it may have lost keys while no instance was there */
  log?: NewestRecords | undefined;
}

/** An answer, and since when the store has kept every key; left out when the answer does not depend on it. */
export interface StoreReply<Answer> {
  readonly answer: Answer;
  readonly since?: Date;
}

/**
 * A server that keeps keys for all instances: what differs between Redis and PostgreSQL. Calls that cannot be made at once
 * are not queued, and each rejects with `CallFailed`.
 */
export interface StoreServer {
  claim(claim: KeyClaim): Promise<StoreReply<Claim>>;
  settle(claim: KeyClaim, outcome: KeyOutcome): Promise<void>;
  find(id: string, principal: string | undefined): Promise<StoreReply<StoredOutcome | undefined>>;
  readonly sequences: SequenceStore;
  /**
   * Writes, as only a write shows that the server accepts writes. Notices when writes that it confirmed are gone, and
   * lets the store start again then.
   */
  probe(): Promise<StoreAgeReport>;
  /** A key that it should know is missing: the next probe lets the store start again. */
  forgot(id: string): void;
  /** What the server says of its memory; undefined when it does not report it. */
  capacity(): Promise<StoreCapacity | undefined>;
  /** Runs a script of someone else on one key; left out where the server cannot. @throws CallFailed */
  readonly run?: (script: string, key: string, args: string[]) => Promise<unknown>;
  /** Replaces a connection that is not answered any more; left out where that is not needed. */
  reconnect?(): void;
  close(): Promise<void>;
}

/** What a server says of its age. */
export interface StoreAgeReport {
  /** since when it has kept every key, by its own clock */
  readonly since: Date;
  /** the time by its own clock */
  readonly now: Date;
  /** why it may drop keys at any time; left out when it does not */
  readonly mayForget?: string;
}

export interface StoreCapacity extends Pick<StoreStatus, 'use' | 'warning'> {
  readonly evictions: number;
}
