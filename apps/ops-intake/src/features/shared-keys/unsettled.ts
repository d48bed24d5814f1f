/** Outcomes of claims that the store has not confirmed yet. */
export interface Unsettled<Claim, Outcome, Accepted extends Outcome> {
  /** how many were sent to the store at least once without a confirmation */
  readonly size: number;
  /** Reports to the store, and keeps the outcome until it is confirmed; resolves after the first attempt, either way. */
  settle(claim: Claim, outcome: Outcome): Promise<void>;
  /** What this process knows of a submission that the store does not know yet. */
  acceptedAs(id: string): { readonly claim: Claim; readonly outcome: Accepted } | undefined;
  /** Reports everything to the store again, oldest first; rejects at the first that it does not confirm. */
  retry(): Promise<void>;
}

/** How many outcomes are sent at once in a retry. */
const CONCURRENT_WRITES = 100;

/**
 * Kept by the owner of the claim and not by the submission: a later request with the same key has its own claim to settle, and
 * must not replace what an earlier one still has to report.
 *
 * @param write reports to the store how one claim ended; rejects when the store did not confirm it
 * @param idOf the submission that claims
 */
export const createUnsettled = <Claim extends { readonly owner: string }, Outcome, Accepted extends Outcome>(
  write: (claim: Claim, outcome: Outcome) => Promise<void>,
  idOf: (claim: Claim) => string,
  isAccepted: (outcome: Outcome) => outcome is Accepted,
): Unsettled<Claim, Outcome, Accepted> => {
  const byOwner = new Map<string, { claim: Claim; outcome: Outcome }>();
  /** by submission id, from before the first attempt on */
  const accepted = new Map<string, { claim: Claim; outcome: Accepted }>();

  const confirmed = (claim: Claim): void => {
    byOwner.delete(claim.owner);
    if (accepted.get(idOf(claim))?.claim.owner === claim.owner) accepted.delete(idOf(claim));
  };

  return {
    get size() {
      return byOwner.size;
    },
    settle: (claim, reported) => {
      const known = accepted.get(idOf(claim));
      // An acceptance is final, whatever its owner reports later.
      const outcome = known?.claim.owner === claim.owner ? known.outcome : reported;
      if (!known && isAccepted(outcome)) accepted.set(idOf(claim), { claim, outcome });
      return write(claim, outcome).then(
        () => confirmed(claim),
        () => void byOwner.set(claim.owner, { claim, outcome }),
      );
    },
    acceptedAs: (id) => accepted.get(id),
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
