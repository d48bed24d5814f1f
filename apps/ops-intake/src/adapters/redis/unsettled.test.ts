import type { KeyClaim, Settlement } from '../../application/idempotency-store.ts';
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
const acknowledged: Settlement = { outcome: 'acknowledged', answer };
const rejected: Settlement = { outcome: 'rejected' };

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

describe('settlements that the store has not confirmed', () => {
  it('of different claims on one key never replace each other', async () => {
    const { unsettled, told, recover } = underTest();
    await unsettled.settle(by('first'), acknowledged);
    // A retry while the store is unavailable: its claim may have been heard, and is released.
    await unsettled.settle(by('second'), rejected);
    expect(unsettled.size).toBe(2);
    recover();
    await unsettled.retry();
    expect(told).toEqual(['first acknowledged', 'second rejected']);
    expect(unsettled.size).toBe(0);
  });

  it('answer their key until the store does', async () => {
    const { unsettled, recover } = underTest();
    await unsettled.settle(by('first'), acknowledged);
    expect(unsettled.answerTo('id')).toMatchObject({ fingerprint: 'f', answer });
    recover();
    await unsettled.retry();
    expect(unsettled.answerTo('id')).toBeUndefined();
  });

  it('stay when a retry fails', async () => {
    const { unsettled } = underTest();
    await unsettled.settle(by('first'), acknowledged);
    await expect(unsettled.retry()).rejects.toThrow('READONLY');
    expect(unsettled.size).toBe(1);
  });
});
