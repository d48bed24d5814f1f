import type {
  Claim,
  IdempotencyStore,
  KeyClaim,
  KeyOutcome,
  StoredOutcome,
} from '../../application/idempotency-store.ts';
import type { AcceptedSubmission } from '../../application/submission-record.ts';
import { createMemorySequences } from './memory-sequences.ts';

interface Entry {
  fingerprint: string;
  /** of the claim in flight */
  owner: string | undefined;
  state: 'in-flight' | 'unknown' | 'accepted';
  /** an attempt before the one in flight may have published the submission */
  earlierUnknown: boolean;
  principal: string | undefined;
  /** epoch milliseconds of the first attempt whose outcome is not known */
  claimedAt: number;
  /** epoch milliseconds until which what the last attempt sent may still arrive */
  leasedUntil: number;
  answer?: AcceptedSubmission;
  /** epoch milliseconds */
  endsAt: number;
}

export interface MemoryStoreOptions {
  /** milliseconds an answer is remembered */
  ttlMs: number;
  /** milliseconds a series of numbers is remembered; as long as an answer when left out */
  sequenceTtlMs?: number | undefined;
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
export const createMemoryStore = (options: MemoryStoreOptions): IdempotencyStore => {
  const { ttlMs, sequenceTtlMs = ttlMs, leaseMs, entries, now } = options;
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
    state !== 'accepted' && leasedUntil > now().getTime();

  /** From the least recently used on. A new iterator would pass all that was deleted since the map was last rebuilt. */
  let oldest = byId.entries();

  /** What is on its way is never dropped: there is no more of that than the queue takes while a lease lasts. */
  const makeRoom = (): void => {
    for (let left = byId.size; left > 0 && byId.size > entries; left -= 1) {
      const { value, done } = oldest.next();
      if (done) oldest = byId.entries();
      else if (isOnItsWay(value[1])) touch(...value);
      else evict(...value);
    }
  };

  /** Whether the last attempt, or an earlier one, may have published without anyone knowing. */
  const isUnknown = ({ state, leasedUntil }: Entry): boolean =>
    state === 'unknown' || (state === 'in-flight' && leasedUntil <= now().getTime());

  const known = (id: string): Entry | undefined => {
    const entry = byId.get(id);
    return entry && entry.endsAt > now().getTime() ? entry : undefined;
  };

  const claim = async ({ id, fingerprint, owner, principal, isAbsent }: KeyClaim): Promise<Claim> => {
    const entry = known(id);
    const time = now().getTime();
    if (entry) {
      if (entry.fingerprint !== fingerprint) return { state: 'reused' };
      if (entry.answer) {
        touch(id, entry);
        return { state: 'accepted', answer: entry.answer };
      }
      if (!isUnknown(entry)) return { state: 'in-flight' };
      const isLeased = isOnItsWay(entry);
      if (isLeased || !isAbsent) return { state: 'unknown', claimedAt: new Date(entry.claimedAt), isLeased };
    }
    const outcomeUnknown = entry !== undefined;
    touch(id, {
      fingerprint,
      owner,
      principal,
      state: 'in-flight',
      earlierUnknown: outcomeUnknown,
      claimedAt: entry?.claimedAt ?? time,
      leasedUntil: time + leaseMs,
      endsAt: time + Math.max(ttlMs, leaseMs),
    });
    return { state: 'claimed', outcomeUnknown };
  };

  const settle = async (
    { id, owner, fingerprint, principal }: KeyClaim,
    outcome: KeyOutcome,
  ): Promise<void> => {
    const entry = known(id);
    const isOwner = entry?.owner === owner;
    const isAccepted = outcome.outcome === 'accepted';
    // An acceptance counts, whoever reports it; the first answer stays.
    if (entry && (isAccepted || !isOwner) && (entry.answer || entry.fingerprint !== fingerprint)) return;
    if (outcome.outcome === 'not-published') {
      if (!isOwner) return;
      if (!entry.earlierUnknown) {
        byId.delete(id);
        return;
      }
    }
    if (outcome.outcome === 'unknown' && entry && !isOwner) {
      if (entry.state === 'in-flight') entry.earlierUnknown = true;
      return;
    }
    const time = now().getTime();
    touch(id, {
      fingerprint,
      owner: undefined,
      principal: entry?.principal ?? principal,
      // Nothing is known of an attempt that this store has no entry for.
      claimedAt: entry?.claimedAt ?? 0,
      leasedUntil: entry?.leasedUntil ?? time + leaseMs,
      earlierUnknown: false,
      endsAt: time + ttlMs,
      ...(isAccepted ? { state: 'accepted', answer: outcome.answer } : { state: 'unknown' }),
    });
    makeRoom();
  };

  const find = async (id: string, principal: string | undefined): Promise<StoredOutcome | undefined> => {
    const entry = known(id);
    if (!entry || entry.principal !== principal) return undefined;
    if (entry.answer) return { outcome: 'accepted', answer: entry.answer };
    if (!isUnknown(entry)) return { outcome: 'in-flight' };
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
    sequences: createMemorySequences({ ttlMs: sequenceTtlMs, leaseMs, entries, now }),
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
