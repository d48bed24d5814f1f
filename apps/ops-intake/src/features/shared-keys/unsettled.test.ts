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

const unsettledBy = (write: (claim: KeyClaim, outcome: KeyOutcome) => Promise<void>) =>
  createUnsettled(
    write,
    ({ id }) => id,
    (outcome) => outcome.outcome === 'accepted',
  );

const underTest = () => {
  const settled: string[] = [];
  let isAvailable = false;
  const unsettled = unsettledBy(async ({ owner }, { outcome }) => {
    if (!isAvailable) throw new Error('READONLY');
    settled.push(`${owner} ${outcome}`);
  });
  return {
    unsettled,
    settled,
    recover: () => {
      isAvailable = true;
    },
  };
};

describe('outcomes that the store has not confirmed', () => {
  it('of different claims on one key never replace each other', async () => {
    const { unsettled, settled, recover } = underTest();
    await unsettled.settle(by('first'), accepted);
    // A retry while the store is unavailable: its claim may have arrived, and is released.
    await unsettled.settle(by('second'), notPublished);
    expect(unsettled.size).toBe(2);
    recover();
    await unsettled.retry();
    expect(settled).toEqual(['first accepted', 'second not-published']);
    expect(unsettled.size).toBe(0);
  });

  it('answer their key until the store does', async () => {
    const { unsettled, recover } = underTest();
    await unsettled.settle(by('first'), accepted);
    expect(unsettled.acceptedAs('id')).toEqual({ claim: by('first'), outcome: accepted });
    recover();
    await unsettled.retry();
    expect(unsettled.acceptedAs('id')).toBeUndefined();
  });

  it('answer with what the first claim was told, until that is confirmed', async () => {
    const { unsettled, recover } = underTest();
    await unsettled.settle(by('withdrawn', 'other'), notPublished);
    expect(unsettled.acceptedAs('other')).toBeUndefined();
    await unsettled.settle(by('first'), accepted);
    recover();
    await unsettled.settle(by('second'), { outcome: 'accepted', answer: { ...answer, offset: 8 } });
    expect(unsettled.acceptedAs('id')).toMatchObject({ outcome: accepted });
    await unsettled.settle(by('first'), accepted);
    expect([unsettled.acceptedAs('id'), unsettled.size]).toEqual([undefined, 1]);
  });

  it.each([
    ['not-published', notPublished],
    ['unknown', { outcome: 'unknown' } as KeyOutcome],
  ])('are final once accepted: a later %s of the same claim does not replace it', async (_name, later) => {
    const { unsettled, settled, recover } = underTest();
    await unsettled.settle(by('first'), accepted);
    await unsettled.settle(by('first'), later);
    recover();
    await unsettled.retry();
    expect([settled, unsettled.size]).toEqual([['first accepted'], 0]);
  });

  it('are sent again a hundred at a time', async () => {
    const waiting: (() => void)[] = [];
    let isAvailable = false;
    const unsettled = unsettledBy(() =>
      isAvailable ? new Promise((resolve) => waiting.push(resolve)) : Promise.reject(new Error('READONLY')),
    );
    for (let at = 0; at < 201; at += 1) await unsettled.settle(by(`${at}`), notPublished);
    isAvailable = true;
    const retried = unsettled.retry();
    const sent: number[] = [];
    while (unsettled.size > 0) {
      sent.push(waiting.length);
      for (const confirm of waiting.splice(0)) confirm();
      await new Promise(setImmediate);
    }
    await retried;
    expect(sent).toEqual([100, 100, 1]);
  });

  it('stay when a retry fails', async () => {
    const { unsettled } = underTest();
    await unsettled.settle(by('first'), accepted);
    await expect(unsettled.retry()).rejects.toThrow('READONLY');
    expect(unsettled.size).toBe(1);
  });
});
