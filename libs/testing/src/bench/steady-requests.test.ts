import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { steadyRequests, timeOfPart } from './steady-requests.ts';

describe('steadyRequests', () => {
  it('sends as many as the rate says, whether they are answered or not, and counts what failed', async () => {
    let requests = 0;
    const held: (() => void)[] = [];
    const server = createServer((_request, response) => {
      requests += 1;
      response.statusCode = requests % 10 === 0 ? 503 : 200;
      // None is answered before the last one has come.
      held.push(() => response.end());
      if (requests === 50) for (const answer of held) answer();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { sorted, failed } = await steadyRequests({ url, perSecond: 1_000, seconds: 0.05 });
    server.close();
    expect([requests, sorted.length, failed]).toEqual([50, 45, 5]);
    expect(sorted).toEqual(sorted.toSorted((a, b) => a - b));
    expect(timeOfPart(sorted, 0.99)).toBe(sorted.at(-1));
  });

  it('counts requests that are cut off while others are still sent', async () => {
    const server = createServer((_request, response) => response.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    expect(await steadyRequests({ url, perSecond: 100, seconds: 0.2 })).toEqual({ sorted: [], failed: 20 });
    server.close();
  });
});
