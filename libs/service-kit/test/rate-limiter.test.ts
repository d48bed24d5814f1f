import { captureLogger } from '@workspace/testing';
import { RateLimiter, rateLimitHook, type RateLimitStore } from '../src/rate-limit/index.ts';
import { defineProblems } from '../src/problems/problem-error.ts';
import { createService } from '../src/service.ts';

const { 'rate-limited': problem } = defineProblems({
  'rate-limited': { status: 429, title: 'Too many requests' },
});
const START = Date.parse('2026-11-21T12:00:00Z');

/** A service that answers a request for n things, sent by the client that a header names. */
const limitedService = (store?: RateLimitStore) => {
  let now = START;
  const limiter = new RateLimiter({
    limit: { requests: 60, per: 'minute' },
    counted: 'things',
    problem,
    clock: () => new Date(now),
    store,
  });
  const app = createService({ logger: captureLogger().logger });
  const preHandler = rateLimitHook(
    limiter,
    ({ headers }) => String(headers['x-client'] ?? 'polite'),
    ({ headers }) => Number(headers['x-things'] ?? 1),
  );
  app.get('/', { preHandler }, () => 'here you are');
  const ask = async (things = 1, client = 'polite') => {
    const reply = await app.inject({ url: '/', headers: { 'x-things': String(things), 'x-client': client } });
    const { ratelimit, 'ratelimit-policy': policy, 'retry-after': retryAfter } = reply.headers;
    return {
      status: reply.statusCode,
      ratelimit,
      policy,
      retryAfter,
      problem: reply.statusCode === 429 ? reply.json() : undefined,
    };
  };
  return { app, ask, wait: (seconds: number) => (now += seconds * 1_000) };
};

describe('RateLimiter', () => {
  it('shows the limit and what is left of it on every answer', async () => {
    const { app, ask, wait } = limitedService();
    expect(await ask()).toMatchObject({
      status: 200,
      policy: '"things";q=60;w=60',
      ratelimit: '"things";r=59;t=1',
      retryAfter: undefined,
    });
    expect(await ask(59)).toMatchObject({ status: 200, ratelimit: '"things";r=0;t=60' });
    expect(await ask(3)).toMatchObject({
      status: 429,
      policy: '"things";q=60;w=60',
      ratelimit: '"things";r=0;t=60',
      retryAfter: '3',
    });
    wait(2);
    expect(await ask(3)).toMatchObject({ status: 429, ratelimit: '"things";r=2;t=58', retryAfter: '1' });
    wait(1);
    expect(await ask(3)).toMatchObject({ status: 200, ratelimit: '"things";r=0;t=60' });
    await app.close();
  });

  it('sends no time to a client that asks for more than it can ever get', async () => {
    const { app, ask } = limitedService();
    const never = await ask(61);
    expect(never).toMatchObject({ status: 429, retryAfter: undefined, ratelimit: '"things";r=60;t=0' });
    expect(never.problem).toMatchObject({
      detail: 'At most 60 things per minute are accepted from one client, so a request for 61 never is.',
    });
    await app.close();
  });

  it('says nothing about what is not charged', async () => {
    const { app, ask } = limitedService();
    expect(await ask(0)).toMatchObject({ status: 200, policy: undefined, ratelimit: undefined });
    await app.close();
  });

  it('answers as the store says, and asks it nothing for a client that has nothing left', async () => {
    const asked: string[] = [];
    let tokens = 1;
    const store: RateLimitStore = {
      take: async (client, cost) => {
        asked.push(client);
        return tokens < cost ? tokens - cost : (tokens -= cost);
      },
      close: () => undefined,
    };
    const { app, ask, wait } = limitedService(store);
    // Another instance has used 59 of 60.
    expect(await ask(2, 'flooder')).toMatchObject({
      status: 429,
      ratelimit: '"things";r=1;t=59',
      retryAfter: '1',
    });
    expect(await ask(1, 'flooder')).toMatchObject({ status: 200, ratelimit: '"things";r=0;t=60' });
    for (let times = 0; times < 1_000; times += 1) expect((await ask(1, 'flooder')).status).toBe(429);
    expect(asked).toEqual(['flooder', 'flooder']);
    tokens = 60;
    expect((await ask()).status).toBe(200);
    // After a second this instance would grant one more; the store knows that another one has.
    wait(1);
    tokens = 0;
    expect(await ask(1, 'flooder')).toMatchObject({ status: 429, retryAfter: '1' });
    expect(asked).toEqual(['flooder', 'flooder', 'polite', 'flooder']);
    await app.close();
  });

  it('limits by itself while the store does not answer', async () => {
    const { app, ask } = limitedService({ take: async () => undefined, close: () => undefined });
    expect(await ask(60)).toMatchObject({ status: 200, ratelimit: '"things";r=0;t=60' });
    expect((await ask()).status).toBe(429);
    await app.close();
  });
});
