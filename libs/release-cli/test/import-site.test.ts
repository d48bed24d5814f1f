import { cpSync } from 'node:fs';
import * as disk from 'node:fs/promises';
import { join } from 'node:path';
import { DataCopy, type PhpTables } from '@workspace/release-catalogue/testing';
import { type PhpSite, publishRelease, startPhpSite } from './php-site.ts';
import { cli } from './run-cli.ts';

describe('import --url', () => {
  let data: DataCopy;
  let tables: PhpTables;
  let site: PhpSite;
  let failing: Set<string>;

  beforeEach(async () => {
    data = new DataCopy('7.4');
    tables = data.phpTables();
    failing = new Set();
    site = await startPhpSite(() => tables, failing);
  });
  afterEach(async () => {
    await site.close();
    data.remove();
  });

  const run = (...args: string[]) => cli(data.folder, ['import', '--url', site.url, ...args]);
  const hash = (letter: string) => letter.repeat(64);
  /** php.net publishes a security release. @param letters of which its digests consist */
  const release = (version: string, letters: string, date = '27 Aug 2026') =>
    publishRelease(tables, version, { date, tags: ['security'], digests: [...letters].map(hash) });
  /** php.net opens the slot of a version or puts a build into it. */
  const slot = (version: string, number: number, folder: string, letters = '') => {
    const digests = Object.fromEntries(
      ['bz2', 'gz', 'xz'].map((archive, index) => [`sha256_${archive}`, letters && hash(letters[index]!)]),
    );
    const build = { type: 'RC' as const, number, ...digests, date: '27 August 2026' };
    tables.qa[version] = {
      active: true,
      release: { ...build, baseurl: `https://downloads.php.net/${folder}` },
    };
  };
  const current = (branch: string) => data.json(`branches/${branch}.json`).current.version;
  const past = (branch: string): string[] =>
    data.json(`branches/${branch}.json`).history.map(({ version }: { version: string }) => version);

  it('finds no difference in what it was made from', async () => {
    const before = data.texts();
    const { code, out } = await run('--yes');
    expect([code, out]).toEqual([0, '0 new, 0 other differences']);
    expect(data.texts()).toEqual(before);
  });

  it('takes over new releases, also older ones than three days, and then finds no difference', async () => {
    release('8.4.25', 'abc', '13 Aug 2026');
    release('8.4.26', 'def');
    const { code, out } = await run('--yes');
    expect(out).toContain(
      'new: 8.4.25 of 13 Aug 2026\nnew: 8.4.26 of 27 Aug 2026\n2 new, 0 other differences',
    );
    expect(code).toBe(0);
    const branch = data.json('branches/8.4.json');
    expect(branch.current).toMatchObject({ version: '8.4.26', kind: 'security', date: '2026-08-27' });
    expect(branch.history.slice(0, 2).map(({ version }: { version: string }) => version)).toEqual([
      '8.4.25',
      '8.4.24',
    ]);
    expect(branch.pre_releases).toEqual([]);
    expect(branch.retired_builds.map(({ version }: { version: string }) => version)).toContain('8.4.25RC1');
    expect(branch.audit.at(-1)).toMatchObject({
      action: 'import',
      version: '8.4.26',
      reason: `published at ${site.url}`,
    });
    expect((await run('--yes')).out).not.toMatch(/^new|^differs/m);
  });

  it('takes over builds', async () => {
    const slot = tables.qa['8.5.10'] as { release: Record<string, unknown> };
    slot.release = { ...slot.release, number: 2, date: '27 August 2026' };
    for (const [index, archive] of ['bz2', 'gz', 'xz'].entries())
      slot.release[`sha256_${archive}`] = hash('abc'[index]!);
    const { code, out } = await run('--yes');
    expect([code, out.split('\n').slice(0, 2)]).toEqual([
      0,
      ['new: 8.5.10RC2', '1 new, 0 other differences'],
    ]);
    expect(data.json('branches/8.5.json').retired_builds.at(-1).version).toBe('8.5.10RC1');
  });

  it('takes over nothing again that another updater has taken over meanwhile', async () => {
    release('8.3.34', 'abc');
    release('8.4.25', 'def');
    slot('8.5.10', 2, '~newcomer/', '123');
    const other = join(data.root, 'other');
    cpSync(data.folder, other, { recursive: true });
    expect(await cli(other, ['import', '--url', site.url, '--yes'])).toMatchObject({ code: 0 });
    const rename: typeof disk.rename = async (from, to) => {
      await disk.rename(from, to);
      cpSync(join(other, 'branches'), join(data.folder, 'branches'), { recursive: true });
    };
    const run = await cli(data.folder, ['import', '--url', site.url, '--yes'], {
      files: { ...disk, rename },
    });
    expect(run).toMatchObject({ code: 0, notes: expect.not.stringContaining('not taken over') });
    for (const branch of ['8.3', '8.4', '8.5'])
      expect(data.json(`branches/${branch}.json`).audit.length).toBe(
        JSON.parse(await disk.readFile(join(other, `branches/${branch}.json`), 'utf8')).audit.length,
      );
  });

  it('reports what differs and what is missing, and changes and drops nothing', async () => {
    const before = data.texts();
    (tables.current['8']!['8.4.24']!.source[0] as { sha256: string }).sha256 = hash('a');
    delete tables.old['8']!['8.4.20'];
    delete tables.current['8']!['8.2.33'];
    tables.old['9'] = { '9.0.0': tables.current['8']!['8.4.24']! };
    const { code, out } = await run('--yes');
    expect(out.split('\n')).toEqual([
      'only there: 9.0.0, of a branch that is not on record',
      expect.stringMatching(/^differs: 8\.4\.24 \/source\/0\/sha256: here "d5fe6a1d\w+", there "a{64}"$/),
      'only here: 8.2.33',
      'only here: 8.2 in the current table; see the command retire',
      'only here: 8.4.20',
      '0 new, 5 other differences',
    ]);
    expect(code).toBe(3);
    expect(data.texts()).toEqual(before);
  });

  it('fails for what a new branch has until that is opened, and takes over the rest', async () => {
    const { release } = tables.qa['8.5.10'] as { release: Record<string, unknown> };
    tables.qa['8.7.0'] = {
      active: true,
      release: { ...release, type: 'alpha', number: 1, date: '27 August 2026' },
    } as never;
    const { code, out, notes } = await run('--yes');
    expect(out).toContain('only there: the slot of 8.7.0');
    expect(notes).toBe(
      'error: 8.7 is not on record; open it with add-pre-release --new-branch.\n8.7.0alpha1 was not taken over.',
    );
    expect(code).toBe(1);
    delete tables.qa['8.7.0'];
    tables.current['9'] = { '9.0.0': tables.current['8']!['8.4.24']! };
    const next = await run('--yes');
    expect(next.notes).toContain('9.0.0 was not taken over.');
    expect(next.code).toBe(1);
    // A branch of long ago may be left out.
    delete tables.current['9'];
    tables.old['2'] = { '2.9.0': tables.current['8']!['8.4.24']! };
    expect((await run('--yes')).code).toBe(0);
  });

  it('reports slots that differ and are missing', async () => {
    const before = data.texts();
    (tables.qa['8.4.25'] as { active: boolean }).active = false;
    delete tables.qa['8.6.0'];
    const { out } = await run('--yes');
    expect(out.split('\n')).toEqual([
      'differs: the slot of 8.4.25 /active: here true, there false',
      'only here: the slot of 8.6.0',
      '0 new, 2 other differences',
    ]);
    expect(data.texts()).toEqual(before);
  });

  it('rejects a new release that breaks a rule, and takes over the others', async () => {
    release('8.4.25', 'aac');
    release('8.5.10', 'def');
    const { code, notes } = await run('--yes');
    expect(code).toBe(1);
    expect(notes).toContain('hash-unique-in-release');
    expect(notes).toContain('8.4.25 was not taken over.');
    expect([current('8.4'), current('8.5')]).toEqual(['8.4.24', '8.5.10']);
  });

  it('takes over a release whose slot of number 0 appears with it, and reports the slot', async () => {
    delete tables.qa['8.4.25'];
    release('8.4.25', 'abc');
    slot('8.4.25', 0, '');
    const { code, out } = await run('--yes');
    expect([code, out.split('\n')]).toEqual([
      0,
      expect.arrayContaining([
        'new: 8.4.25 of 27 Aug 2026',
        'only there: the slot of 8.4.25, which 8.4.25 has overtaken',
        '1 new, 1 other differences',
      ]),
    ]);
    expect(current('8.4')).toBe('8.4.25');
    expect(data.json('branches/8.4.json').pre_releases).toEqual([]);
  });

  it('takes over a release though the slot after it breaks a rule', async () => {
    release('8.4.25', 'abc');
    slot('8.4.26', 1, 'calvinb/', 'def');
    const { code, notes } = await run('--yes');
    expect([code, notes]).toEqual([1, expect.stringContaining('8.4.26RC1 was not taken over.')]);
    expect(notes).toContain('[build-folder]');
    expect(current('8.4')).toBe('8.4.25');
  });

  it('takes over a slot though the release before it breaks a rule', async () => {
    release('8.4.25', 'aab');
    slot('8.4.26', 1, '~calvinb/', 'def');
    const { code, notes } = await run('--yes');
    expect([code, notes]).toEqual([1, expect.stringContaining('8.4.25 was not taken over.')]);
    expect(data.json('branches/8.4.json').pre_releases.at(-1).version).toBe('8.4.26');
  });

  it('takes over a later release, and the rejected one when php.net has corrected it', async () => {
    release('8.4.25', 'aab', '13 Aug 2026');
    release('8.4.26', 'def');
    expect(await run('--yes')).toMatchObject({ code: 1 });
    expect([current('8.4'), past('8.4').slice(0, 2)]).toEqual(['8.4.26', ['8.4.24', '8.4.23']]);
    const { source } = tables.old['8']!['8.4.25']!;
    Object.assign(source[1]!, { sha256: hash('c') });
    expect(await run('--yes')).toMatchObject({
      code: 0,
      out: expect.stringContaining('new: 8.4.25 of 13 Aug'),
    });
    expect([current('8.4'), past('8.4').slice(0, 2)]).toEqual(['8.4.26', ['8.4.25', '8.4.24']]);
    expect((await run('--yes')).out).not.toMatch(/^new|8\.4\.25$/m);
    expect(await cli(data.folder, ['validate'])).toMatchObject({ code: 0 });
  });

  it('puts releases of one run into the order of the site', async () => {
    release('8.5.10', 'abc');
    release('8.4.25', 'def');
    await run('--yes');
    const ranks = ['8.5', '8.4'].map((branch) => data.json(`branches/${branch}.json`).history[0].rank);
    expect(ranks).toEqual([161, 162]);
  });

  it('takes over a build of a release manager that product.json does not name, with a warning', async () => {
    slot('8.5.10', 2, '~newcomer/', 'abc');
    const { code, notes } = await run('--yes');
    expect([code, notes]).toEqual([0, expect.stringMatching(/^warning: .*~newcomer\/.* \[build-folder\]$/m)]);
    expect(data.json('branches/8.5.json').pre_releases[0].release.number).toBe(2);
    // It stays one when the data is validated later.
    expect(await cli(data.folder, ['validate'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('~newcomer/'),
    });
  });

  it('exits with 3 when the site has another digest for an old release', async () => {
    const whole = new DataCopy();
    try {
      tables = whole.phpTables();
      Object.assign(tables.old['5']!['5.2.0']!.source[0]!, { md5: '0'.repeat(32) });
      const { code, notes } = await cli(whole.folder, ['import', '--url', site.url, '--yes']);
      expect([code, notes]).toEqual([3, expect.stringContaining('other digests than the data for 5.2.0.')]);
    } finally {
      whole.remove();
    }
  });

  it.each([
    [
      'a release',
      () => Object.assign(tables.old['8']!['8.4.23']!.source[2]!, { sha256: hash('a') }),
      '8.4.23',
    ],
    ['a build', () => Object.assign(tables.qa['8.5.10']!.release, { sha256_gz: hash('a') }), '8.5.10RC1'],
  ])(
    'exits with 3 when the site has another digest for %s, and still takes over the rest',
    async (_, correct, what) => {
      correct();
      release('8.4.25', 'abd');
      const { code, notes } = await run('--yes');
      expect(notes).toContain(
        `error: ${site.url} has other digests than the data for ${what}. Check the files,`,
      );
      expect([code, current('8.4')]).toEqual([3, '8.4.25']);
    },
  );

  const decisions: [string, () => unknown, RegExp][] = [
    [
      'another end of support',
      () => (tables.overrides = { ...tables.overrides, '8.2': { security: '2027-06-30' } }),
      /^error: security support of 8\.2 ends on 2027-06-30 there, on 2026-12-31 here: use set-support 8\.2 --security 2027-06-30\.$/m,
    ],
    [
      'no release any more, which it has withdrawn',
      () => delete tables.old['8']!['8.4.20'],
      /^error: 8\.4\.20 is not there any more: if it was withdrawn, use yank 8\.4\.20\.$/m,
    ],
    [
      'another date',
      () => (tables.old['8']!['8.4.20']!.date = '04 Jul 2025'),
      /^error: 8\.4\.20 has another \/date there: if that is right, use correct 8\.4\.20\.$/m,
    ],
    [
      'a release marked as security',
      () => (tables.old['8']!['8.4.20']!.tags = ['security']),
      /^error: 8\.4\.20 has another \/tags\/0 there/m,
    ],
    [
      'no build any more',
      () => delete tables.qa['8.6.0'],
      /^error: 8\.6\.0beta1 is not there any more: if it was withdrawn, use yank 8\.6\.0beta1\.$/m,
    ],
    [
      'an earlier build',
      () => Object.assign(tables.qa['8.5.10']!.release, { number: 0 }),
      /^error: 8\.5\.10RC1 is not there any more/m,
    ],
    [
      'a build in another folder',
      () => Object.assign(tables.qa['8.5.10']!.release, { baseurl: 'https://downloads.php.net/~x/' }),
      /^error: 8\.5\.10RC1 is in https:\/\/downloads\.php\.net\/~x\/ there: use correct 8\.5\.10RC1 --set/m,
    ],
  ];
  it.each(decisions)('exits with 4 and says what to do when the site has %s', async (_what, change, line) => {
    change();
    const before = data.texts();
    const { code, notes } = await run('--yes');
    expect([code, notes]).toEqual([4, expect.stringMatching(line)]);
    expect(data.texts()).toEqual(before);
  });

  it('takes over the CVE ids of another release-web, and says which are missing here', async () => {
    const cves = ['CVE-2026-0002', 'CVE-2026-0001'].map((cve, index) => ({
      cve,
      // null: the release that fixed it was withdrawn.
      fixed_since: [{ version: '8.4.25' }, { version: index === 0 ? '8.3.33' : null }],
    }));
    // Here the site has it since the release after the one that fixed it.
    cves.push({ cve: 'CVE-2026-0003', fixed_since: [{ version: '8.3.33' }] });
    const known = ['correct', '8.3.32', '--fixes', 'CVE-2026-0003', '--reason', 'x', '--yes'];
    expect(await cli(data.folder, known)).toMatchObject({ code: 0 });
    const other = await startPhpSite(() => tables, failing, cves);
    publishRelease(tables, '8.4.25', { date: '27 Aug 2026', tags: [], digests: [...'abc'].map(hash) });
    const run = await cli(data.folder, ['import', '--url', other.url, '--yes']);
    expect([run.code, data.json('branches/8.4.json').current.fixes]).toEqual([
      4,
      ['CVE-2026-0001', 'CVE-2026-0002'],
    ]);
    expect(run.notes).toContain(
      'error: 8.3.33 fixes CVE-2026-0002 there: use correct 8.3.33 --fixes CVE-2026-0002.',
    );
    await other.close();
  });

  it('has nothing to decide when what the site withdrew is withdrawn here', async () => {
    delete tables.current['8']!['8.4.24'];
    tables.current['8']!['8.4.23'] = tables.old['8']!['8.4.23']!;
    delete tables.old['8']!['8.4.23'];
    expect(await run('--yes')).toMatchObject({ code: 4 });
    expect(await cli(data.folder, ['yank', '8.4.24', '--reason', 'x', '--yes'])).toMatchObject({ code: 0 });
    expect(await run('--yes')).toMatchObject({ code: 0 });
  });

  it('warns when the site does not say when support ends', async () => {
    failing.add('/releases/branches.php');
    expect(await run('--yes')).toMatchObject({
      code: 0,
      notes: `warning: ${site.url} does not say when support ends: not compared.`,
    });
  });

  it('a digest that only one side has is a difference like any other', async () => {
    delete (tables.old['8']!['8.4.23']!.source[2] as { sha256?: string }).sha256;
    expect(await run('--yes')).toMatchObject({ code: 0, out: expect.stringMatching(/^differs: 8\.4\.23/) });
  });

  it('names its exit codes', async () => {
    const { out } = await cli(data.folder, ['import', '--help']);
    expect(out).toMatch(/^ {2}Exit codes:\n {2}0 .*^ {2}1 .*^ {2}2 .*^ {2}3 .*^ {2}4 /ms);
  });

  it.each(['/releases/active.php', '/pre-release-builds.php'])(
    'takes over releases while %s fails, and says so',
    async (path) => {
      failing.add(path);
      release('8.4.25', 'abc');
      const { code, out } = await run('--yes');
      expect([code, current('8.4')]).toEqual([1, '8.4.25']);
      expect(out.split('\n').slice(0, 3)).toEqual([
        'new: 8.4.25 of 27 Aug 2026',
        expect.stringMatching(new RegExp(`^not readable: .*${path}.*404`)),
        '1 new, 1 other differences',
      ]);
    },
  );

  it('reports a slot that makes no sense at all, and takes over the releases', async () => {
    Object.assign(tables.qa, { '8.4.26': null, '8.5.11': { active: true }, '8.6.1': 7 });
    release('8.4.25', 'abc');
    const { code, out } = await run('--yes');
    expect([code, current('8.4')]).toEqual([1, '8.4.25']);
    for (const version of ['8.4.26', '8.5.11', '8.6.1']) expect(out).toContain(`not understood: ${version}`);
  });

  it('reports a release in an unknown shape', async () => {
    release('8.4.25', 'abc');
    Object.assign(tables.current['8']!['8.4.25']!, { surprise: 1 });
    const { code, out } = await run('--yes');
    expect([code, out]).toEqual([
      1,
      'not understood: 8.4.25 /surprise: Unexpected property\n0 new, 1 other differences',
    ]);
  });

  it('writes nothing on a dry run', async () => {
    release('8.4.25', 'abc');
    const before = data.texts();
    const { code, out, notes } = await run('--dry-run');
    expect([code, data.texts()]).toEqual([0, before]);
    expect(out).toContain('+    "version": "8.4.25"');
    expect(notes).toContain('Dry run');
  });

  it.each([
    ['/nothing/', 1, 'status 404'],
    ['ftp://site.example/', 2, 'is the address of a site'],
  ])('%s is rejected', async (address, code, reason) => {
    const url = address.startsWith('/') ? site.url + address : address;
    const rejected = await cli(data.folder, ['import', '--url', url, '--yes']);
    expect(rejected.code).toBe(code);
    expect(rejected.notes).toContain(reason);
  });

  it('a site that cannot be reached is rejected', async () => {
    const { code, notes } = await cli(data.folder, ['import', '--url', 'http://127.0.0.1:1', '--yes']);
    expect([code, notes]).toEqual([
      1,
      expect.stringContaining('http://127.0.0.1:1/releases/index.php?…: connect ECONNREFUSED'),
    ]);
  });
});
