import type { Clock, Timer, Timers } from '@workspace/service-process';
import type { SnapshotStore } from './snapshot-store.ts';

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
