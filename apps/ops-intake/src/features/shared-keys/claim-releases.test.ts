import { systemTimers } from '@workspace/service-process';
import { CallFailed } from './call-failed.ts';
import { createClaimReleases } from './claim-releases.ts';

const LONGEST_MS = 1_000;
const ARRIVED_MS = 5_000;

describe('what a rejected request may have claimed', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const givenBackAfter = async (claiming: Promise<unknown>) => {
    const release = createClaimReleases(systemTimers, LONGEST_MS);
    let times = 0;
    release.after(claiming, async () => void (times += 1));
    expect(times).toBe(0);
    await jest.advanceTimersByTimeAsync(ARRIVED_MS + LONGEST_MS - 1);
    const early = times;
    await jest.advanceTimersByTimeAsync(1);
    return { early, times, release };
  };

  it.each([
    ['the claim was carried out', Promise.resolve(), 1],
    ['the claim cannot arrive', Promise.reject(new CallFailed('DISCONNECTED', false, 'lost')), 1],
    ['the store refused it', Promise.reject(new CallFailed('OOM', true, 'full')), 1],
    ['of another error', Promise.reject(new Error('a bug')), 1],
    ['the connection was lost', Promise.reject(new CallFailed('DISCONNECTED', true, 'lost')), 2],
    ['there was no answer', Promise.reject(new CallFailed('TIMEOUT', true, 'no answer')), 2],
  ])('is given back, and once more when it can arrive late: %s', async (_case, claiming, expected) => {
    const { early, times } = await givenBackAfter(claiming);
    expect([early, times]).toEqual([1, expected]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is not given back later by a store that was closed', async () => {
    const release = createClaimReleases(systemTimers, LONGEST_MS);
    let times = 0;
    release.after(
      Promise.reject(new CallFailed('TIMEOUT', true, 'no answer')),
      async () => void (times += 1),
    );
    await jest.advanceTimersByTimeAsync(0);
    release.close();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(times).toBe(1);
  });
});
