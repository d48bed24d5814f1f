import type {
  Claim,
  IdempotencyStore,
  KeyClaim,
  KeyOutcome,
  StoredOutcome,
} from '../../application/idempotency-store.ts';
import type { AcceptedSubmission } from '../../application/submission-record.ts';

interface Entry {
  fingerprint: string;
  owner: string;
  state: 'in-flight' | 'unknown' | 'accepted';
  /** an attempt before the one in flight may have published the submission */
  earlierUnknown: boolean;
  principal: string | undefined;
  /** epoch milliseconds of the first attempt whose outcome is not known */
  claimedAt: number;
  /** epoch milliseconds until which what the last attempt sent may still arrive */
  leasedUntil: number;
  answer?: AcceptedSubmission;
  /** epoch milliseconds; a claim in flight has no end: this process ends first */
  endsAt: number;
}

export interface MemoryStoreOptions {
  /** milliseconds an answer is remembered */
  ttlMs: number;
  /** milliseconds a submission can be on its way; longer than any send can take */
  leaseMs: number;
  /** most answers remembered; the least recently used go first */
  entries: number;
  now: () => Date;
}

const duration = (milliseconds: number): string =>
  milliseconds < 120_000
    ? `${Math.floor(milliseconds / 1_000)} s`
    : `${Math.floor(milliseconds / 60_000)} min`;

/** Keys of this process only, forgotten with it. Enough for one instance; several need a shared store. */
export const createMemoryStore = ({ ttlMs, leaseMs, entries, now }: MemoryStoreOptions): IdempotencyStore => {
  const byId = new Map<string, Entry>();
  const began = now();
  let evictions = 0;
  /** the last answer that was forgotten before its time: how old it became, and when its time would have been over */
  let evicted: { ageMs: number; endsAt: number } | undefined;

  const touch = (id: string, entry: Entry): void => {
    byId.delete(id);
    byId.set(id, entry);
  };

  const evict = (id: string, { endsAt }: Entry): void => {
    byId.delete(id);
    const time = now().getTime();
    if (endsAt <= time) return;
    evictions += 1;
    evicted = { ageMs: time - (endsAt - ttlMs), endsAt };
  };

  /** Whether a record of it can still arrive in the log. */
  const isOnItsWay = ({ state, leasedUntil }: Entry): boolean =>
    state === 'in-flight' || (state === 'unknown' && leasedUntil > now().getTime());

  /** What is on its way is never dropped: there is no more of that than the queue takes while a lease lasts. */
  const makeRoom = (): void => {
    for (const [id, entry] of byId) {
      if (byId.size <= entries) return;
      if (!isOnItsWay(entry)) evict(id, entry);
    }
  };

  const claim = async ({ id, fingerprint, owner, principal }: KeyClaim): Promise<Claim> => {
    const entry = byId.get(id);
    const time = now().getTime();
    const isKnown = entry !== undefined && entry.endsAt > time;
    if (isKnown) {
      if (entry.fingerprint !== fingerprint) return { state: 'reused' };
      if (entry.state === 'in-flight') return { state: 'in-flight' };
      if (entry.answer) {
        touch(id, entry);
        return { state: 'accepted', answer: entry.answer };
      }
    }
    const outcomeUnknown = isKnown && entry.state === 'unknown';
    touch(id, {
      fingerprint,
      owner,
      principal,
      state: 'in-flight',
      earlierUnknown: outcomeUnknown,
      claimedAt: outcomeUnknown ? entry.claimedAt : time,
      leasedUntil: time + leaseMs,
      endsAt: Infinity,
    });
    return { state: 'claimed', outcomeUnknown };
  };

  const settle = async ({ id, owner, fingerprint }: KeyClaim, outcome: KeyOutcome): Promise<void> => {
    const entry = byId.get(id);
    if (!entry) return;
    // That it was accepted is a fact, whoever tells it; the first answer stays. A claim in flight has no end here, so no other
    // request can have taken it over.
    const counts =
      outcome.outcome === 'accepted'
        ? !entry.answer && entry.fingerprint === fingerprint
        : entry.owner === owner;
    if (!counts) return;
    if (outcome.outcome === 'not-published' && !entry.earlierUnknown) {
      byId.delete(id);
      return;
    }
    const { principal, claimedAt, leasedUntil } = entry;
    const endsAt = now().getTime() + ttlMs;
    const kept = { fingerprint, owner, principal, claimedAt, leasedUntil, earlierUnknown: false, endsAt };
    touch(
      id,
      outcome.outcome === 'accepted'
        ? { ...kept, state: 'accepted', answer: outcome.answer }
        : { ...kept, state: 'unknown' },
    );
    makeRoom();
  };

  const find = async (id: string, principal: string | undefined): Promise<StoredOutcome | undefined> => {
    const entry = byId.get(id);
    if (!entry || entry.principal !== principal || entry.endsAt <= now().getTime()) return undefined;
    if (entry.answer) return { outcome: 'accepted', answer: entry.answer };
    if (entry.state === 'in-flight') return { outcome: 'in-flight' };
    return { outcome: 'unknown', claimedAt: new Date(entry.claimedAt), isLeased: isOnItsWay(entry) };
  };

  /** Until the last evicted answer's time is over, answers are known to be forgotten too early. */
  const warning = (): string | undefined => {
    if (!evicted || evicted.endsAt <= now().getTime()) return undefined;
    return `full: ${entries} answers; the last one dropped was ${duration(evicted.ageMs)} old instead of ${duration(ttlMs)}`;
  };

  return {
    claim,
    settle,
    find,
    since: () => began,
    status: () => {
      const text = warning();
      return {
        ...(text !== undefined && { warning: text }),
        unsettled: 0,
        evictions,
        use: { unit: 'answers', used: byId.size, capacity: entries },
      };
    },
    close: async () => byId.clear(),
  };
};
