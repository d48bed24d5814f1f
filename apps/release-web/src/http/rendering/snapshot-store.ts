import type { Catalogue } from '@workspace/release-catalogue';
import { buildSnapshot, holdsAt, type Snapshot } from '../../application/snapshot.ts';
import { RepresentationCache } from './representation-cache.ts';
import { type Validity, validityOf } from './send.ts';

/** A snapshot with what routes have prepared from it, by the order in which they asked for it. */
export interface Prepared {
  readonly snapshot: Snapshot;
  readonly validity: Validity;
  readonly values: readonly unknown[];
}

/** Makes what a route answers with while a snapshot holds. @param cache for answers that depend on parameters */
export type Prepare<T> = (snapshot: Snapshot, cache: RepresentationCache) => T;

/** For answers that depend on parameters. All releases of PHP, each alone and encoded in two ways, need 6 MB. */
const CACHE_BYTES = 16 * 1024 * 1024;

/**
 * Holds what is served now: one pointer, swapped when facts change or a transition passes. Facts from which something cannot
 * be made are never served.
 */
export class SnapshotStore {
  readonly #preparations: Prepare<unknown>[] = [];
  #current: Prepared | null = null;
  /** the earliest `Last-Modified` that the facts may have */
  #raisedTo = new Date(0);

  /** To be called once for each answer, before the first facts. @returns finds it */
  prepare<T>(prepare: Prepare<T>): (prepared: Prepared) => T {
    const index = this.#preparations.push(prepare) - 1;
    return ({ values }) => values[index] as T;
  }

  /** What holds at `now`, built first if a transition has passed since; null before the first facts. */
  at(now: Date): Prepared | null {
    const current = this.#current;
    if (current && !holdsAt(current.snapshot, now)) this.replace(current.snapshot.catalogue, now);
    return this.#current;
  }

  /** Swaps in new facts once everything is prepared from them; throws and changes nothing if that fails. */
  replace(catalogue: Catalogue, now: Date): void {
    const snapshot = buildSnapshot(catalogue, now);
    const cache = new RepresentationCache(CACHE_BYTES);
    const values = this.#preparations.map((prepare) => prepare(snapshot, cache));
    this.#raisedTo = this.#raised(snapshot);
    const lastModified = this.#raisedTo > snapshot.lastModified ? this.#raisedTo : snapshot.lastModified;
    this.#current = { snapshot, validity: validityOf(lastModified, snapshot.nextTransition), values };
  }

  /**
   * A merge can bring facts that are older than the newest ones served before: they do not raise the revision, but they are
   * new to clients.
   */
  #raised({ catalogue, builtAt, lastModified }: Snapshot): Date {
    if (!this.#current) return this.#raisedTo;
    const { snapshot, validity } = this.#current;
    if (validity.lastModified < lastModified || isSame(snapshot.catalogue, catalogue)) return this.#raisedTo;
    return new Date(Math.max(validity.lastModified.getTime(), builtAt.getTime()) + 1000);
  }
}

const isSame = (a: Catalogue, b: Catalogue): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
