import type { KeyClaim, Settlement } from '../../application/idempotency-store.ts';
import type { AcceptedSubmission } from '../../application/submission-record.ts';

/** Tells the store how one claim ended; rejects when the store did not confirm it. */
export type Tell = (claim: KeyClaim, settlement: Settlement) => Promise<void>;

/** Settlements that the store has not confirmed yet. */
export interface Unsettled {
  /** how many the store was told at least once without confirming it */
  readonly size: number;
  /** Tells the store, and keeps the settlement until it is confirmed; resolves after the first attempt, either way. */
  settle(claim: KeyClaim, settlement: Settlement): Promise<void>;
  /** What this process knows of a key that the store does not know yet. */
  answerTo(
    id: string,
  ): { fingerprint: string; principal: string | undefined; answer: AcceptedSubmission } | undefined;
  /** Tells the store everything again, oldest first; rejects at the first that it does not confirm. */
  retry(): Promise<void>;
}

/** How many settlements are told at once in a retry. */
const AT_ONCE = 100;

/**
 * Kept by the owner of the claim and not by the key: a later request with the same key has its own claim to settle, and
 * must not replace what an earlier one still has to tell.
 */
export const createUnsettled = (tell: Tell): Unsettled => {
  const byOwner = new Map<string, { claim: KeyClaim; settlement: Settlement }>();
  /** by submission id, from before the first attempt on */
  const acknowledged = new Map<
    string,
    { owner: string; fingerprint: string; principal: string | undefined; answer: AcceptedSubmission }
  >();

  const confirm = async (claim: KeyClaim, settlement: Settlement): Promise<void> => {
    await tell(claim, settlement);
    byOwner.delete(claim.owner);
    if (acknowledged.get(claim.id)?.owner === claim.owner) acknowledged.delete(claim.id);
  };

  return {
    get size() {
      return byOwner.size;
    },
    settle: (claim, settlement) => {
      const { id, fingerprint, owner, principal } = claim;
      if (settlement.outcome === 'acknowledged' && !acknowledged.has(id)) {
        acknowledged.set(id, { owner, fingerprint, principal, answer: settlement.answer });
      }
      return confirm(claim, settlement).catch(() => {
        byOwner.set(owner, { claim, settlement });
      });
    },
    answerTo: (id) => acknowledged.get(id),
    retry: async () => {
      const waiting = [...byOwner.values()];
      for (let at = 0; at < waiting.length; at += AT_ONCE) {
        const some = waiting.slice(at, at + AT_ONCE);
        await Promise.all(some.map(({ claim, settlement }) => confirm(claim, settlement)));
      }
    },
  };
};
