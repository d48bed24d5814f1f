import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { createMemoryStore } from '../src/adapters/memory/memory-store.ts';
import type {
  IdempotencyStore,
  KeyClaim,
  KeyOutcome,
  StoredOutcome,
} from '../src/application/idempotency-store.ts';
import { acceptedSubmission } from '../src/application/submission-record.ts';
import { expectedLife, KEY_STATES, lifeIn } from './key-life.ts';
import { testSequences } from './sequence-store-suite.ts';
import { testBatches } from './store-batches-suite.ts';
import { stepsOn, take } from './store-steps.ts';

export interface StoreTimes {
  /** milliseconds an answer is remembered */
  ttlMs: number;
  /** milliseconds a claim holds */
  leaseMs: number;
}

export interface StoreUnderTest {
  /** Opens a store, ready to be used; those that share a server see each other's keys. */
  open(times: StoreTimes): Promise<IdempotencyStore>;
  /** Lets time pass for the stores. */
  pass(milliseconds: number): Promise<void>;
}

const HOUR_MS = 3_600_000;
const LASTING: StoreTimes = { ttlMs: HOUR_MS, leaseMs: HOUR_MS };
/** Leases are over as soon as they have begun. */
const LEASELESS: StoreTimes = { ttlMs: HOUR_MS, leaseMs: 1 };

const unknown: KeyOutcome = { outcome: 'unknown' };
const notPublished: KeyOutcome = { outcome: 'not-published', reason: 'withdrawn' };
const acceptedAt = (id: string, offset = 7): KeyOutcome & { outcome: 'accepted' } => ({
  outcome: 'accepted',
  answer: acceptedSubmission(id, 1, { topic: 't', partition: 0, offset }),
});
const ABSENT = { isAbsent: true };
const by = (owner: string, id: string, more: Partial<KeyClaim> = {}): KeyClaim => ({
  id,
  fingerprint: 'f',
  owner,
  ...more,
});

/** What every key store does, whatever keeps its keys. */
export const testIdempotencyStore = ({ open, pass }: StoreUnderTest): void => {
  describe('numbers', () => testSequences({ open, pass }));

  let id: string;
  beforeEach(() => {
    id = randomUUID();
  });

  it('gives a key to one of many who claim it at once', async () => {
    const store = await open(LASTING);
    const claims = await Promise.all(
      Array.from({ length: 50 }, (_, owner) => store.claim(by(`${owner}`, id))),
    );
    expect(claims.filter(({ state }) => state === 'claimed')).toEqual([
      { state: 'claimed', outcomeUnknown: false },
    ]);
    expect(claims.filter(({ state }) => state === 'in-flight')).toHaveLength(49);
  });

  it.each(KEY_STATES)('changes a key that is %s, %s, as the table of its life says', async (state, lease) => {
    const store = await open(lease === 'over' ? LEASELESS : LASTING);
    const letPass = (): Promise<void> => (lease === 'over' ? pass(2) : Promise.resolve());
    expect(await lifeIn(store, state, lease, letPass)).toEqual(expectedLife(state, lease));
  });

  it('gives a key of unknown outcome again when the log does not have it, and it stays unknown until it is accepted', async () => {
    const store = await open(LEASELESS);
    await store.claim(by('first', id));
    await store.settle(by('first', id), unknown);
    await pass(2);
    const { claimedAt } = (await store.find(id, undefined)) as StoredOutcome & { state: 'unknown' };
    expect(await store.claim(by('second', id))).toEqual({ state: 'unknown', claimedAt, isLeased: false });
    expect(await store.claim(by('second', id, ABSENT))).toEqual({ state: 'claimed', outcomeUnknown: true });
    await store.settle(by('second', id), notPublished);
    await pass(2);
    expect(await store.find(id, undefined)).toMatchObject({ state: 'unknown' });
    expect(await store.claim(by('third', id))).toEqual({ state: 'unknown', claimedAt, isLeased: false });
    expect(await store.claim(by('third', id, ABSENT))).toEqual({ state: 'claimed', outcomeUnknown: true });
    await store.settle(by('third', id), acceptedAt(id));
    expect(await store.claim(by('fourth', id, ABSENT))).toMatchObject({ state: 'accepted' });
  });

  it('gives a key away whose lease is over, and its outcome is unknown', async () => {
    const store = await open(LEASELESS);
    await store.claim(by('first', id));
    const first = await store.find(id, undefined);
    await pass(2);
    const found = await store.find(id, undefined);
    expect(found).toMatchObject({ state: 'unknown', isLeased: false });
    expect(await store.claim(by('second', id))).toMatchObject({ state: 'unknown', isLeased: false });
    expect(await store.claim(by('second', id, ABSENT))).toEqual({ state: 'claimed', outcomeUnknown: true });
    await store.settle(by('first', id), notPublished);
    await store.settle(by('second', id), unknown);
    await pass(2);
    // When the first attempt began.
    expect(await store.find(id, undefined)).toEqual(found);
    await store.settle(by('first', id), acceptedAt(id));
    expect(await store.claim(by('third', id))).toMatchObject({ state: 'accepted' });
    expect(['in-flight', 'unknown']).toContain(first?.state);
  });

  it('forgets everything after its time', async () => {
    const store = await open({ ttlMs: 1, leaseMs: 1 });
    for (const outcome of [undefined, unknown, acceptedAt(id)]) {
      await store.claim(by('owner', id));
      if (outcome) await store.settle(by('owner', id), outcome);
      await pass(3);
      expect(await store.find(id, undefined)).toBeUndefined();
      const claim = await store.claim(by('retry', id, { fingerprint: 'another payload' }));
      expect(claim).toEqual({ state: 'claimed', outcomeUnknown: false });
      await pass(3);
    }
  });

  it('shows a submission to its principal only', async () => {
    const store = await open(LASTING);
    const claim = by('owner', id, { principal: 'alice' });
    await store.claim(claim);
    expect(await store.find(id, 'alice')).toEqual({ state: 'in-flight' });
    await store.settle(claim, acceptedAt(id));
    expect(await store.find(id, 'alice')).toMatchObject({ state: 'accepted' });
    expect(await store.find(id, 'bob')).toBeUndefined();
    expect(await store.find(id, undefined)).toBeUndefined();
  });

  it('reports since when it has kept every key, which does not change', async () => {
    const store = await open(LASTING);
    await store.claim(by('owner', id));
    const since = store.since();
    expect(since).toBeInstanceOf(Date);
    await pass(2);
    await store.claim(by('owner', randomUUID()));
    expect(await store.find(randomUUID(), undefined)).toBeUndefined();
    expect(store.since()).toEqual(since);
    expect(store.status().loss).toBeUndefined();
  });

  it('does what the store in memory does, in any order', async () => {
    const steps = fc.array(stepsOn(['a', 'b'], ['f', 'g']), { minLength: 1, maxLength: 12 });
    for (const times of [LASTING, LEASELESS]) {
      const store = await open(times);
      await fc.assert(
        fc.asyncProperty(steps, async (history) => {
          let time = Date.UTC(2026, 0);
          const model = createMemoryStore({ ...times, entries: 100, now: () => new Date(time) });
          const ids: Record<string, string> = { a: randomUUID(), b: randomUUID() };
          for (const step of history) {
            const [actual, expected] = [
              await take(store, ids[step.key]!, step),
              await take(model, step.key, step),
            ];
            expect(actual).toEqual(expected);
            if (times === LEASELESS) {
              time += 2;
              await pass(2);
            }
          }
        }),
        { numRuns: times === LEASELESS ? 30 : 100 },
      );
    }
  });

  testBatches({ open, pass }, LASTING, LEASELESS);
};
