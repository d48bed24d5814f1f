import type { Catalogue } from '@workspace/release-catalogue';
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
  });
};

/** Whether a snapshot holds at an instant. A clock that was set back leaves its span too. */
export const holdsAt = ({ builtAt, nextTransition }: Snapshot, now: Date): boolean => {
  const instant = now.getTime();
  return instant >= builtAt.getTime() && (nextTransition === null || instant < nextTransition.getTime());
};

/** setTimeout takes a signed 32-bit number of milliseconds: 24.8 days. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/**
 * Builds the next snapshot the moment a transition passes, so that no request has to.
 * @returns stops it
 */
export const startTransitionTimer = (
  snapshots: { at(now: Date): { readonly snapshot: Snapshot } | null },
  clock: Clock,
  timers: Timers,
): (() => void) => {
  let timer: Timer;
  const wait = (): void => {
    const now = clock();
    const nextTransition = snapshots.at(now)?.snapshot.nextTransition;
    const untilThen = nextTransition ? nextTransition.getTime() - now.getTime() : LONGEST_WAIT_MS;
    timer = timers.setTimeout(wait, Math.min(untilThen, LONGEST_WAIT_MS), undefined);
    timer.unref();
  };
  wait();
  return () => timers.clearTimeout(timer);
};
