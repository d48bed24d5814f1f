import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataCopy } from '@workspace/release-catalogue/testing';
import { cli } from './run-cli.ts';

describe('add-windows', () => {
  let data: DataCopy;
  beforeEach(() => (data = new DataCopy()));
  afterEach(() => data.remove());

  const path = 'php-8.4.24-nts-Win32-vs17-x64.zip';
  const sha256 = createHash('sha256').update(path).digest('hex');
  const zip = { path, size: '32.5MB', sha256 };
  const entry = {
    version: '8.4.24',
    source: { path: 'php-8.4.24-src.zip' },
    'nts-vs17-x64': { mtime: 'x', zip },
  };
  const add = (index: unknown, version = '8.4.24') => {
    const file = join(data.root, 'releases.json');
    writeFileSync(file, typeof index === 'string' ? index : JSON.stringify(index));
    return cli(data.folder, ['add-windows', version, '--index', file, '--yes']);
  };

  it('puts the builds of a release on record, once', async () => {
    expect(await add({ '8.4': entry })).toMatchObject({ code: 0 });
    expect(data.json('branches/8.4.json')).toMatchObject({
      current: {
        version: '8.4.24',
        windows: { source: { path: 'php-8.4.24-src.zip' }, builds: { 'nts-vs17-x64': { mtime: 'x', zip } } },
      },
      audit: [{ action: 'add-windows', version: '8.4.24' }],
    });
    expect((await add({ '8.4': entry })).notes).toContain('8.4.24 has these builds already.');
    const other = { ...entry, 'nts-vs17-x64': { zip: { ...zip, sha256: 'a'.repeat(64) } } };
    expect((await add({ '8.4': other })).notes).toContain(
      'has other builds for Windows on record; use correct.',
    );
    expect(await cli(data.folder, ['validate'])).toMatchObject({ code: 0 });
  });

  it.each([
    ['text', '<html>', 'cannot be read'],
    ['a list', [], 'it has nothing of this branch'],
    ['another version', { '8.4': { ...entry, version: '8.4.25' } }, 'it has 8.4.25 of this branch'],
    ['no build', { '8.4': { version: '8.4.24' } }, '8.4.24 /builds:'],
    [
      'a digest that is cut',
      { '8.4': { ...entry, 'ts-vs17-x64': { zip: { ...zip, sha256: 'ab' } } } },
      '/sha256:',
    ],
    ['no digest', { '8.4': { ...entry, 'ts-vs17-x64': { zip: { path } } } }, '/sha256:'],
    [
      'a path out of the folder',
      { '8.4': { ...entry, 'ts-vs17-x64': { zip: { ...zip, path: '../x' } } } },
      '/path:',
    ],
    ['the same file twice', { '8.4': { ...entry, 'ts-vs17-x64': { zip } } }, 'windows-builds'],
  ])('rejects an index with %s', async (_what, index, sentence) => {
    const before = data.texts();
    const { code, notes } = await add(index);
    expect([code, notes]).toEqual([1, expect.stringContaining(sentence)]);
    expect(data.texts()).toEqual(before);
  });

  it('needs an index, and a version on record', async () => {
    expect(await cli(data.folder, ['add-windows', '8.4.24'])).toMatchObject({ code: 2 });
    expect((await add({ '8.4': { ...entry, version: '8.4.99' } }, '8.4.99')).notes).toContain(
      'is not on record',
    );
  });
});
