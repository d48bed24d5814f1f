import type { Timer, Timers } from '@workspace/service-kit';
import { CallFailed } from './call-failed.ts';

/** What was sent on a connection that was lost has arrived by then, unless the network holds it longer. */
const ARRIVED_MS = 5_000;

export interface GiveBack {
  /**
   * Gives back what a rejected request may have claimed, once that cannot be claimed any more.
   * @param giveBack does nothing when the request does not hold it
   */
  after(claiming: Promise<unknown>, giveBack: () => Promise<void>): void;
  close(): void;
}

/** @param longestMs most that the store takes to carry out a claim */
export const createGiveBack = (timers: Timers, longestMs: number): GiveBack => {
  const due = new Set<Timer>();
  const later = (giveBack: () => Promise<void>): void => {
    const timer = timers.setTimeout(
      () => {
        due.delete(timer);
        void giveBack();
      },
      ARRIVED_MS + longestMs,
      undefined,
    );
    timer.unref();
    due.add(timer);
  };
  return {
    after: (claiming, giveBack) => {
      const giveBackAfter = (error?: unknown): void => {
        void giveBack();
        // The connection is lost here, but perhaps not yet at the server: the claim may come after what gives it back.
        if (error instanceof CallFailed && error.mayBeLate) later(giveBack);
      };
      void claiming.then(() => giveBackAfter(), giveBackAfter);
    },
    close: () => due.forEach((timer) => timers.clearTimeout(timer)),
  };
};
