import type { Catalogue } from '@workspace/release-catalogue';
import type { Site } from '../http/site.ts';
import { buildSnapshot, type Snapshot } from '../http/responses.ts';

/** Holds the answers of now: one pointer, swapped when facts change or a transition passes. */
export interface SnapshotStore {
  /** The snapshot that holds at `now`, built first if a transition was crossed since. */
  at(now: Date): Snapshot;
  /** Swaps in new facts once all answers are built from them; throws and changes nothing if one cannot be. */
  replace(catalogue: Catalogue, now: Date): void;
}

export const createSnapshotStore = (catalogue: Catalogue, now: Date, site: Site): SnapshotStore => {
  let snapshot = buildSnapshot(catalogue, now, site);
  return {
    at: (instant) => {
      if (!holdsAt(snapshot, instant)) snapshot = buildSnapshot(snapshot.catalogue, instant, site);
      return snapshot;
    },
    replace: (facts, instant) => {
      snapshot = buildSnapshot(facts, instant, site);
    },
  };
};

/** A clock that was set back leaves the span of a snapshot too. */
const holdsAt = ({ builtAt, nextTransition }: Snapshot, now: Date): boolean =>
  now >= builtAt && (nextTransition === null || now < nextTransition);
