import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadDataFolder } from '@workspace/release-catalogue';
import { exportCommand } from './export-command.ts';
import { filesBelow } from './tree.ts';
import { routesOf } from '@workspace/api-reference';
import { copyOfFixture, type TestService, testService } from '../../../test/service.ts';

const AT = '2026-12-31T00:00:00Z';

let service: TestService;
/** The newest branches: an export of all takes many times as long. */
let data: string;
let folder: string;
beforeAll(async () => {
  data = await copyOfFixture();
  for (const name of await readdir(join(data, 'branches')))
    if (!/^8\.[456]/.test(name)) await rm(join(data, 'branches', name));
  service = await testService({}, { start: AT, folder: data });
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'export-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** @param answers after how many answers the disk is full */
const run = async (answers = Infinity, at = AT): Promise<number> => {
  const { catalogue } = await loadDataFolder(data, { now: new Date(AT) });
  let left = answers;
  const command = exportCommand(() =>
    Promise.resolve({
      catalogue,
      routes: routesOf(service.app),
      optionPaths: [],
      get: async (url, headers = {}) => {
        if (--left < 0) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' });
        const answer = await service.app.inject({ url, headers });
        const { statusCode: status, rawPayload: body } = answer;
        return { status, headers: answer.headers as Record<string, string>, body };
      },
      close: () => Promise.resolve(),
    }),
  );
  const terminal = { out: () => undefined, note: () => undefined, colour: false };
  return command.run([folder, '--base-url', 'https://releases.example', '--at', at], {
    terminal,
    folder: data,
    version: '1.2.3',
    now: new Date(AT),
  });
};

describe('export', () => {
  it('completes a first export that was broken off', async () => {
    await expect(run(50)).rejects.toThrow('ENOSPC');
    expect(await run()).toBe(0);
    expect(await readFile(join(folder, 'SHA256SUMS'), 'utf8')).toContain('  export.json\n');
  });

  it('runs once at a time for a folder', async () => {
    // Six, so that some look at the folder at the moment when the first one begins to write.
    expect(await Promise.all(Array.from({ length: 6 }, () => run()))).toEqual(Array(6).fill(0));
    expect((await filesBelow(folder, '.')).filter((file) => file.endsWith('.new'))).toEqual([]);
  });

  it.each(['2026-02-30T00:00:00Z', '2026-12-31T24:00:00Z', '2026-12-31'])('has no time %s', async (at) => {
    await expect(run(Infinity, at)).rejects.toThrow('--at is a time in UTC');
    expect(await filesBelow(folder, '.')).toEqual([]);
  });

  it.each([0o755, 0o700])(
    'lets those read what it writes who may read its folder of mode %o',
    async (mode) => {
      await chmod(folder, mode);
      const umask = process.umask(0o077);
      try {
        expect(await run()).toBe(0);
      } finally {
        process.umask(umask);
      }
      const modes = ['site/releases', 'site/releases/branches.php', 'nginx/http.conf'].map(
        async (name) => (await stat(join(folder, name))).mode & 0o777,
      );
      expect(await Promise.all(modes)).toEqual([mode, mode & 0o666, mode & 0o666]);
    },
  );

  it('leaves a folder alone that has other files', async () => {
    await writeFile(join(folder, 'thesis.txt'), '');
    await expect(run()).rejects.toThrow('has files that are no export');
    expect(await filesBelow(folder, '.')).toEqual(['thesis.txt']);
  });
});
