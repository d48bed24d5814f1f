import { generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataCopy } from '@workspace/release-catalogue/testing';
import { describeWith, runTool } from '@workspace/testing';
import { type Nginx, startNginx } from './nginx.ts';
import { RELEASE_DATA, runReleaseData } from './release-data.ts';
import { startService } from './service.ts';

const FIXTURE = join(import.meta.dirname, '../test/fixtures/data');

/** From the data of one instance to those of another, by a mirror that is not trusted. */
describeWith(['nginx', 'sha256sum'], 'a signed export in nginx', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signed-export-'));
  const mirror = join(folder, 'mirror');
  const repository = join(mirror, 'tuf');
  const root = join(folder, 'root.json');
  let publisher: DataCopy;
  let follower: DataCopy;
  let digests: Record<'gz' | 'bz2' | 'xz', string>;
  let nginx: Nginx;
  const pem = (name: string): string => join(folder, `${name}.pem`);

  const run = async (...args: string[]): Promise<string> => {
    const { code, out, notes } = await runReleaseData(args);
    expect({ code, notes }).toMatchObject({ code: 0 });
    return out;
  };
  const tuf = (step: string, ...args: string[]): Promise<string> => run('tuf', step, repository, ...args);

  const exportMirror = async (): Promise<void> => {
    const options = ['--base-url', 'https://releases.example', '--data', publisher.folder];
    const command = [process.execPath, RELEASE_DATA, 'export', mirror, ...options];
    await runTool('env', ['PRE_RELEASE_SHAPE=keyed', ...command]);
  };

  const follow = () =>
    runReleaseData([
      ...['import', '--tuf', `${nginx.url}/tuf`, '--root', root, '--state', join(folder, 'state')],
      ...['--data', follower.folder, '--yes'],
    ]);
  const check = async (): Promise<string> => {
    const options = ['--root', root, '--state', join(folder, 'state')];
    const checksums = await run('tuf', 'fetch', `${nginx.url}/tuf`, 'SHA256SUMS', ...options);
    return runTool('sh', ['-ec', 'cd "$1"; sha256sum --check --quiet "$2"', 'sh', mirror, checksums.trim()]);
  };

  beforeAll(async () => {
    [publisher, follower] = [new DataCopy(), new DataCopy()];
    for (const { folder: data } of [publisher, follower]) {
      rmSync(data, { recursive: true });
      cpSync(FIXTURE, data, { recursive: true });
    }
    digests = publisher.pack('8.4.25');
    const options = ['--kind', 'bugfix', '--tarballs', publisher.archives];
    await run('promote', '8.4.25', ...options, '--data', publisher.folder, '--yes');
    await exportMirror();
    for (const name of ['alice', 'bob', 'online']) {
      const { privateKey } = generateKeyPairSync('ed25519');
      writeFileSync(pem(name), privateKey.export({ format: 'pem', type: 'pkcs8' }));
    }
    const keys = ['root=alice', 'root=bob', 'targets=alice', 'snapshot=online', 'timestamp=online'];
    await tuf('root', ...keys.flatMap((key) => ['--add', key.replace('=', `=${folder}/`) + '.pem']));
    await tuf('sign', 'root', '--key', pem('alice'));
    await tuf('sign', 'root', '--key', pem('bob'));
    cpSync(join(repository, 'metadata/1.root.json'), root);
    await tuf('targets', '--export', mirror);
    await tuf('sign', 'targets', '--key', pem('alice'));
    await tuf('publish', '--key', pem('online'));
    nginx = await startNginx(join(folder, 'nginx'), mirror);
  });

  afterAll(async () => {
    await nginx?.stop();
    publisher.remove();
    follower.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['metadata/timestamp.json', 200, 'no-cache'],
    // The next root: who asks today must find it tomorrow.
    ['metadata/2.root.json', 404, 'no-cache'],
    ['staged/targets.json', 404, 'no-store'],
  ])('is served as %s: %d, %s', async (path, status, cacheControl) => {
    const answer = await fetch(`${nginx.url}/tuf/${path}`);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, cacheControl]);
  });

  it('brings no altered digest to a second instance', async () => {
    const targets = join(repository, 'targets/site/releases');
    const before = follower.texts();
    const table = readdirSync(targets).find((name) => name.includes('version=8'))!;
    const text = readFileSync(join(targets, table), 'utf8');
    expect(text).toContain(digests.xz);
    // A new file: the other name of this one is in the export.
    rmSync(join(targets, table));
    writeFileSync(join(targets, table), text.replaceAll(digests.xz, 'f'.repeat(64)));
    expect(await follow()).toMatchObject({ code: 1, notes: expect.stringMatching(/hash/i) });
    expect(follower.texts()).toEqual(before);
    writeFileSync(join(targets, table), text);
  });

  it('brings a release to a second instance, which answers with it', async () => {
    expect(await follow()).toMatchObject({ code: 0, out: expect.stringContaining('new: 8.4.25') });
    expect(await follow()).toMatchObject({ code: 0, out: '0 new, 0 other differences\n' });
    const service = await startService({ DATA_DIR: follower.folder });
    try {
      const answer = await fetch(`${service.url}/releases/index.php?json&version=8.4.25`);
      const { source } = (await answer.json()) as { source: { filename: string; sha256: string }[] };
      const found = source.map(({ filename, sha256 }) => [filename.split('.').at(-1), sha256]);
      expect(Object.fromEntries(found)).toEqual(digests);
    } finally {
      await service.stop();
    }
  });

  it('shows each file of a mirror that is another one', async () => {
    expect(await check()).toBe('');
    const file = join(mirror, 'site/releases/branches.php');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('8.4.25', '8.4.99'));
    await expect(check()).rejects.toThrow('site/releases/branches.php: FAILED');
    writeFileSync(file, text);
    expect(await check()).toBe('');
  });
});
