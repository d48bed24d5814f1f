import type { Timer, Timers } from '@workspace/service-process';
import { CallFailed } from './call-failed.ts';

/** What was sent on a connection that was lost has arrived by then, unless the network holds it longer. */
const ARRIVED_MS = 5_000;

export interface ClaimReleases {
  /**
   * Gives back what a rejected request may have claimed, once that cannot be claimed any more.
   * @param release does nothing when the request does not hold it
   */
  after(claiming: Promise<unknown>, release: () => Promise<void>): void;
  close(): void;
}

/** @param longestMs most that the store takes to carry out a claim */
export const createClaimReleases = (timers: Timers, longestMs: number): ClaimReleases => {
  const due = new Set<Timer>();
  const later = (release: () => Promise<void>): void => {
    const timer = timers.setTimeout(
      () => {
        due.delete(timer);
        void release();
      },
      ARRIVED_MS + longestMs,
      undefined,
    );
    timer.unref();
    due.add(timer);
  };
  return {
    after: (claiming, release) => {
      const releaseAfter = (error?: unknown): void => {
        void release();
        // The connection is lost here, but perhaps not yet at the server: the claim may come after what gives it back.
        if (error instanceof CallFailed && error.mayBeLate) later(release);
      };
      void claiming.then(() => releaseAfter(), releaseAfter);
    },
    close: () => due.forEach((timer) => timers.clearTimeout(timer)),
  };
};
