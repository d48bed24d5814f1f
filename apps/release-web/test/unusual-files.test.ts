import { execFileSync } from 'node:child_process';
import { readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyOfFixture, type TestService, testService } from './service.ts';

let folder: string;
let service: TestService;
beforeEach(async () => {
  folder = await copyOfFixture();
  service = await testService({}, { folder });
});

const health = async () => (await service.app.inject('/health')).json();
const addNews = async () => {
  const news = JSON.parse(await readFile(join(folder, 'news.json'), 'utf8'));
  const at = '2026-11-20T10:00:00Z';
  news.updated = at;
  news.items.push({ ...news.items[0], id: 'tag:release-web,2026:news/more', published: at, updated: at });
  await writeFile(join(folder, 'news.json'), JSON.stringify(news));
};
const isServed = async () =>
  (await service.app.inject('/releases/feed.php')).body.includes('tag:release-web,2026:news/more');

describe('a data folder with unusual files', () => {
  it("an editor's lock, a link that leads nowhere, hides no edit", async () => {
    await symlink('somebody@host.1234', join(folder, 'branches/.#8.4.json'));
    await addNews();
    await service.watcher.check();
    expect(await isServed()).toBe(true);
    expect((await health()).status).toBe('pass');
  });

  it('a link that leads nowhere under the name of a branch is named in /health', async () => {
    await symlink('nowhere.json', join(folder, 'branches/8.3.json'));
    await addNews();
    await service.watcher.check();
    expect(await isServed()).toBe(false);
    expect(JSON.stringify(await health())).toContain('branches/8.3.json: cannot be read');
    await rm(join(folder, 'branches/8.3.json'));
    await service.watcher.check();
    expect(await isServed()).toBe(true);
  });

  it('a FIFO is named in /health and is never read', async () => {
    execFileSync('mkfifo', [join(folder, 'branches/8.3.json')]);
    await service.watcher.check();
    expect((await health()).status).toBe('warn');
    expect(JSON.stringify(await health())).toContain('branches/8.3.json: is not a regular file');
  });

  it.each([
    ['a file', async (path: string) => writeFile(path, '')],
    ['a loop of links', async (path: string) => symlink('branches', path)],
  ])('a folder that cannot be read, %s, is named in /health', async (_what, replace) => {
    await rename(join(folder, 'branches'), join(folder, 'moved'));
    await replace(join(folder, 'branches'));
    await service.watcher.check();
    expect((await health()).status).toBe('warn');
    expect(JSON.stringify(await health())).toContain('branches: cannot be read');
    expect((await service.app.inject('/releases/branches.php')).statusCode).toBe(200);
  });

  it('a file without end is not read to its end', async () => {
    await rm(join(folder, 'news.json'));
    await symlink('/dev/zero', join(folder, 'news.json'));
    await service.watcher.check();
    expect(JSON.stringify(await health())).toContain('news.json: is not a regular file');
  });
});
