import type { RateLimit } from '@workspace/service-kit/rate-limit';
import { createMetrics } from '@workspace/service-process';
import { captureLogger } from '@workspace/testing';
import { openRateLimitStore } from './index.ts';

const LIMIT: RateLimit = { requests: 3, per: 'hour' };
const DOWN = 'rate limit store unavailable; this instance limits clients by itself';
const UP = 'rate limit store available';

/** A store that answers on request. */
const underTest = async () => {
  const { logger, lines } = captureLogger();
  const commands: { answer: (balance: string) => void; fail: (error: Error) => void }[] = [];
  const store = await openRateLimitStore({
    store: () => new Promise((answer, fail) => commands.push({ answer, fail })),
    service: 'test',
    logger,
    metrics: createMetrics({ name: 'test', version: '1' }),
  });
  const take = () => store.take('a', 1, LIMIT);
  const next = () => commands.shift()!;
  return { take, next, messages: () => lines.map(({ msg }) => msg) };
};

describe('an outage of the rate limit store', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('does not end with an answer to a request from before it', async () => {
    const { take, next, messages } = await underTest();
    const [failing, late] = [take(), take()];
    next().fail(new Error('closed'));
    await failing;
    next().answer('2');
    expect(await late).toBe(2);
    expect(await take()).toBeUndefined();
    expect(messages()).toEqual([DOWN]);
  });

  it.each([[null], [1], ['nan'], ['4'], ['1e999'], [['2']]])(
    'begins with a reply that is no balance: the instance decides by itself (%#)',
    async (reply) => {
      const { take, next, messages } = await underTest();
      const taken = take();
      next().answer(reply as string);
      expect(await taken).toBeUndefined();
      expect(messages()).toEqual([DOWN]);
    },
  );

  it('is logged once, also when the store answers now and then', async () => {
    const { take, next, messages } = await underTest();
    for (let second = 0; second < 60; second += 1) {
      const taken = take();
      if (second % 2 === 0) next().fail(new Error('closed'));
      else next().answer('2');
      await taken;
      jest.advanceTimersByTime(1_000);
    }
    expect(messages()).toEqual([DOWN]);
  });

  it('is over when the store has answered for five seconds', async () => {
    const { take, next, messages } = await underTest();
    for (let outage = 0; outage < 8; outage += 1) {
      const failed = take();
      next().fail(new Error('closed'));
      await failed;
      for (let second = 0; second < 6; second += 1) {
        jest.advanceTimersByTime(1_000);
        const taken = take();
        next().answer('2');
        expect(await taken).toBe(2);
      }
    }
    expect(messages()).toEqual(Array.from({ length: 8 }, () => [DOWN, UP]).flat());
  });
});
