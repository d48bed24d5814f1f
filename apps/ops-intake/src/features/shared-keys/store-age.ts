import type { StoreLoss } from '../../application/idempotency-store.ts';
import type { SharedStoreOptions } from './store-server.ts';

/** Since when a store has kept every key, and whether it lost some while this instance used it. */
export interface StoreAge {
  readonly since: Date | undefined;
  /** undefined when it lost nothing that would still be remembered */
  readonly loss: StoreLoss | undefined;
  /** Takes the store's time, by which its own times are read. */
  synchronize(now: Date): void;
  /** Takes what the store said last of since when it has kept every key, by its own clock. Unused until its time is known. */
  update(since: Date): void;
  /** A time of the store by this instance's clock: they may differ by hours. */
  byOwnClock(time: Date): Date;
}

/** Less than that is the time that an answer takes. */
const SAME_CLOCK_MS = 1_000;

export const createStoreAge = ({ ttlMs, clock, logger, observer }: SharedStoreOptions): StoreAge => {
  /** by the store's clock, and by ours */
  let known: Date | undefined;
  let since: Date | undefined;
  let lostAt: Date | undefined;
  let aheadMs: number | undefined;
  const byOwnClock = (time: Date): Date => new Date(Math.max(0, time.getTime() - (aheadMs ?? 0)));
  return {
    get since() {
      return since;
    },
    byOwnClock,
    synchronize: (now) => {
      const before = aheadMs ?? 0;
      const ahead = now.getTime() - clock().getTime();
      aheadMs = Math.abs(ahead - before) > SAME_CLOCK_MS ? ahead : before;
    },
    get loss() {
      if (!lostAt) return undefined;
      const over = new Date(lostAt.getTime() + ttlMs);
      return over > clock() ? { at: lostAt, over } : undefined;
    },
    update: (reported) => {
      // Answers may come in another order than they were given.
      if (aheadMs === undefined || (known && reported <= known)) return;
      since = byOwnClock(reported);
      if (known) {
        lostAt = since;
        observer?.storeLost();
        logger.warn({ since }, 'idempotency store lost data; keys from before may be missing');
      }
      known = reported;
    },
  };
};
