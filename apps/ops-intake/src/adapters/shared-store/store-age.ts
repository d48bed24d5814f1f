import type { Logger } from '@workspace/logging';
import type { Clock } from '@workspace/service-kit';
import type { StoreLoss, StoreObserver } from '../../application/idempotency-store.ts';

export interface StoreAgeOptions {
  /** milliseconds an answer is remembered: after that, a loss makes no difference any more */
  ttlMs: number;
  clock: Clock;
  logger: Logger;
  observer?: StoreObserver | undefined;
}

/** Since when a store has kept every key, and whether it lost some while this instance used it. */
export interface StoreAge {
  readonly since: Date | undefined;
  /** undefined when it lost nothing that would still be remembered */
  readonly loss: StoreLoss | undefined;
  /** Takes what the store said last. */
  update(since: Date): void;
}

export const createStoreAge = ({ ttlMs, clock, logger, observer }: StoreAgeOptions): StoreAge => {
  let known: Date | undefined;
  let lostAt: Date | undefined;
  return {
    get since() {
      return known;
    },
    get loss() {
      if (!lostAt) return undefined;
      const over = new Date(lostAt.getTime() + ttlMs);
      return over > clock() ? { at: lostAt, over } : undefined;
    },
    update: (since) => {
      // Answers may come in another order than they were given.
      if (known && since <= known) return;
      if (known) {
        lostAt = since;
        observer?.storeLost();
        logger.warn({ since }, 'idempotency store lost data; keys from before may be missing');
      }
      known = since;
    },
  };
};
