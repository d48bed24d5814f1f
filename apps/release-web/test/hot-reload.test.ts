import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BAD_EDITS } from './bad-edits.ts';
import { copyOfFixture, editData, type TestService, testService } from './service.ts';

const PATHS = [
  '/mirror-info.php',
  '/releases/feed.php',
  '/releases/branches.php',
  '/pre-release-builds.php',
  '/releases/index.php?json',
  '/releases/active.php',
  '/api/v1/releases',
];

let folder: string;
let service: TestService;
let file: string;
let good: string;
beforeAll(async () => {
  folder = await copyOfFixture();
  file = join(folder, 'branches/8.5.json');
  good = await readFile(file, 'utf8');
  service = await testService({}, { folder });
});

const bodies = () =>
  Promise.all(
    PATHS.map(async (url) => {
      const { statusCode, body, headers } = await service.app.inject(url);
      return { url, statusCode, body, etag: headers.etag };
    }),
  );
const health = async () => (await service.app.inject('/health')).json();

describe('bad edits', () => {
  it.each(BAD_EDITS)('%s changes no answer and is shown; a good edit heals', async (_what, spoil, hint) => {
    const before = await bodies();
    expect(before.every(({ statusCode }) => statusCode === 200)).toBe(true);
    const bad = spoil(good);
    expect(bad).not.toBe(good);

    await writeFile(file, bad);
    await service.watcher.check();
    expect(await bodies()).toEqual(before);
    const sick = await health();
    expect(sick.status).toBe('warn');
    expect(sick.checks['data:revision'][0].output).toContain('branches/8.5.json');
    expect(sick.checks['data:revision'][0].output).toContain(hint);
    expect(service.lines.at(-1)).toMatchObject({
      level: 'error',
      msg: expect.stringContaining('still serving the last valid data'),
    });

    await writeFile(file, good);
    await service.watcher.check();
    expect((await health()).status).toBe('pass');
    expect(await bodies()).toEqual(before);
  });
});

describe('a good edit', () => {
  it('is served without a restart, under a new ETag and Last-Modified', async () => {
    const before = await service.app.inject('/releases/feed.php');
    const news = JSON.parse(await readFile(join(folder, 'news.json'), 'utf8'));
    news.updated = '2026-11-20T10:00:00Z';
    news.items.push({
      ...news.items[0],
      id: 'tag:release-web,2026:news/test',
      title: 'Less < more & "quotes" ]]> \u0007',
      published: '2026-11-20T10:00:00Z',
      updated: '2026-11-20T10:00:00Z',
    });
    await writeFile(join(folder, 'news.json'), JSON.stringify(news));
    await service.watcher.check();
    const after = await service.app.inject('/releases/feed.php');
    expect(after.body).toContain('<title>Less &lt; more &amp; &quot;quotes&quot; ]]&gt; \ufffd</title>');
    expect(after.headers.etag).not.toBe(before.headers.etag);
    expect(after.headers['last-modified']).toBe('Fri, 20 Nov 2026 10:00:00 GMT');
  });

  it('that a merge brings late is new to clients that know a date only', async () => {
    const merged = await copyOfFixture();
    const { app, watcher, set } = await testService({}, { folder: merged });
    const publish = async (branch: string, updated: string) => {
      await editData(merged, branch, (facts) => {
        const { version } = facts.current!;
        const yanked = { date: updated.slice(0, 10), reason: 'broken' };
        facts.updated = updated;
        facts.current!.yanked = yanked;
        const changes = [{ pointer: '/yanked', to: yanked }];
        facts.audit.push({ at: updated, action: 'yank', version, reason: 'broken', changes });
      });
      await watcher.check();
    };
    const get = (headers = {}) => app.inject({ url: '/releases/branches.php', headers });

    await publish('8.5', '2026-11-21T10:00:00Z');
    const before = await get();
    set('2026-11-21T12:30:00Z');
    await publish('8.4', '2026-11-21T09:00:00Z');
    set('2026-11-21T12:31:00Z');
    const after = await get({ 'if-modified-since': before.headers['last-modified'] });
    expect({ status: after.statusCode, isOld: after.body === before.body }).toEqual({
      status: 200,
      isOld: false,
    });
    const known = { 'if-modified-since': after.headers['last-modified'] };
    expect((await get(known)).statusCode).toBe(304);

    const path = join(merged, 'branches/8.4.json');
    await writeFile(path, `${await readFile(path, 'utf8')}\n`);
    await watcher.check();
    expect((await get(known)).statusCode).toBe(304);
  });

  it('a missing file is an error, not an empty answer', async () => {
    await rm(file);
    await service.watcher.check();
    expect((await service.app.inject('/releases/branches.php')).body).toContain('"8.5.9"');
    expect((await health()).status).toBe('warn');
    await writeFile(file, good);
    await service.watcher.check();
    expect((await health()).status).toBe('pass');
  });
});
