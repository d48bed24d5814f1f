import type { Client } from './client.ts';
import type { Clock } from './clock.ts';
import type { Cluster } from './cluster.ts';
import type { Instance } from './instance.ts';
import type { KeyStore } from './key-store.ts';
import type { Ledger } from './ledger.ts';
import type { Network } from './network.ts';

/** Everything in one schedule. */
export interface World {
  readonly clock: Clock;
  readonly network: Network;
  readonly cluster: Cluster;
  readonly store: KeyStore;
  /** one that was killed is replaced by a new one in its place */
  readonly instances: Instance[];
  readonly clients: Client[];
  /** how likely clients are to ask what became of a submission */
  readonly curiosity: number;
  readonly ledger: Ledger;
  /** whether instances keep in memory which ids the log has, as they do with a shared store; else they read it each time */
  readonly isIndexed: boolean;
  /** how many faults have not ended yet */
  lasting: number;
  /** milliseconds of simulated time, when the last fault began or ended */
  disturbedAt: number;
  /** told of each request when an instance begins with it */
  onRequest: (instance: Instance) => void;
  /** Says what happened, for who replays a seed. */
  trace(text: string): void;
}
