import { generateKeyPairSync } from 'node:crypto';
import fs, { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataCopy, type PhpTables } from '@workspace/release-catalogue/testing';
import { exportedFile } from '../src/import/exported-files.ts';
import { type PhpSite, publishRelease, startPhpSite } from './php-site.ts';
import { cli } from './run-cli.ts';
import { writeExport } from './signed-export.ts';

describe('import --tuf', () => {
  let folder: string;
  let data: DataCopy;
  let tables: PhpTables;
  let site: PhpSite;
  let mirror: Server;
  let forged: Record<string, (text: string) => string>;
  const key = (): string => join(folder, 'key.pem');
  const repository = (): string => join(folder, 'repository');

  const tuf = async (...args: string[]): Promise<void> => {
    const { code, notes } = await cli(folder, ['tuf', ...args], { now: new Date() });
    expect([code, notes]).toEqual([0, '']);
  };

  /** Exports what the site answers, as far as an import reads it, and signs it. */
  const sign = async (): Promise<void> => {
    const majors = Object.keys({ ...tables.old, ...tables.current });
    const files: Record<string, string> = {};
    for (const path of [
      'releases/index.php?json',
      ...majors.map((major) => `releases/index.php?json&version=${major}&max=-1`),
      'releases/active.php',
      'pre-release-builds.php?format=json',
    ])
      files[exportedFile(path)] = await (await fetch(`${site.url}/${path}`)).text();
    const exported = join(folder, 'export');
    writeExport(exported, files);
    await tuf('targets', repository(), '--export', exported);
    await tuf('sign', repository(), 'targets', '--key', key());
    await tuf('publish', repository(), '--key', key());
  };

  const run = (...more: string[]) => {
    const { port } = mirror.address() as AddressInfo;
    const options = ['--tuf', `http://127.0.0.1:${port}`, '--root', join(folder, 'root.json'), '--yes'];
    return cli(data.folder, ['import', ...options, '--state', join(folder, 'state'), ...more]);
  };
  const release = (version: string, letters: string): void =>
    publishRelease(tables, version, {
      date: '27 Aug 2026',
      tags: ['security'],
      digests: [...letters].map((letter) => letter.repeat(64)),
    });
  const current = (): string => data.json('branches/8.4.json').current.version;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'import-tuf-'));
    data = new DataCopy('7.4');
    tables = data.phpTables();
    forged = {};
    site = await startPhpSite(() => tables);
    mirror = createServer(({ url }, response) => {
      try {
        const text = readFileSync(join(repository(), decodeURIComponent(url!)), 'utf8');
        const [, forge] = Object.entries(forged).find(([part]) => url!.includes(part)) ?? [];
        response.end(forge ? forge(text) : text);
      } catch {
        response.writeHead(404).end();
      }
    });
    await new Promise<void>((resolve) => mirror.listen(0, '127.0.0.1', resolve));
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(key(), privateKey.export({ format: 'pem', type: 'pkcs8' }));
    const roles = ['root', 'targets', 'snapshot', 'timestamp'].flatMap((role) => [
      '--add',
      `${role}=${key()}`,
    ]);
    await tuf('root', repository(), ...roles, '--threshold', 'root=1');
    await tuf('sign', repository(), 'root', '--key', key());
    writeFileSync(join(folder, 'root.json'), readFileSync(join(repository(), 'metadata/1.root.json')));
    await sign();
  });
  afterEach(async () => {
    await site.close();
    mirror.closeAllConnections();
    await new Promise((resolve) => mirror.close(resolve));
    data.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('finds no difference in what it was made from, and takes over a new release', async () => {
    expect(await run()).toMatchObject({ code: 0, out: '0 new, 0 other differences' });
    release('8.4.25', 'abc');
    await sign();
    expect(await run()).toMatchObject({ code: 0 });
    expect(current()).toBe('8.4.25');
  });

  it('takes over nothing from a file that was altered on the way', async () => {
    release('8.4.25', 'abc');
    await sign();
    forged = { 'version=8': (text) => text.replaceAll('a'.repeat(64), 'f'.repeat(64)) };
    const before = data.texts();
    const { code, notes } = await run();
    expect([code, notes]).toEqual([1, expect.stringMatching(/hash/i)]);
    expect(data.texts()).toEqual(before);
  });

  it('does not go back to older files', async () => {
    release('8.4.25', 'abc');
    const old = readFileSync(join(repository(), 'metadata/timestamp.json'), 'utf8');
    await sign();
    expect(await run()).toMatchObject({ code: 0 });
    forged = { 'timestamp.json': () => old };
    expect(await run()).toMatchObject({ code: 1, notes: expect.stringMatching(/version/i) });
  });

  it.each(['root.json', 'timestamp.json'])('goes on after the disk was full for %s', async (name) => {
    expect(await run()).toMatchObject({ code: 0 });
    const old = readFileSync(join(repository(), 'metadata/timestamp.json'), 'utf8');
    release('8.4.25', 'abc');
    await tuf('root', repository());
    await tuf('sign', repository(), 'root', '--key', key());
    await sign();
    expect(await run('--dry-run')).toMatchObject({ code: 0 });
    await tuf('root', repository());
    await tuf('sign', repository(), 'root', '--key', key());
    await tuf('publish', repository(), '--key', key());

    const writeWhole = fs.writeFileSync;
    const full = jest.spyOn(fs, 'writeFileSync').mockImplementation((path, bytes) => {
      if (!String(path).endsWith(name)) return writeWhole(path, bytes);
      writeWhole(path, String(bytes).slice(0, 99));
      throw new Error('the disk is full');
    });
    const { code, notes } = await run();
    full.mockRestore();
    expect([code, notes]).toEqual([1, expect.stringContaining('the disk is full')]);

    forged = { 'timestamp.json': () => old };
    expect(await run()).toMatchObject({ code: 1, notes: expect.stringMatching(/version/i) });
    forged = {};
    expect(await run()).toMatchObject({ code: 0 });
    expect(current()).toBe('8.4.25');
  });

  it('does not go on with another root than the one it began with', async () => {
    expect(await run()).toMatchObject({ code: 0 });
    const root = readFileSync(join(folder, 'root.json'), 'utf8');
    writeFileSync(join(folder, 'root.json'), root.replaceAll(' ', '  '));
    expect(await run()).toMatchObject({ code: 1, notes: expect.stringContaining('another root') });
    writeFileSync(join(folder, 'root.json'), root);
    expect(await run()).toMatchObject({ code: 0 });
  });

  it('reports a server that is down', async () => {
    const notes = expect.stringMatching(
      /^http:\S+root\.json: connect ECONNREFUSED \S+\nNothing was written\.$/,
    );
    expect(await run('--tuf', 'http://127.0.0.1:1')).toMatchObject({ code: 1, notes });
  });

  it('reports a root that is no root, and a command line without one', async () => {
    const root = readFileSync(join(folder, 'root.json'), 'utf8');
    writeFileSync(join(folder, 'root.json'), '{}');
    expect(await run()).toMatchObject({
      code: 1,
      notes: expect.stringContaining('is not the root of a TUF repository.\nNothing'),
    });
    writeFileSync(join(folder, 'root.json'), root);
    expect(await run()).toMatchObject({ code: 0 });
    expect(await cli(data.folder, ['import', '--tuf', site.url])).toMatchObject({ code: 2 });
  });
});
