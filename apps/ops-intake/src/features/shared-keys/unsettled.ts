import type { KeyClaim, KeyOutcome } from '../../application/idempotency-store.ts';
import type { AcceptedSubmission } from '../../application/submission-record.ts';

/** Reports to the store how one claim ended; rejects when the store did not confirm it. */
export type WriteOutcome = (claim: KeyClaim, outcome: KeyOutcome) => Promise<void>;

/** Outcomes of claims that the store has not confirmed yet. */
export interface Unsettled {
  /** how many were sent to the store at least once without a confirmation */
  readonly size: number;
  /** Reports to the store, and keeps the outcome until it is confirmed; resolves after the first attempt, either way. */
  settle(claim: KeyClaim, outcome: KeyOutcome): Promise<void>;
  /** What this process knows of a key that the store does not know yet. */
  answerTo(id: string): (KeyClaim & { answer: AcceptedSubmission }) | undefined;
  /** Reports everything to the store again, oldest first; rejects at the first that it does not confirm. */
  retry(): Promise<void>;
}

/** How many outcomes are sent at once in a retry. */
const CONCURRENT_WRITES = 100;

/**
 * Kept by the owner of the claim and not by the key: a later request with the same key has its own claim to settle, and
 * must not replace what an earlier one still has to report.
 */
export const createUnsettled = (write: WriteOutcome): Unsettled => {
  const byOwner = new Map<string, { claim: KeyClaim; outcome: KeyOutcome }>();
  /** by submission id, from before the first attempt on */
  const accepted = new Map<string, { claim: KeyClaim; outcome: KeyOutcome & { outcome: 'accepted' } }>();

  const confirmed = (claim: KeyClaim): void => {
    byOwner.delete(claim.owner);
    if (accepted.get(claim.id)?.claim.owner === claim.owner) accepted.delete(claim.id);
  };

  return {
    get size() {
      return byOwner.size;
    },
    settle: (claim, reported) => {
      const { id, owner } = claim;
      const known = accepted.get(id);
      // An acceptance is final, whatever its owner reports later.
      const outcome = known?.claim.owner === owner ? known.outcome : reported;
      if (outcome.outcome === 'accepted' && !known) accepted.set(id, { claim, outcome });
      return write(claim, outcome).then(
        () => confirmed(claim),
        () => void byOwner.set(owner, { claim, outcome }),
      );
    },
    answerTo: (id) => {
      const known = accepted.get(id);
      return known && { ...known.claim, answer: known.outcome.answer };
    },
    retry: async () => {
      const waiting = [...byOwner.values()];
      for (let at = 0; at < waiting.length; at += CONCURRENT_WRITES) {
        const some = waiting.slice(at, at + CONCURRENT_WRITES);
        await Promise.all(
          some.map(({ claim, outcome }) => write(claim, outcome).then(() => confirmed(claim))),
        );
      }
    },
  };
};
