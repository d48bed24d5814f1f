import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataCopy } from '@workspace/release-catalogue/testing';
import { phpTables } from './php-tables.ts';
import { cli, unsynced } from './run-cli.ts';

describe('import', () => {
  let data: DataCopy;
  let from: string;

  beforeEach(() => {
    data = new DataCopy();
    from = join(data.root, 'tables');
    mkdirSync(from);
    for (const [name, table] of Object.entries(phpTables(data))) {
      writeFileSync(join(from, name), JSON.stringify(table));
    }
  });
  afterEach(() => data.remove());

  const empty = () => {
    rmSync(join(data.folder, 'branches'), { recursive: true });
    const accepted = { $schema: 'schemas/accepted-findings.schema.json', accepted: [] };
    data.write('accepted-findings.json', JSON.stringify(accepted));
  };
  const run = (...args: string[]) => cli(data.folder, ['import', from, ...args]);

  it("converts php.net's tables into exactly this data, and reports what it found", async () => {
    const before = data.texts();
    empty();
    const { code, out } = await run('--yes');
    expect(code).toBe(0);
    expect(out).toContain('556 releases in 25 branches imported');
    expect(out).toContain('68 violations, accepted as imported');
    expect(out.match(/^found: /gm)).toHaveLength(68);
    expect(data.texts()).toEqual(before);
  });

  it('is completed by another run when the disk was full', async () => {
    const before = data.texts();
    empty();
    const mkdir = () =>
      Promise.reject(Object.assign(new Error(), { code: 'ENOSPC', errno: -28, syscall: 'mkdir' }));
    const files = { ...unsynced, mkdir };
    expect(await cli(data.folder, ['import', from, '--yes'], { files })).toEqual({
      code: 1,
      out: expect.any(String),
      notes: 'Cannot mkdir a file: the disk is full.\nThe import is incomplete: run the command again.',
    });
    expect(await run('--yes')).toMatchObject({ code: 0 });
    expect(data.texts()).toEqual(before);
  });

  it('writes nothing with --dry-run', async () => {
    empty();
    const before = data.texts();
    expect(await run('--dry-run')).toMatchObject({ code: 0, notes: 'Dry run: nothing was written.' });
    expect(data.texts()).toEqual(before);
  });

  it('does not run over data that is there', async () => {
    const before = data.texts();
    expect(await run('--yes')).toMatchObject({
      code: 1,
      notes: expect.stringContaining('has branches already'),
    });
    expect(data.texts()).toEqual(before);
  });

  it.each([
    [
      'a day that does not exist',
      'old.json',
      '"02 Jul 2026"',
      '"32 Jul 2026"',
      '"32 Jul 2026" is not a date',
    ],
    ['half a table', 'qa.json', /.{9}$/, '', 'qa.json: '],
    ['an unknown member', 'current.json', '"tags"', '"tag"', '[shape]'],
  ])('refuses %s', async (_, name, was, is, sentence) => {
    empty();
    const before = data.texts();
    writeFileSync(join(from, name), readFileSync(join(from, name), 'utf8').replace(was, is));
    expect(await run('--yes')).toMatchObject({ code: 1, notes: expect.stringContaining(sentence) });
    expect(data.texts()).toEqual(before);
  });
});
