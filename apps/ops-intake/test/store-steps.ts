import fc from 'fast-check';
import type { IdempotencyStore, KeyClaim, KeyOutcome } from '../src/application/idempotency-store.ts';
import { acceptedSubmission } from '../src/application/submission-record.ts';

const OUTCOMES: Readonly<Record<KeyOutcome['outcome'], KeyOutcome>> = {
  accepted: {
    outcome: 'accepted',
    answer: acceptedSubmission('id', 1, { topic: 't', partition: 0, offset: 7 }),
  },
  'not-published': { outcome: 'not-published', reason: 'withdrawn' },
  unknown: { outcome: 'unknown' },
};

/** A call to a store, on one of a few keys. */
export interface Step {
  readonly call: 'claim' | 'settle' | 'find';
  readonly key: string;
  readonly fingerprint: string;
  readonly owner: string;
  readonly isAbsent: boolean;
  readonly outcome: KeyOutcome['outcome'];
}

const pick = <Value>(...values: Value[]) => fc.constantFrom(...values);

/** Any call on any of these keys, with any of these payloads. */
export const stepsOn = (keys: readonly string[], fingerprints: readonly string[]): fc.Arbitrary<Step> =>
  fc.record({
    call: pick<Step['call']>('claim', 'claim', 'settle', 'settle', 'find'),
    key: pick(...keys),
    fingerprint: pick(...fingerprints),
    owner: pick('1', '2', '3'),
    isAbsent: fc.boolean(),
    outcome: pick<KeyOutcome['outcome']>('accepted', 'not-published', 'unknown'),
  });

/** Of the time only whether it is known: clocks differ. */
const timeless = (answer: unknown): string =>
  JSON.stringify(answer ?? null, (name, value: unknown) =>
    name === 'claimedAt' ? String(value).startsWith('1970') : name === 'submissionId' ? 'id' : value,
  );

/** Makes a call. @returns the answer, without what differs from store to store */
export const take = async (
  store: IdempotencyStore,
  id: string,
  { call, fingerprint, owner, isAbsent, outcome }: Step,
): Promise<string> => {
  // An owner has one payload.
  const claim: KeyClaim = { id, fingerprint, owner: owner + fingerprint, isAbsent };
  if (call === 'claim') return timeless(await store.claim(claim));
  if (call === 'find') return timeless(await store.find(id, undefined));
  return timeless(await store.settle(claim, OUTCOMES[outcome]));
};
