import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyOfFixture, type TestService, testService } from './service.ts';

const file = (path: string) => ({
  path,
  size: '1MB',
  sha256: createHash('sha256').update(path).digest('hex'),
});
const built = (version: string) => ({
  source: { path: `php-${version}-src.zip`, size: '30MB' },
  builds: Object.fromEntries(
    ['nts-vs17-x64', 'ts-vs17-x64'].map((name) => {
      const flavour = name.replace('ts-vs17', name.startsWith('n') ? 'ts-Win32-vs17' : 'Win32-vs17');
      return [name, { mtime: '2026-07-30T09:00:00+00:00', zip: file(`php-${version}-${flavour}.zip`) }];
    }),
  ),
});

let folder: string;
let service: TestService;
beforeAll(async () => {
  folder = await copyOfFixture();
  const build = async (name: string, version: string) => {
    const path = join(folder, `branches/${name}.json`);
    const branch = JSON.parse(await readFile(path, 'utf8'));
    const release = [branch.current, ...branch.history].find((known) => known?.version === version);
    release.windows = built(version);
    await writeFile(path, JSON.stringify(branch));
  };
  await build('8.4', '8.4.23');
  await build('8.4', '8.4.24');
  await build('8.5', '8.5.8');
  await build('8.1', '8.1.34');
  service = await testService({}, { folder });
});
afterAll(async () => {
  await service.app.close();
  await rm(folder, { recursive: true });
});
const get = (path: string) => service.app.inject(path);

describe('/~windows/releases/releases.json', () => {
  it('has the newest builds of each supported branch in the shape of downloads.php.net', async () => {
    const answer = await get('/~windows/releases/releases.json');
    expect(answer.headers['content-type']).toContain('application/json');
    const { builds, source } = built('8.4.24');
    expect(answer.json()).toEqual({
      '8.4': { version: '8.4.24', source, ...builds },
      // 8.5.9 has none yet.
      '8.5': { version: '8.5.8', source: built('8.5.8').source, ...built('8.5.8').builds },
    });
  });

  // As setup-php, winget, Scoop and installers ask: the build by its name, then the folder of the index and the path in it.
  it.each(['/~windows/releases/', '/~windows/releases/archives/'])(
    'leads to its files below %s',
    async (base) => {
      const index = (await get('/~windows/releases/releases.json')).json();
      const name = Object.keys(index['8.4']).find((key) => /^nts-vs\d+-x64$/.test(key))!;
      const { path } = index['8.4'][name].zip;
      const answer = await get(base + path);
      expect([answer.statusCode, answer.headers.location]).toEqual([
        302,
        `https://downloads.php.net${base}php-8.4.24-nts-Win32-vs17-x64.zip`,
      ]);
      expect((await get(`${base}php-8.4.23-nts-Win32-vs17-x64.zip`)).statusCode).toBe(302);
      expect((await get(`${base}php-8.4.22-nts-Win32-vs17-x64.zip`)).json()).toMatchObject({
        status: 404,
        type: 'urn:problem-type:unknown-release',
      });
    },
  );

  it('is empty without builds', async () => {
    const { app } = await testService();
    expect((await app.inject('/~windows/releases/releases.json')).body).toBe('{}');
    await app.close();
  });
});
