import { newClient } from './redis-client.ts';

describe('a client for a server', () => {
  it('has the class of the others: making one takes 20 ms, and Sentinels are asked each second', () => {
    const options = { login: {}, tls: false, timeoutMs: 1_000 };
    const [one, other] = [7_000, 7_001].map((port) => newClient({ host: '127.0.0.1', port }, options, false));
    expect(one!.constructor).toBe(other!.constructor);
  });
});
