import type { Catalogue } from '@workspace/release-catalogue';
import { buildSnapshot, holdsAt, type Snapshot } from './snapshot.ts';

/** A snapshot with everything that was rendered from it. */
export interface Rendered<R> {
  readonly snapshot: Snapshot;
  readonly responses: R;
}

/** Holds what is served now: one pointer, swapped when facts change or a transition passes. */
export interface SnapshotStore<R> {
  /** What holds at `now`, built first if a transition has passed since; null before the first facts. */
  at(now: Date): Rendered<R> | null;
  /** Swaps in new facts once everything is rendered from them; throws and changes nothing if that fails. */
  replace(catalogue: Catalogue, now: Date): void;
}

export interface Renderer<R> {
  /** makes what is served out of a snapshot, before it is asked for */
  render(snapshot: Snapshot): R;
}

/** A store without facts: `replace` brings the first ones. */
export const createSnapshotStore = <R>(renderer: Renderer<R>): SnapshotStore<R> => {
  const build = (facts: Catalogue, instant: Date): Rendered<R> => {
    const snapshot = buildSnapshot(facts, instant);
    return { snapshot, responses: renderer.render(snapshot) };
  };
  let current: Rendered<R> | null = null;
  return {
    at: (instant) => {
      if (current && !holdsAt(current.snapshot, instant)) {
        current = build(current.snapshot.catalogue, instant);
      }
      return current;
    },
    replace: (facts, instant) => {
      current = build(facts, instant);
    },
  };
};
