import type { Logger } from '@workspace/logging';
import type { Clock, Timers } from '@workspace/service-process';
import {
  type Claim,
  type IdempotencyStore,
  type KeyClaim,
  type KeyOutcome,
  type StoredOutcome,
  type StoreObserver,
  type StoreStatus,
  StoreUnavailable,
} from '../../application/idempotency-store.ts';
import type { NewestRecords } from '../../application/record-search.ts';
import { watchAvailability } from './availability.ts';
import { CallFailed } from './call-failed.ts';
import { compareWithLog } from './compare-with-log.ts';
import { createClaimReleases } from './claim-releases.ts';
import { createSharedSequences } from './shared-sequences.ts';
import { createStoreAge } from './store-age.ts';
import {
  LONGEST_CALL,
  type ServerEvents,
  type StoreCapacity,
  type StoreReply,
  type StoreServer,
  type StoreServerOptions,
} from './store-server.ts';
import { createUnsettled } from './unsettled.ts';

export interface SharedStoreOptions {
  /** milliseconds an answer is remembered; at least the lease */
  ttlMs: number;
  /** milliseconds to wait for the store */
  timeoutMs: number;
  clock: Clock;
  timers: Timers;
  logger: Logger;
  observer?: StoreObserver | undefined;
  /** what the store is compared with when it is reached: it may have lost keys while no instance was there */
  log?: NewestRecords | undefined;
}

/** What Redis and PostgreSQL are opened with as a key store. */
export type KeyStoreOptions = SharedStoreOptions & Omit<StoreServerOptions, 'events'>;

export interface SharedStore extends IdempotencyStore {
  /** resolves when the store could be used for the first time */
  readonly connected: Promise<void>;
}

/** With more unsettled outcomes than this, no more keys are claimed: about 50 MB. */
const MOST_UNSETTLED = 100_000;
const PROBES_PER_CAPACITY = 5;
/** What becomes of a request whose claim was not confirmed. */
const NOT_CLAIMED: KeyOutcome = { outcome: 'not-published', reason: 'withdrawn' };

/**
 * Keys that all instances see. Returns at once and connects in the background. What the server has not confirmed is sent again
 * after every probe.
 *
 * @param connect opens the server; a simulation brings another
 */
export const openSharedStore = (
  connect: (events: ServerEvents) => StoreServer,
  options: SharedStoreOptions,
): SharedStore => {
  const { logger } = options;
  let capacity: StoreCapacity | undefined;
  let mayForget: string | undefined;
  let probes = 0;
  const age = createStoreAge(options);
  const compared = compareWithLog({
    ...options,
    log: options.log,
    since: () => age.since,
    isKnown: async (id, principal) =>
      unsettled.answerTo(id) !== undefined || (await call(server.find(id, principal))).answer !== undefined,
    onForgotten: (id) => {
      server.forgot(id);
      return askAge();
    },
  });
  const askAge = async (): Promise<void> => {
    const { since, now, mayForget: reason } = await call(server.probe());
    age.synchronize(now);
    age.update(since);
    mayForget = reason;
  };
  const probe = async (): Promise<void> => {
    if (availability.error !== undefined) compared.again();
    await askAge();
    void compared.compare();
    await unsettled.retry();
    await sequences.retry();
    // Not every user may read it: the store works without.
    if (probes % PROBES_PER_CAPACITY === 0) {
      capacity = (await availability.optional(server.capacity()).catch(() => undefined)) ?? capacity;
    }
    probes += 1;
  };
  const availability = watchAvailability({
    ...options,
    probe,
    onHang: () => server.reconnect?.(),
  });
  const { call, failed } = availability;
  const server = connect({ connected: availability.probe, failed, call });
  const unsettled = createUnsettled((claim, outcome) => call(server.settle(claim, outcome)));
  const releases = createClaimReleases(options.timers, LONGEST_CALL * options.timeoutMs);
  const sequences = createSharedSequences(() => server.sequences, call, releases, age.byOwnClock);

  const unconfirmed = (): number => unsettled.size + sequences.unsettled;

  const answerOf = <Answer extends Claim | StoredOutcome | undefined>({
    answer,
    since,
  }: StoreReply<Answer>): Answer => {
    if (since) age.update(since);
    return answer && 'claimedAt' in answer
      ? { ...answer, claimedAt: age.byOwnClock(answer.claimedAt) }
      : answer;
  };

  // No async functions here and below: every submission with a key comes through.
  const claim = (claimed: KeyClaim): Promise<Claim> => {
    const known = unsettled.answerTo(claimed.id);
    if (known) {
      const isSame = known.fingerprint === claimed.fingerprint;
      return Promise.resolve(isSame ? { state: 'accepted', answer: known.answer } : { state: 'reused' });
    }
    if (unconfirmed() >= MOST_UNSETTLED) {
      const message = `the store has not confirmed ${unconfirmed()} outcomes`;
      return Promise.reject(new StoreUnavailable(message));
    }
    const claiming = server.claim(claimed);
    return call(claiming).then(answerOf, (error: unknown) => {
      if (!(error instanceof CallFailed)) throw error;
      // The key must not stay taken by a request that is rejected.
      if (error.perhapsDone) releases.after(claiming, () => unsettled.settle(claimed, NOT_CLAIMED));
      throw new StoreUnavailable(error.message, { cause: error });
    });
  };

  const find: IdempotencyStore['find'] = async (id, principal) => {
    const known = unsettled.answerTo(id);
    if (known)
      return known.principal === principal ? { outcome: 'accepted', answer: known.answer } : undefined;
    try {
      return answerOf(await call(server.find(id, principal)));
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      throw new StoreUnavailable(error.message, { cause: error });
    }
  };

  const status = (): StoreStatus => {
    const { error } = availability;
    const waiting =
      unconfirmed() > 0 ? `${unconfirmed()} outcomes wait until the store confirms them` : undefined;
    const warning = waiting ?? mayForget ?? capacity?.warning;
    return {
      ...(error !== undefined && { error }),
      ...(warning !== undefined && { warning }),
      ...(age.loss && { loss: age.loss }),
      unsettled: unconfirmed(),
      evictions: capacity?.evictions ?? 0,
      ...(capacity?.use && { use: capacity.use }),
    };
  };

  return {
    claim,
    find,
    sequences,
    settle: unsettled.settle,
    since: () =>
      mayForget === undefined && compared.isDone && availability.error === undefined ? age.since : undefined,
    status,
    connected: availability.connected,
    close: async () => {
      availability.close();
      releases.close();
      await unsettled.retry().catch(() => undefined);
      await sequences.retry().catch(() => undefined);
      if (unconfirmed() > 0) {
        logger.warn({ unsettled: unconfirmed() }, 'stopping with outcomes that the store has not confirmed');
      }
      await server.close();
    },
  };
};
