import { type Catalogue, type PreRelease, preReleases } from '@workspace/release-catalogue';
import { type Announcement, announcements } from '../domain/announcement.ts';
import { transitions } from '../domain/transitions.ts';
import type { Clock, Timer, Timers } from '@workspace/service-process';

/** What the facts mean at one instant, and how long that holds. Never changed, only replaced. */
export interface Snapshot {
  readonly catalogue: Catalogue;
  readonly builtAt: Date;
  /** the next moment at which an answer changes without a new fact; null: only new facts change it */
  readonly nextTransition: Date | null;
  /** the newest of the data's revision and the last transition */
  readonly lastModified: Date;
  /** the entries of the feeds */
  readonly announcements: readonly Announcement[];
  /** the pre-release slots of all branches, ascending */
  readonly preReleases: readonly PreRelease[];
}

/** Works out what the facts mean at an instant. */
export const buildSnapshot = (catalogue: Catalogue, now: Date): Snapshot => {
  const moments = transitions(catalogue);
  const last = moments.findLast(({ at }) => at <= now)?.at ?? catalogue.revision;
  return Object.freeze({
    catalogue,
    builtAt: now,
    nextTransition: moments.find(({ at }) => at > now)?.at ?? null,
    lastModified: catalogue.revision > last ? catalogue.revision : last,
    announcements: announcements(catalogue, now),
    preReleases: preReleases(catalogue),
  });
};

/** Whether a snapshot holds at an instant. A clock that was set back leaves its span too. */
export const holdsAt = ({ builtAt, nextTransition }: Snapshot, now: Date): boolean => {
  const instant = now.getTime();
  return instant >= builtAt.getTime() && (nextTransition === null || instant < nextTransition.getTime());
};

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

/** setTimeout takes a signed 32-bit number of milliseconds: 24.8 days. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/**
 * Builds the next snapshot the moment a transition passes, so that no request has to.
 * @returns stops it
 */
export const startTransitionTimer = (
  store: SnapshotStore<unknown>,
  clock: Clock,
  timers: Timers,
): (() => void) => {
  let timer: Timer;
  const wait = (): void => {
    const now = clock();
    const nextTransition = store.at(now)?.snapshot.nextTransition;
    const untilThen = nextTransition ? nextTransition.getTime() - now.getTime() : LONGEST_WAIT_MS;
    timer = timers.setTimeout(wait, Math.min(untilThen, LONGEST_WAIT_MS), undefined);
    timer.unref();
  };
  wait();
  return () => timers.clearTimeout(timer);
};
