import type { KeyClaim, KeyOutcome } from '../../application/idempotency-store.ts';
import { createUnsettled } from './unsettled.ts';

const by = (owner: string, id = 'id'): KeyClaim => ({ id, fingerprint: 'f', owner });
const answer = {
  message: '1 operation accepted',
  submissionId: 'id',
  operations: 1,
  topic: 't',
  partition: 0,
  offset: 7,
};
const accepted: KeyOutcome = { outcome: 'accepted', answer };
const notPublished: KeyOutcome = { outcome: 'not-published', reason: 'withdrawn' };

const underTest = () => {
  const told: string[] = [];
  let isAvailable = false;
  const unsettled = createUnsettled(async ({ owner }, { outcome }) => {
    if (!isAvailable) throw new Error('READONLY');
    told.push(`${owner} ${outcome}`);
  });
  return {
    unsettled,
    told,
    recover: () => {
      isAvailable = true;
    },
  };
};

describe('outcomes that the store has not confirmed', () => {
  it('of different claims on one key never replace each other', async () => {
    const { unsettled, told, recover } = underTest();
    await unsettled.settle(by('first'), accepted);
    // A retry while the store is unavailable: its claim may have arrived, and is released.
    await unsettled.settle(by('second'), notPublished);
    expect(unsettled.size).toBe(2);
    recover();
    await unsettled.retry();
    expect(told).toEqual(['first accepted', 'second not-published']);
    expect(unsettled.size).toBe(0);
  });

  it('answer their key until the store does', async () => {
    const { unsettled, recover } = underTest();
    await unsettled.settle(by('first'), accepted);
    expect(unsettled.answerTo('id')).toMatchObject({ fingerprint: 'f', answer });
    recover();
    await unsettled.retry();
    expect(unsettled.answerTo('id')).toBeUndefined();
  });

  it('stay when a retry fails', async () => {
    const { unsettled } = underTest();
    await unsettled.settle(by('first'), accepted);
    await expect(unsettled.retry()).rejects.toThrow('READONLY');
    expect(unsettled.size).toBe(1);
  });
});
