import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeWith } from '../tools.ts';
import { withFigures } from './report.ts';
import { inTurns, median, ratioOf } from './turns.ts';
import { readWrk, runWrk } from './wrk.ts';

describe('the figures of a bench', () => {
  it('come from every subject once in each round', async () => {
    const order: string[] = [];
    const figures = await inTurns(['a', 'b'], 2, async (subject, round) => order.push(`${subject}${round}`));
    expect(order).toEqual(['a0', 'b0', 'a1', 'b1']);
    expect(figures).toEqual([
      [1, 3],
      [2, 4],
    ]);
  });

  it('are medians, and ratios within a round', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([])).toBeNaN();
    expect(ratioOf([2, 30, 4], [1, 10, 1])).toBe('3.00 (2.00–4.00)');
  });
});

describe('a document with figures', () => {
  const of = (figures: string): string =>
    `# A\n\n<!-- figures: one -->\n\n${figures}\n\n<!-- end of figures -->\n\ntext\n\n<!-- figures: two -->\n<!-- end of figures -->\n`;

  it('gets new ones in the place of those of that name', () => {
    expect(withFigures(of('| old |'), 'one', '| new |\n')).toBe(of('| new |'));
    expect(withFigures(of('| old |'), 'two', '| new |')).toBe(
      of('| old |').replace('two -->\n', 'two -->\n\n| new |\n\n'),
    );
  });

  it('must have a place for them', () => {
    expect(() => withFigures(of(''), 'three', '')).toThrow('<!-- figures: three -->');
  });
});

describe('what wrk prints', () => {
  it.each([
    ['980.00us', 0.98],
    ['12.50ms', 12.5],
    ['1.13s ', 1_130],
    ['1.50m ', 90_000],
  ])('has times as %j', (time, milliseconds) => {
    expect(readWrk(`  Latency Distribution\n     50%    1.00ms\n     99%  ${time}\n`)).toMatchObject({
      p50: 1,
      p99: milliseconds,
    });
  });
});

describeWith(['wrk'], 'wrk', () => {
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = createServer(({ url: path, headers }, answer) => {
      answer.statusCode = path === '/missing' || headers['x-wanted'] === 'no' ? 404 : 200;
      answer.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  it('is read: requests, rate and times', async () => {
    const { requests, perSecond, p50, p99, failed } = await runWrk(url, { connections: 2, seconds: 1 });
    expect(failed).toBe(0);
    expect(requests).toBeGreaterThan(1);
    expect(perSecond).toBeGreaterThan(1);
    expect(p50).toBeGreaterThan(0);
    expect(p99).toBeGreaterThanOrEqual(p50);
  });

  it('reports answers that are no success', async () => {
    const options = { connections: 1, seconds: 1 };
    const missing = await runWrk(`${url}/missing`, options);
    expect(missing.failed).toBe(missing.requests);
    const unwanted = await runWrk(url, { ...options, headers: { 'x-wanted': 'no' }, core: 0 });
    expect(unwanted.failed).toBe(unwanted.requests);
  });
});
