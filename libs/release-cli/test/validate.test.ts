import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DataCopy } from '@workspace/release-catalogue/testing';
import { cli } from './run-cli.ts';

describe('validate', () => {
  let data: DataCopy;
  beforeEach(() => (data = new DataCopy()));
  afterEach(() => data.remove());

  const run = (...args: string[]) => cli(data.folder, ['validate', ...args]);
  const edit = (file: string, from: string | RegExp, to: string) => {
    const text = data.texts()[file]!;
    expect(text).toMatch(from);
    data.write(file, text.replace(from, to));
  };

  it('says that the data is good', async () => {
    expect(await run()).toEqual({
      code: 0,
      out:
        '68 accepted violations (--all lists them)\n' +
        'valid: 556 releases in 25 branches, 3 builds, revision 2026-08-13T00:00:00.000Z',
      notes: '',
    });
  });

  it('prints JSON', async () => {
    const { code, out } = await run('--json');
    const report = JSON.parse(out);
    expect(code).toBe(0);
    expect(report).toMatchObject({ valid: true, releases: 556, branches: 25, builds: 3 });
    expect(report.violations).toHaveLength(68);
    expect(Object.keys(report.violations[0])).toEqual([
      'rule',
      'severity',
      'file',
      'pointer',
      'subject',
      'detail',
      'accepted',
    ]);
  });

  it.each([
    ['a missing comma', '"version": "8.4.24",', '"version": "8.4.24"', "branches/8.4.json: Expected ','"],
    ['a truncated digest', 'd5fe6a1d7633', 'd5fe6a1d76', 'is not a sha256 digest: 62 characters'],
    ['an unknown member', '"active": true', '"activ": true', 'branches/8.4.json#/pre_releases/0/activ'],
    ['half a file', /"history"[^]*/, '', 'branches/8.4.json: '],
    ['a branch in the file of another', '"branch": "8.4"', '"branch": "8.7"', 'belongs in branches/8.7.json'],
  ])('names file and fault: %s', async (_, from, to, sentence) => {
    edit('branches/8.4.json', from, to);
    const { code, out } = await run();
    expect(code).toBe(1);
    expect(out).toContain(sentence);
    expect(out).toContain('The data is invalid.');
  });

  it.each(['product.json', 'news.json', 'accepted-findings.json', 'branches'])('misses %s', async (name) => {
    rmSync(join(data.folder, name), { recursive: true });
    expect(await run()).toMatchObject({ code: 1, out: expect.stringContaining(`error: ${name}: `) });
  });

  it('compares with the data before', async () => {
    const before = join(data.root, 'before');
    cpSync(data.folder, before, { recursive: true });
    edit('branches/8.4.json', '"name": "PHP 8.4.24 (tar.gz)"', '"name": "PHP 8.4.24"');
    expect(await run()).toMatchObject({ code: 0 });
    expect(await run('--against', before)).toMatchObject({
      code: 1,
      out: expect.stringContaining('[published-immutable]'),
    });
  });

  it('compares with the archives', async () => {
    data.pack('8.4.24');
    mkdirSync(join(data.root, 'none'));
    expect(await run('--tarballs', join(data.root, 'none'))).toMatchObject({ code: 0 });
    expect(await run('--tarballs', data.archives)).toMatchObject({
      code: 1,
      out: expect.stringContaining('php-8.4.24.tar.gz is on record with d5fe6a1d'),
    });
  });

  it.each([
    [['validate', '--colour'], "Unknown option '--colour'."],
    [['validate', '--agianst', 'x'], 'Did you mean "--against"?'],
    [['validate', 'everything'], '"everything" is not expected here.'],
    [['publish'], '"publish" is not a command. `release-data --help` lists the commands.'],
    [['constructor'], '"constructor" is not a command.'],
    [['yanc'], '"yanc" is not a command. Did you mean "yank"?'],
  ])('knows a wrong command line: %s', async (args, sentence) => {
    expect(await cli(data.folder, args)).toMatchObject({ code: 2, notes: expect.stringContaining(sentence) });
  });

  it('shows help that fits 80 columns', async () => {
    const overview = await cli(data.folder, ['--help']);
    const names = [...overview.out.matchAll(/^ {2}([a-z-]+) {2}/gm)].map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(12);
    const helps = await Promise.all(names.map((name) => cli(data.folder, [name, '--help'])));
    const lines = [overview, ...helps].flatMap(({ out }) => out.split('\n'));
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it('shows an example with known options, and exit codes, for each command', async () => {
    const { code, out } = await cli(data.folder, ['--help']);
    expect(code).toBe(0);
    expect(out).toContain('Exit codes: 0 done');
    const names = [...out.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(9);
    for (const name of names) {
      const { code: helped, out: help } = await cli(data.folder, [name, '--help']);
      expect(helped).toBe(0);
      const example = /^Example: release-data (.*)$/m.exec(help)![1]!;
      expect(example).toMatch(new RegExp(`^${name} `));
      for (const [option] of example.matchAll(/--[a-z-]+/g)) expect(help).toContain(option);
      expect(help).toMatch(/Exit codes?:?\s+0/);
    }
  });

  it('prints completions with every command and the options of each', async () => {
    const { code, out } = await cli(data.folder, ['completions', 'bash']);
    expect(code).toBe(0);
    expect(out).toMatch(/1:\*\) words='validate import .* completions --help --version'/);
    expect(out).toMatch(/\*:yank\) words='--date --reason --data --dry-run --yes --help'/);
    expect(await cli(data.folder, ['completions', 'csh'])).toMatchObject({
      code: 2,
      notes: 'completions needs one of bash, zsh, fish, not "csh"',
    });
  });
});
