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
  answer: AcceptedSubmission | undefined;
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

/** An answer that comes sooner after its claim keeps the place of that: moving an entry costs as much as adding it. */
const SOON_MS = 1_000;

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

  const evict = (id: string, { endsAt }: Entry, time: number): void => {
    byId.delete(id);
    if (endsAt <= time) return;
    evictions += 1;
    evicted = { ageMs: time - (endsAt - ttlMs), endsAt };
  };

  /** Whether a record of it can still arrive in the log. */
  const isOnItsWay = ({ state, leasedUntil }: Entry, time: number): boolean =>
    state !== 'accepted' && leasedUntil > time;

  /** From the least recently used on. A new iterator would pass all that was deleted since the map was last rebuilt. */
  let oldest = byId.entries();

  /** What is on its way is never dropped: there is no more of that than the queue takes while a lease lasts. */
  const makeRoom = (time: number): void => {
    for (let left = byId.size; left > 0 && byId.size > entries; left -= 1) {
      const { value, done } = oldest.next();
      if (done) oldest = byId.entries();
      else if (isOnItsWay(value[1], time)) touch(...value);
      else evict(...value, time);
    }
  };

  /** Whether the last attempt, or an earlier one, may have published without anyone knowing. */
  const isUnknown = ({ state, leasedUntil }: Entry, time: number): boolean =>
    state === 'unknown' || (state === 'in-flight' && leasedUntil <= time);

  /** What counts of an entry: nothing once its time is over. */
  const alive = (entry: Entry | undefined, time: number): Entry | undefined =>
    entry && entry.endsAt > time ? entry : undefined;
  const known = (id: string, time: number): Entry | undefined => alive(byId.get(id), time);

  const claim = ({ id, fingerprint, owner, principal, isAbsent }: KeyClaim): Claim => {
    const time = now().getTime();
    const stored = byId.get(id);
    const entry = alive(stored, time);
    if (entry) {
      if (entry.fingerprint !== fingerprint) return { state: 'reused' };
      if (entry.answer) {
        touch(id, entry);
        return { state: 'accepted', answer: entry.answer };
      }
      if (!isUnknown(entry, time)) return { state: 'in-flight' };
      const isLeased = isOnItsWay(entry, time);
      if (isLeased || !isAbsent) return { state: 'unknown', claimedAt: new Date(entry.claimedAt), isLeased };
    }
    const outcomeUnknown = entry !== undefined;
    if (stored) byId.delete(id);
    byId.set(id, {
      fingerprint,
      owner,
      principal,
      state: 'in-flight',
      earlierUnknown: outcomeUnknown,
      claimedAt: entry?.claimedAt ?? time,
      leasedUntil: time + leaseMs,
      answer: undefined,
      endsAt: time + Math.max(ttlMs, leaseMs),
    });
    return { state: 'claimed', outcomeUnknown };
  };

  const settle = ({ id, owner, fingerprint, principal }: KeyClaim, outcome: KeyOutcome): void => {
    const time = now().getTime();
    const entry = known(id, time);
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
    const settled: Entry = entry ?? {
      fingerprint,
      owner: undefined,
      principal,
      state: 'unknown',
      earlierUnknown: false,
      // Nothing is known of an attempt that this store has no entry for.
      claimedAt: 0,
      leasedUntil: time + leaseMs,
      answer: undefined,
      endsAt: 0,
    };
    settled.owner = undefined;
    settled.state = isAccepted ? 'accepted' : 'unknown';
    settled.earlierUnknown = false;
    settled.principal ??= principal;
    settled.answer = isAccepted ? outcome.answer : undefined;
    settled.endsAt = time + ttlMs;
    if (!entry || time - (entry.leasedUntil - leaseMs) > SOON_MS) touch(id, settled);
    makeRoom(time);
  };

  const find = async (id: string, principal: string | undefined): Promise<StoredOutcome | undefined> => {
    const time = now().getTime();
    const entry = known(id, time);
    if (!entry || entry.principal !== principal) return undefined;
    if (entry.answer) return { outcome: 'accepted', answer: entry.answer };
    if (!isUnknown(entry, time)) return { outcome: 'in-flight' };
    return { outcome: 'unknown', claimedAt: new Date(entry.claimedAt), isLeased: isOnItsWay(entry, time) };
  };

  /** Until the last evicted answer's time is over, answers are known to be forgotten too early. */
  const warning = (): string | undefined => {
    if (!evicted || evicted.endsAt <= now().getTime()) return undefined;
    return `full: ${entries} answers; the last one dropped was ${duration(evicted.ageMs)} old instead of ${duration(ttlMs)}`;
  };

  return {
    atOnce: { claim, settle },
    claim: async (asked) => claim(asked),
    settle: async (asked, outcome) => settle(asked, outcome),
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
