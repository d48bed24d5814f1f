import { chmod, cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningService, startService } from './service.ts';

const FIXTURE = join(__dirname, '../test/fixtures/data');
const PATH = '/releases/index.php?json&version=8&max=-1';

let root: string;
let data: string;
let cache: string;
let file: string;
let good: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'release-web-'));
  [data, cache] = [join(root, 'data'), join(root, 'cache')];
  await cp(FIXTURE, data, { recursive: true });
  file = join(data, 'branches/8.5.json');
  good = await readFile(file, 'utf8');
});
afterEach(async () => {
  await chmod(data, 0o755);
  await rm(root, { recursive: true });
});

const start = (): Promise<RunningService> =>
  startService({ DATA_DIR: data, DATA_CACHE_DIR: cache, FILE_POLL_MS: '50' });
const edit = async (text: string): Promise<void> => {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
};
const answer = async ({ url }: RunningService): Promise<[number, string]> => {
  const response = await fetch(url + PATH);
  return [response.status, await response.text()];
};
const health = async ({ url }: RunningService) => (await fetch(`${url}/health`)).json();

describe('the built service, started while the data is invalid', () => {
  it('serves the last valid data from its cache, and the new data when it is valid', async () => {
    const first = await start();
    const before = await answer(first);
    expect(before[0]).toBe(200);
    await edit(good.slice(0, 1000));
    await first.logged('the new data is invalid; still serving the last valid data');
    expect(await first.stop()).toBe(0);
    expect(await readdir(cache)).toEqual(['last-valid.json']);

    // A mounted folder may be read-only.
    await chmod(data, 0o555);
    const second = await start();
    await second.logged('the data is invalid; serving the last valid data');
    expect(await answer(second)).toEqual(before);
    expect(await health(second)).toMatchObject({ status: 'warn' });
    await chmod(data, 0o755);
    await edit(good);
    await second.logged('serving new data');
    expect(await health(second)).toMatchObject({ status: 'pass' });
    expect(await answer(second)).toEqual(before);
    expect(await second.stop()).toBe(0);
  });

  it('ends with 0 on SIGTERM though it never had data', async () => {
    await rm(data, { recursive: true });
    const service = await start();
    expect((await answer(service))[0]).toBe(503);
    expect(await service.stop()).toBe(0);
    await cp(FIXTURE, data, { recursive: true });
  });
});
