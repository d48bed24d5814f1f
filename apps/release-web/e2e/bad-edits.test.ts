import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BAD_EDITS } from '../test/bad-edits.ts';
import { startService } from './service.ts';

const PATHS = [
  '/mirror-info.php',
  '/releases/feed.php',
  '/releases/branches.php',
  '/pre-release-builds.php',
  '/pre-release-builds.php?only=dev_versions&format=serialize',
  '/releases/index.php?json&version=8&max=-1',
  '/releases/active.php',
  '/releases/states.php',
  '/api/v1/releases',
];

describe('bad edits while the built service runs', () => {
  it('change no answer, are named in /health, and a good edit heals, each time', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'release-web-'));
    await cp(join(__dirname, '../test/fixtures/data'), folder, { recursive: true });
    const file = join(folder, 'branches/8.5.json');
    const good = await readFile(file, 'utf8');
    // In one step: half a file is a fault of its own, and this test counts them.
    const edit = async (text: string) => {
      await writeFile(`${file}.new`, text);
      await rename(`${file}.new`, file);
    };
    const service = await startService({ DATA_DIR: folder, FILE_POLL_MS: '50' });
    const answers = () =>
      Promise.all(
        PATHS.map(async (path) => {
          const answer = await fetch(service.url + path);
          return [path, answer.status, answer.headers.get('etag'), await answer.text()];
        }),
      );
    const health = async () => (await fetch(`${service.url}/health`)).text();
    try {
      const before = await answers();
      expect(before.map(([, status]) => status)).toEqual(PATHS.map(() => 200));
      for (const [index, [what, spoil, hint]] of BAD_EDITS.entries()) {
        await edit(spoil(good));
        await service.logged('the new data is invalid; still serving the last valid data', index + 1);
        expect({ what, answers: await answers() }).toEqual({ what, answers: before });
        const sick = await health();
        for (const word of ['warn', 'branches/8.5.json', hint]) expect(sick).toContain(word);

        await edit(good);
        await service.logged('serving new data', index + 1);
        expect(JSON.parse(await health()).status).toBe('pass');
      }
      expect(await answers()).toEqual(before);
    } finally {
      expect(await service.stop()).toBe(0);
      await rm(folder, { recursive: true });
    }
  });
});
