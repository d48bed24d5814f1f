import {
  type Claim,
  type IdempotencyStore,
  type KeyClaim,
  type KeyOutcome,
  type StoredOutcome,
  type StoreStatus,
  StoreUnavailable,
} from '../../application/idempotency-store.ts';
import type { SequenceClaim, SequenceOutcome, SequenceStore } from '../../application/sequence-store.ts';
import { watchAvailability } from './availability.ts';
import { CallFailed } from './call-failed.ts';
import { compareWithLog } from './compare-with-log.ts';
import { createClaimReleases } from './claim-releases.ts';
import { createStoreAge } from './store-age.ts';
import {
  LONGEST_CALL,
  type ServerEvents,
  type SharedStoreOptions,
  type StoreCapacity,
  type StoreReply,
  type StoreServer,
} from './store-server.ts';
import { createUnsettled } from './unsettled.ts';

export interface SharedStore extends IdempotencyStore, Pick<StoreServer, 'run'> {
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
    since: () => age.since,
    isKnown: async (id, principal) =>
      keys.acceptedAs(id) !== undefined || (await call(server.find(id, principal))).answer !== undefined,
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
    await keys.retry();
    await numbers.retry();
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
  const server = connect({ connected: availability.probe, failed });
  const keys = createUnsettled(
    (claim: KeyClaim, outcome: KeyOutcome) => call(server.settle(claim, outcome)),
    ({ id }) => id,
    (outcome) => outcome.outcome === 'accepted',
  );
  const numbers = createUnsettled(
    (claim: SequenceClaim, outcome: SequenceOutcome) => call(server.sequences.settle(claim, outcome)),
    ({ holder }) => holder,
    (outcome) => outcome === 'accepted',
  );
  const unconfirmed = (): number => keys.size + numbers.size;
  const releases = createClaimReleases(options.timers, LONGEST_CALL * options.timeoutMs);

  /**
   * Waits for an answer of the server. @throws StoreUnavailable
   * @param release gives back what a request that is rejected may have claimed all the same
   */
  const ask = <Reply, Answer>(
    asked: Promise<Reply>,
    read: (reply: Reply) => Answer,
    release?: () => Promise<void>,
  ): Promise<Answer> =>
    call(asked).then(read, (error: unknown) => {
      if (!(error instanceof CallFailed)) throw error;
      if (release && error.perhapsDone) releases.after(asked, release);
      throw new StoreUnavailable(error.message, { cause: error });
    });

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
    const known = keys.acceptedAs(claimed.id);
    if (known) {
      const isSame = known.claim.fingerprint === claimed.fingerprint;
      const { answer } = known.outcome;
      return Promise.resolve(isSame ? { state: 'accepted', answer } : { state: 'reused' });
    }
    if (unconfirmed() >= MOST_UNSETTLED) {
      const message = `the store has not confirmed ${unconfirmed()} outcomes`;
      return Promise.reject(new StoreUnavailable(message));
    }
    return ask(server.claim(claimed), answerOf, () => keys.settle(claimed, NOT_CLAIMED));
  };

  const find: IdempotencyStore['find'] = async (id, principal) => {
    const known = keys.acceptedAs(id);
    if (!known) return ask(server.find(id, principal), answerOf);
    const { claim: claimed, outcome } = known;
    return claimed.principal === principal ? { state: 'accepted', answer: outcome.answer } : undefined;
  };

  const sequences: SequenceStore = {
    take: async (claimed) =>
      ask(
        server.sequences.take(claimed),
        (reply) =>
          reply.state === 'pending' ? { ...reply, claimedAt: age.byOwnClock(reply.claimedAt) } : reply,
        () => numbers.settle(claimed, 'not-published'),
      ),
    settle: numbers.settle,
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
    settle: keys.settle,
    since: () =>
      mayForget === undefined && compared.isDone && availability.error === undefined ? age.since : undefined,
    status,
    connected: availability.connected,
    ...(server.run && { run: (...script) => call(server.run!(...script)) }),
    close: async () => {
      availability.close();
      releases.close();
      await keys.retry().catch(() => undefined);
      await numbers.retry().catch(() => undefined);
      if (unconfirmed() > 0) {
        logger.warn({ unsettled: unconfirmed() }, 'stopping with outcomes that the store has not confirmed');
      }
      await server.close();
    },
  };
};
