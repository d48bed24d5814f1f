import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { routesOf } from '@workspace/api-reference';
import { problems } from '../src/problems.ts';
import { copyOfFixture, type TestService, testService } from './service.ts';

let folder: string;
let cache: string;
let file: string;
let good: string;
const services: TestService[] = [];
beforeEach(async () => {
  folder = await copyOfFixture();
  cache = await mkdtemp(join(tmpdir(), 'release-web-cache-'));
  file = join(folder, 'branches/8.5.json');
  good = await readFile(file, 'utf8');
});
afterEach(async () => {
  for (const { app } of services.splice(0)) await app.close();
  await rm(cache, { recursive: true, force: true });
});

const start = async (options: { cache?: string; folder?: string } = {}): Promise<TestService> => {
  const service = await testService({}, { folder, ...options });
  services.push(service);
  return service;
};
const spoil = () => writeFile(file, good.slice(0, good.length / 2));
const healthOf = async ({ app }: TestService) => {
  const { statusCode, body } = await app.inject('/health');
  const { status, checks } = JSON.parse(body);
  return { statusCode, status, ...checks['data:revision'][0] };
};
const PATHS = [
  '/releases/branches.php',
  '/releases/feed.php',
  '/releases/index.php?json&version=8&max=-1',
  '/',
];
const bodies = ({ app }: TestService) =>
  Promise.all(PATHS.map(async (path) => (await app.inject(path)).body));

describe('a start while the data is invalid', () => {
  it('serves the data that was served last, reports it, and recovers', async () => {
    const before = await bodies(await start({ cache }));
    await spoil();
    const service = await start({ cache });
    expect(await bodies(service)).toEqual(before);
    expect(await healthOf(service)).toMatchObject({
      statusCode: 200,
      status: 'warn',
      observedValue: '2026-08-13T00:00:00.000Z',
      output: expect.stringMatching(
        /^serving the last valid data, which was kept before the start; .*8\.5\.json/,
      ),
    });
    expect((await service.app.inject('/health/ready')).statusCode).toBe(200);
    await writeFile(file, good);
    await service.watcher.check();
    expect(await healthOf(service)).toMatchObject({ status: 'pass' });
    expect(await bodies(service)).toEqual(before);
  });

  it('serves what a reload brought, not what the process started with', async () => {
    const first = await start({ cache });
    const news = JSON.parse(await readFile(join(folder, 'news.json'), 'utf8'));
    news.updated = '2026-11-20T10:00:00Z';
    await writeFile(join(folder, 'news.json'), JSON.stringify(news));
    await first.watcher.check();
    await spoil();
    expect(await healthOf(await start({ cache }))).toMatchObject({
      observedValue: '2026-11-20T10:00:00.000Z',
    });
  });

  it('without kept data answers 503 until the data is valid', async () => {
    await spoil();
    const service = await start();
    const get = (path: string) => service.app.inject(path);
    const examples: Readonly<Record<string, string>> = {
      branch: '8.4',
      cve: 'CVE-2026-0001',
      product: 'php',
    };
    const paths = routesOf(service.app)
      .filter(({ method, schema }) => method === 'GET' && schema?.problems?.includes(problems['no-data']))
      // Moved for good, with or without data.
      .filter(({ schema }) => !(301 in (schema?.response as object)))
      .map(({ url }) =>
        url.replace('/:version(^\\d+_\\d+_\\d+)', '/8_4_24').replace(/\/support\/?$/, '$&?version=8.4'),
      )
      .map((url) => url.replace(/:(\w+)(\(\^[^)]*\))?/g, (_, name) => examples[name] ?? '8.4.24'));
    expect(paths.length).toBeGreaterThan(50);
    for (const path of paths) {
      const answer = await get(path);
      expect([path, answer.statusCode, answer.json().type]).toEqual([path, 503, 'urn:problem-type:no-data']);
      expect(answer.headers).toMatchObject({ 'retry-after': '10', 'cache-control': 'no-store' });
    }
    const mirror = await get('/mirror-info.php');
    expect([mirror.statusCode, mirror.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(mirror.body.split('|')).toHaveLength(11);
    expect([mirror.body.split('|')[2], mirror.body.split('|')[7]]).toEqual(['0', '0']);
    expect((await get('/releases.atom')).statusCode).toBe(301);
    expect((await get('/openapi.json')).statusCode).toBe(200);
    expect((await get('/health/live')).statusCode).toBe(200);
    expect((await get('/health/ready')).json()).toEqual({ ready: false, reason: 'no valid data loaded' });
    expect(await healthOf(service)).toMatchObject({ statusCode: 503, status: 'fail', observedValue: null });

    await writeFile(file, good);
    await service.watcher.check();
    for (const path of PATHS) expect((await get(path)).statusCode).toBe(200);
    expect((await get('/health/ready')).statusCode).toBe(200);
    expect(await healthOf(service)).toMatchObject({ status: 'pass' });
  });

  it.each([
    ['empty', (path: string) => truncate(path, 0)],
    ['half', async (path: string) => truncate(path, Math.floor((await stat(path)).size / 2))],
    [
      'with another digit in a digest',
      async (path: string) =>
        writeFile(path, (await readFile(path, 'utf8')).replace('d735459c2cbaeb', 'd735459c2cbaec')),
    ],
    ['of another format', (path: string) => writeFile(path, '{"catalogue": 1}\n')],
  ])('does without kept data that is %s', async (_what, damage) => {
    await start({ cache });
    await damage(join(cache, 'last-valid.json'));
    await spoil();
    const service = await start({ cache });
    expect((await service.app.inject('/releases/branches.php')).statusCode).toBe(503);
    expect(service.lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        msg: 'the last valid data cannot be read; starting without it',
      }),
    );
  });

  it('removes what a killed instance has left half written, and nothing that another may be writing', async () => {
    const [left, written] = ['.last-valid.json.a.7.new', '.last-valid.json.b.8.new'];
    for (const name of [left, written]) await writeFile(join(cache, name), '');
    const before = new Date(Date.now() - 11 * 60_000);
    await utimes(join(cache, left), before, before);
    await start({ cache });
    expect((await readdir(cache)).sort()).toEqual([written, 'last-valid.json']);
  });

  it('has kept the data even if it cannot remove what was left', async () => {
    // A folder cannot be removed as if it were a file, not even by root.
    const left = join(cache, '.last-valid.json.a.7.new');
    await mkdir(left);
    const before = new Date(Date.now() - 11 * 60_000);
    await utimes(left, before, before);
    const service = await start({ cache });
    expect(await readdir(cache)).toContain('last-valid.json');
    expect(service.lines).not.toContainEqual(expect.objectContaining({ level: 'warn' }));
  });

  it('does not serve what was kept of another folder', async () => {
    await start({ cache });
    await spoil();
    const other = await copyOfFixture();
    await writeFile(join(other, 'news.json'), '{');
    const service = await start({ cache, folder: other });
    expect((await service.app.inject('/releases/branches.php')).statusCode).toBe(503);
  });
});

describe('a folder for the last valid data that cannot be written', () => {
  it('changes no answer and is logged', async () => {
    const path = join(cache, 'file');
    await writeFile(path, '');
    const service = await start({ cache: path });
    expect((await service.app.inject('/releases/branches.php')).statusCode).toBe(200);
    expect(await healthOf(service)).toMatchObject({ status: 'pass' });
    expect(service.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: 'the data could not be saved for the next start' }),
    );
  });
});
