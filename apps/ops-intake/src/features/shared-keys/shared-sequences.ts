import { StoreUnavailable } from '../../application/idempotency-store.ts';
import type { SequenceClaim, SequenceOutcome, SequenceStore } from '../../application/sequence-store.ts';
import { CallFailed } from './call-failed.ts';
import type { ClaimReleases } from './claim-releases.ts';
import type { SequenceServer } from './store-server.ts';

export interface SharedSequences extends SequenceStore {
  /** how many outcomes the server has not confirmed */
  readonly unsettled: number;
  /** Sends them again, oldest first; rejects at the first that is not confirmed. */
  retry(): Promise<void>;
}

/**
 * Numbers that all instances see. What is not confirmed yet is known to the key store as well: whoever needs the number before finds
 * out what became of its holder.
 *
 * @param call waits for an answer no longer than the store does
 * @param byOwnClock a time of the store by this instance's clock
 */
export const createSharedSequences = (
  server: () => SequenceServer,
  call: <Answer>(answer: Promise<Answer>) => Promise<Answer>,
  releases: Pick<ClaimReleases, 'after'>,
  byOwnClock: (time: Date) => Date,
): SharedSequences => {
  const unsettled = new Map<string, { claim: SequenceClaim; outcome: SequenceOutcome }>();

  const confirm = async (claim: SequenceClaim, outcome: SequenceOutcome): Promise<void> => {
    await call(server().settle(claim, outcome));
    unsettled.delete(claim.owner);
  };
  const settle: SequenceStore['settle'] = (claim, reported) => {
    // An acceptance is final, whatever its owner reports later.
    const outcome = unsettled.get(claim.owner)?.outcome === 'accepted' ? 'accepted' : reported;
    return confirm(claim, outcome).catch(() => {
      unsettled.set(claim.owner, { claim, outcome });
    });
  };

  return {
    take: async (claim) => {
      const taking = server().take(claim);
      try {
        const reply = await call(taking);
        return reply.state === 'pending' ? { ...reply, claimedAt: byOwnClock(reply.claimedAt) } : reply;
      } catch (error) {
        if (!(error instanceof CallFailed)) throw error;
        // The number must not stay taken by a request that is rejected.
        if (error.perhapsDone) releases.after(taking, () => settle(claim, 'not-published'));
        throw new StoreUnavailable(error.message, { cause: error });
      }
    },
    settle,
    get unsettled() {
      return unsettled.size;
    },
    retry: async () => {
      for (const { claim, outcome } of [...unsettled.values()]) await confirm(claim, outcome);
    },
  };
};
