import { systemTimers } from '@workspace/service-process';
import { StoreUnavailable } from '../../application/idempotency-store.ts';
import type { SequenceClaim } from '../../application/sequence-store.ts';
import { createMemorySequences } from '../../adapters/memory/memory-sequences.ts';
import { CallFailed } from './call-failed.ts';
import { createClaimReleases } from './claim-releases.ts';
import { createSharedSequences } from './shared-sequences.ts';

const by = (holder: string, number = 1): SequenceClaim => ({
  series: 's',
  number,
  holder,
  owner: `of ${holder}`,
});

/** Numbers on a server of which the next calls fail: it carries them out, or does not. */
const underTest = () => {
  const now = () => new Date(0);
  const server = createMemorySequences({ ttlMs: 60_000, leaseMs: 60_000, entries: 10, now });
  const faults: ('lost' | 'unanswered')[] = [];
  let settled = 0;
  const call = async <Answer>(carryOut: () => Promise<Answer>): Promise<Answer> => {
    const fault = faults.shift();
    if (fault === 'lost') throw new CallFailed('DISCONNECTED', false, 'lost');
    const answer = await carryOut();
    if (fault) throw new CallFailed('TIMEOUT', true, 'no answer');
    return answer;
  };
  const shared = createSharedSequences(
    () => ({
      take: (claim) => call(() => server.take(claim)),
      settle: (claim, outcome) => {
        settled += 1;
        return call(() => server.settle(claim, outcome));
      },
    }),
    (answer) => answer,
    createClaimReleases(systemTimers, 0),
    (time) => time,
  );
  return { shared, server, faults, settled: () => settled };
};

describe('numbers on a server', () => {
  it.each([
    ['lost', 0],
    ['unanswered', 1],
  ] as const)('are free when the claim was %s: given back %d times', async (fault, times) => {
    const { shared, server, faults, settled } = underTest();
    faults.push(fault);
    await expect(shared.take(by('a'))).rejects.toThrow(StoreUnavailable);
    await new Promise(setImmediate);
    expect(await server.take(by('b'))).toEqual({ state: 'taken' });
    expect([shared.unsettled, settled()]).toEqual([0, times]);
  });

  it.each(['accepted', 'not-published'] as const)(
    'are settled again until that is confirmed: %s',
    async (outcome) => {
      const { shared, server, faults } = underTest();
      await shared.take(by('a'));
      faults.push('lost', 'lost');
      await shared.settle(by('a'), outcome);
      await expect(shared.retry()).rejects.toThrow(CallFailed);
      expect([shared.unsettled, (await server.take(by('b', 2))).state]).toEqual([1, 'pending']);
      await shared.retry();
      expect(shared.unsettled).toBe(0);
      const expected = outcome === 'accepted' ? 2 : 1;
      expect(await server.take(by('b', expected))).toEqual({ state: 'taken' });
    },
  );
});
