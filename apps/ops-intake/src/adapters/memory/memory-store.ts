import type {
  Claim,
  IdempotencyStore,
  SyncKeyClaim,
  KeyOutcome,
  StoredOutcome,
} from '../../application/idempotency-store.ts';
import { acceptedSubmission } from '../../application/submission-record.ts';
import { KeyTable, NONE } from './key-table.ts';
import { createMemorySequences, type MemorySequencesOptions } from './memory-sequences.ts';

const IN_FLIGHT = 1;
const UNKNOWN = 2;
const ACCEPTED = 3;

export interface MemoryStoreOptions extends MemorySequencesOptions {
  /** milliseconds a series of numbers is remembered; as long as an answer when left out */
  sequenceTtlMs?: number | undefined;
}

const CLAIMED: Claim = { state: 'claimed', outcomeUnknown: false };
const CLAIMED_AGAIN: Claim = { state: 'claimed', outcomeUnknown: true };

/** An answer that comes sooner after its claim keeps its slot: moving an entry costs as much as adding it. */
const SOON_MS = 1_000;

const duration = (milliseconds: number): string =>
  milliseconds < 120_000
    ? `${Math.floor(milliseconds / 1_000)} s`
    : `${Math.floor(milliseconds / 60_000)} min`;

/** Keys of this process only, forgotten with it. Enough for one instance; several need a shared store. */
export const createMemoryStore = (options: MemoryStoreOptions): IdempotencyStore => {
  const { ttlMs, sequenceTtlMs = ttlMs, leaseMs, entries, now } = options;
  const { monotonic = () => now().getTime() } = options;
  let table = new KeyTable();
  const began = now();
  let evictions = 0;
  /** the last answer that was forgotten before its time: how old it became, and when its time would have been over */
  let evicted: { ageMs: number; endsAt: number } | undefined;

  const evict = (entry: number, time: number): void => {
    const endsAt = table.endsAt[entry]!;
    table.remove(entry);
    if (endsAt <= time) return;
    evictions += 1;
    evicted = { ageMs: time - (endsAt - ttlMs), endsAt };
  };

  /** Whether a record of it can still arrive in the log. */
  const isOnItsWay = (entry: number, time: number): boolean =>
    table.state[entry] !== ACCEPTED && table.leasedUntil[entry]! > time;

  /** What is on its way is never dropped: there is no more of that than the queue takes while a lease lasts. */
  const makeRoom = (time: number): void => {
    for (let left = table.size; left > 0 && table.size > entries; left -= 1) {
      const { oldest } = table;
      if (isOnItsWay(oldest, time)) table.touch(oldest);
      else evict(oldest, time);
    }
  };

  /** Whether the last attempt, or an earlier one, may have published without anyone knowing. */
  const isUnknown = (entry: number, time: number): boolean =>
    table.state[entry] === UNKNOWN || (table.state[entry] === IN_FLIGHT && table.leasedUntil[entry]! <= time);

  /** Whether an entry counts: it does not once its time is over. */
  const isAlive = (entry: number, time: number): boolean => entry !== NONE && table.endsAt[entry]! > time;

  const outcomeOf = (entry: number, id: string, time: number): StoredOutcome => {
    if (table.state[entry] === ACCEPTED) {
      const { operations, topic, partition, offset } = table;
      const receipt = { topic: topic[entry]!, partition: partition[entry]!, offset: offset[entry]! };
      return { state: 'accepted', answer: acceptedSubmission(id, operations[entry]!, receipt) };
    }
    if (!isUnknown(entry, time)) return { state: 'in-flight' };
    const claimedAt = new Date(Math.min(now().getTime(), table.claimedAt[entry]!));
    return { state: 'unknown', claimedAt, isLeased: isOnItsWay(entry, time) };
  };

  const claim = (asked: SyncKeyClaim): Claim => {
    const { id, fingerprint, owner, principal, isAbsent } = asked;
    const time = monotonic();
    const found = table.find(id);
    const outcomeUnknown = isAlive(found, time);
    let claimedAt = now().getTime();
    if (outcomeUnknown) {
      if (!table.hasFingerprint(found, fingerprint)) return { state: 'reused' };
      if (table.state[found] === ACCEPTED) table.touch(found);
      const known = outcomeOf(found, id, time);
      if (known.state !== 'unknown' || known.isLeased || !isAbsent) return known;
      claimedAt = known.claimedAt.getTime();
    }
    if (found !== NONE) table.touch(found);
    const entry = found === NONE ? table.add() : found;
    table.setFingerprint(entry, fingerprint);
    table.owner[entry] = owner;
    table.principal[entry] = principal;
    table.state[entry] = IN_FLIGHT;
    table.earlierUnknown[entry] = Number(outcomeUnknown);
    table.claimedAt[entry] = claimedAt;
    table.leasedUntil[entry] = time + leaseMs;
    table.endsAt[entry] = time + Math.max(ttlMs, leaseMs);
    asked.slot = entry;
    return outcomeUnknown ? CLAIMED_AGAIN : CLAIMED;
  };

  const settle = (asked: SyncKeyClaim, outcome: KeyOutcome): void => {
    const { id, owner, fingerprint, principal, slot } = asked;
    const time = monotonic();
    // What it still owns has its id: owners are unique.
    const found = table.owner[slot] === owner ? slot : table.find(id);
    const isKnown = isAlive(found, time);
    const isOwner = isKnown && table.owner[found] === owner;
    const isAccepted = outcome.outcome === 'accepted';
    // An acceptance counts, whoever reports it; the first answer stays.
    if (isKnown && (isAccepted || !isOwner)) {
      if (table.state[found] === ACCEPTED || !table.hasFingerprint(found, fingerprint)) return;
    }
    if (outcome.outcome === 'not-published') {
      if (!isOwner) return;
      if (!table.earlierUnknown[found]) {
        table.remove(found);
        return;
      }
    }
    if (outcome.outcome === 'unknown' && isKnown && !isOwner) {
      if (table.state[found] === IN_FLIGHT) table.earlierUnknown[found] = 1;
      return;
    }
    const entry = found === NONE ? table.add() : found;
    if (!isKnown) {
      table.setFingerprint(entry, fingerprint);
      table.principal[entry] = undefined;
      // Nothing is known of an attempt that this store has no entry for.
      table.claimedAt[entry] = 0;
      table.leasedUntil[entry] = time + leaseMs;
    }
    table.owner[entry] = undefined;
    table.state[entry] = isAccepted ? ACCEPTED : UNKNOWN;
    table.earlierUnknown[entry] = 0;
    table.principal[entry] ??= principal;
    table.endsAt[entry] = time + ttlMs;
    if (isAccepted) {
      const { operations, topic, partition, offset } = outcome.answer;
      table.operations[entry] = operations;
      table.topic[entry] = topic;
      table.partition[entry] = partition;
      table.offset[entry] = offset;
    }
    if (!isKnown || time - (table.leasedUntil[entry]! - leaseMs) > SOON_MS) table.touch(entry);
    makeRoom(time);
  };

  const find = async (id: string, principal: string | undefined): Promise<StoredOutcome | undefined> => {
    const time = monotonic();
    const entry = table.find(id);
    if (!isAlive(entry, time) || table.principal[entry] !== principal) return undefined;
    return outcomeOf(entry, id, time);
  };

  /** Until the last evicted answer's time is over, answers are known to be forgotten too early. */
  const warning = (): string | undefined => {
    if (!evicted || evicted.endsAt <= monotonic()) return undefined;
    return `full: ${entries} answers; the last one dropped was ${duration(evicted.ageMs)} old instead of ${duration(ttlMs)}`;
  };

  return {
    sync: { claim, settle },
    claim: async (asked) => claim({ ...asked, slot: NONE }),
    settle: async (asked, outcome) => settle({ ...asked, slot: NONE }, outcome),
    find,
    sequences: createMemorySequences({ ttlMs: sequenceTtlMs, leaseMs, entries, now, monotonic }),
    since: () => began,
    status: () => {
      const text = warning();
      return {
        ...(text !== undefined && { warning: text }),
        unsettled: 0,
        evictions,
        use: { unit: 'answers', used: table.size, capacity: entries },
      };
    },
    close: async () => {
      table = new KeyTable();
    },
  };
};
