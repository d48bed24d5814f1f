import crypto from 'node:crypto';
import zlib from 'node:zlib';
import { FROZEN_FOLDER } from '@workspace/release-catalogue/testing';
import { type TestService, testService } from './service.ts';

/** How often a body was compressed, and how often one was made: each gets a digest once. */
const compressed = ['brotliCompressSync', 'gzipSync'].map((name) => jest.spyOn(zlib, name as 'gzipSync'));
const digested = jest.spyOn(crypto, 'createHash');
const compressions = () => compressed.reduce((sum, { mock }) => sum + mock.calls.length, 0);

let service: TestService;
beforeAll(async () => {
  service = await testService({}, { folder: FROZEN_FOLDER });
  // What the framework does once, at its first request.
  await service.app.inject('/mirror-info.php');
});
beforeEach(() => jest.clearAllMocks());

const get = (url: string, headers: Record<string, string> = {}) => service.app.inject({ url, headers });
const numbers = Array.from({ length: 50 }, (_, n) => n);

describe('parameters that never come twice', () => {
  it.each([
    [
      'max beyond the number of releases',
      (n: number) => `/releases/index.php?json&version=8&max=${1000 + n}`,
    ],
    ['max below 1', (n: number) => `/releases/index.php?json&version=8&max=${-2 - n}`],
    [
      'max written in other ways',
      (n: number) => `/releases/index.php?json&version=8&max=+${'0'.repeat(n)}3x${n}`,
    ],
    ['max without a version', (n: number) => `/releases/index.php?json&max=${n}`],
    ['versions written in other ways', (n: number) => `/releases/index.php?json&version=${'0'.repeat(n)}8.4`],
    [
      'versions that are not on record',
      (n: number) => `/releases/index.php?serialize&version=8.4.${1000 + n}`,
    ],
    ['days between two releases', (n: number) => `/api/v1/releases?since=20${50 + n}-01-01`],
    ['days before all releases', (n: number) => `/api/v1/releases?since=19${10 + n}-01-01&limit=3`],
  ])('%s cost one body, and no compression before it is asked for', async (_what, url) => {
    const bodies = new Set<string>();
    for (const n of numbers) bodies.add((await get(url(n))).body);
    expect(bodies.size).toBe(1);
    expect(digested.mock.calls.length).toBeLessThanOrEqual(1);
    expect(compressions()).toBe(0);
    await get(url(0), { 'accept-encoding': 'br' });
    await get(url(1), { 'accept-encoding': 'br' });
    expect(compressions()).toBeLessThanOrEqual(1);
  });

  it.each([
    ['pages of releases', (n: number) => `/releases/9_${n}_0.php`],
    ['releases', (n: number) => `/api/v1/releases/8.4.${1000 + n}`],
    ['cursors', (n: number) => `/api/v1/releases?cursor=2026-01-01_8.4.${1000 + n}`],
  ])('%s that are not on record cost no body', async (_what, url) => {
    for (const n of numbers) expect((await get(url(n))).statusCode).toBeGreaterThanOrEqual(400);
    expect(digested).not.toHaveBeenCalled();
  });

  it('push nothing out that others ask for', async () => {
    await get('/api/v1/releases/8.4.24');
    jest.clearAllMocks();
    for (let n = 0; n < 2000; n++) await get(`/api/v1/releases/8.4.${1000 + n}`);
    await get('/api/v1/releases/8.4.24');
    expect(digested).not.toHaveBeenCalled();
  });
});

describe('a cursor', () => {
  it.each([
    ['of a release that is not on record', 'cursor=2026-07-30_8.4.99'],
    ['of another day', 'cursor=2026-07-29_8.4.24'],
    ['written in another way', 'cursor=2026-07-30_08.4.24'],
    ['of a list with another branch', 'branch=8.5&cursor=2026-07-30_8.4.24'],
    ['of a list that begins later', 'since=2026-08-01&cursor=2026-07-30_8.4.24'],
  ])('%s was never issued: 400', async (_what, query) => {
    const answer = await get(`/api/v1/releases?${query}`);
    expect([answer.statusCode, answer.json().type]).toEqual([400, 'urn:problem-type:unknown-cursor']);
  });

  it('leads through all releases, also those whose version is not numeric', async () => {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: { next_cursor: string | null; items: { version: string }[] } = (
        await get(`/api/v1/releases?limit=1&since=1990-01-01&security=false${cursor && `&cursor=${cursor}`}`)
      ).json();
      seen.push(...page.items.map(({ version }) => version));
      cursor = page.next_cursor;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toContain('3.0.x (latest)');
  });
});

it.each([
  ['/api/v1/support?version=abc', '#/querystring/version', 'must be like 8.4.20'],
  ['/api/v1/branches/abc', '#/params/branch', 'must be like 8.4'],
  ['/api/v1/releases?cursor=abc', '#/querystring/cursor', 'must be like 2026-07-30_8.4.24'],
  ['/api/v1/events?within=abc', '#/querystring/within', 'must be like 30d'],
])('%s is answered with an example, and no regular expression', async (url, pointer, detail) => {
  const { statusCode, body } = await get(url);
  expect([statusCode, JSON.parse(body)]).toMatchObject([
    400,
    { errors: [{ pointer, code: 'pattern', detail }] },
  ]);
  expect(body).not.toMatch(/\^|\\d/);
});
