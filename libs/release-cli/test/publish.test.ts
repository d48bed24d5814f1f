import { linkSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { open as openFile, readdir, rename, rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { DataCopy } from '@workspace/release-catalogue/testing';
import { cli } from './run-cli.ts';

// What an edit makes of the data is tested in release-catalogue.
describe('the commands that publish', () => {
  let data: DataCopy;
  beforeEach(() => (data = new DataCopy('7.4')));
  afterEach(() => data.remove());

  const run = (...args: string[]) => cli(data.folder, args);
  const done = async (...args: string[]) => {
    const { code, out, notes } = await run(...args, '--yes');
    expect({ code, notes }).toEqual({ code: 0, notes: expect.anything() });
    return { out, notes };
  };
  const rejected = async (code: number, sentence: string, ...args: string[]) => {
    const before = data.texts();
    const notes = expect.stringContaining(sentence);
    expect(await run(...args, '--yes')).toMatchObject({ code, notes });
    expect(data.texts()).toEqual(before);
  };
  const branch = (name: string) => data.json(`branches/${name}.json`);
  const promotion = (version: string, ...more: string[]) => {
    data.pack(version);
    return ['promote', version, '--kind', 'bugfix', '--tarballs', data.archives, ...more];
  };
  /** of the archives, by name */
  const sizes = (version: string): Record<string, number> =>
    Object.fromEntries(
      ['gz', 'bz2', 'xz']
        .map((archive) => `php-${version}.tar.${archive}`)
        .map((name) => [name, statSync(join(data.archives, name)).size]),
    );

  it.each<[args: string, code: number, sentence: string]>([
    ['promote 8.4.25', 2, '--kind is missing.'],
    ['promote 8.4.25 --kind security', 2, 'names what it fixes: add --fixes'],
    ['promote 8.4.25 --kind bugfix --fixes CVE-2026-0000', 2, 'is of --kind security'],
    ['promote 8.4.25 --kind security --fixes 2026-17544', 2, 'not "2026-17544"'],
    ['promote 8.4.25 --kind fix', 2, '--kind must be security or bugfix, not "fix".'],
    ['promote 8.4.25 --kind bugfix', 2, 'Digests are never typed in'],
    ['promote --kind bugfix', 2, 'The version is missing.'],
    ['promote 8.5. --kind bugfix', 2, '"8.5." is not the version'],
    ['promote 8.4.25 --sha256 abc', 2, "Unknown option '--sha256'"],
    ['promote 8.4.25 --kind bugfix --date 2026-02-30', 2, '--date must be a day'],
    ['promote 85.9.0 --kind bugfix --tarballs .', 1, 'does not hold php-85.9.0'],
    ['promote 8.4.24 --kind bugfix --tarballs ARCHIVES', 1, '8.4.24 is released already'],
    ['promote 8.4.25 --kind bugfix --tarballs ARCHIVES --date 2025-08-27', 1, '[entry-date]'],
    ['add-pre-release 8.4.25rc2', 2, 'is not the version of a build'],
    ['add-pre-release 8.4.25RC2 --tarballs ARCHIVES --manager daniels', 1, '[build-folder]'],
    ['add-pre-release 8.7.0alpha1 --tarballs ARCHIVES --new-branch', 1, 'no release manager of 8.7'],
    ['yank 8.4.24', 2, '--reason is missing'],
    ['correct 8.4.24 --reason x', 2, 'add an option like --tarballs, --date, --kind, --fixes or --set.'],
    ['correct 8.4.24 --reason x --set /published/source/0/sha256="abc"', 2, 'Digests are never typed in'],
    ['correct 8.4.24 --reason x --set /colour="red"', 1, '[shape]'],
    ['retire 8.2', 1, 'Branch 8.2 is supported until 2026-12-31.'],
    ['add-news x --summary s', 2, '--link is missing'],
    ['add-news x --link javascript:alert(1) --summary s', 1, '/items/0/link'],
    ['add-news x --link https://php.example/ --summary s --replace', 1, 'There is no news item'],
  ])('reject %s', async (args, code, sentence) => {
    for (const version of ['8.4.24', '8.4.25', '8.4.25RC2', '8.7.0alpha1']) data.pack(version);
    await rejected(code, sentence, ...args.replace('ARCHIVES', data.archives).split(' '));
  });

  describe('promote', () => {
    it('makes the release current, keeps the one before, clears the slot; one file changes', async () => {
      const before = data.texts();
      const digests = data.pack('8.4.25');
      const fixes = ['CVE-2026-0001', 'CVE-2026-0000'];
      const { out, notes } = await done(
        ...['promote', '8.4.25', '--kind', 'security', ...fixes.flatMap((cve) => ['--fixes', cve])],
        ...['--tarballs', data.archives, '--next', '8.4.26'],
      );
      expect(notes).toContain('branches/8.4.json written; revision 2026-08-27T09:00:00.000Z');
      expect(notes).toContain('the pre-release slot of 8.4.25 is cleared and 8.4.25RC1 retired');
      expect(notes).not.toContain('never released');
      expect(out).toContain('+    "version": "8.4.25",');

      const after = data.texts();
      expect(Object.keys(after).filter((file) => after[file] !== before[file])).toEqual([
        'branches/8.4.json',
      ]);
      expect(Object.keys(after)).toEqual(Object.keys(before));
      const is = branch('8.4');
      expect(is).toMatchObject({
        current: {
          version: '8.4.25',
          date: '2026-08-27',
          kind: 'security',
          fixes,
          published: { announcement: true, date: '27 Aug 2026' },
        },
        pre_releases: [{ version: '8.4.26', active: true, release: { type: 'RC', number: 0 } }],
        retired_builds: [{ version: '8.4.25RC1', date: '13 August 2026' }],
        audit: [{ at: '2026-08-27T09:00:00Z', action: 'promote', version: '8.4.25' }],
      });
      expect(is.current.published.source.map(({ sha256 }: { sha256: string }) => sha256)).toEqual(
        Object.values(digests),
      );
      expect(is.current.sizes).toEqual(sizes('8.4.25'));
    });

    it('rejects what breaks a rule, by its name, and writes nothing', async () => {
      const rc1 = branch('8.4').pre_releases[0].release;
      const manifest = data.manifest('8.4.25', { gz: rc1.sha256_gz, bz2: rc1.sha256_bz2, xz: rc1.sha256_xz });
      const args = ['promote', '8.4.25', '--kind', 'bugfix', '--manifest', manifest];
      await rejected(1, 'php-8.4.25.tar.gz has the sha256 of 8.4.25RC1 [hash-unique]', ...args);
      await rejected(1, 'Nothing was written', ...args);
    });

    it('warns of a date that is not a Thursday, and of a version that is skipped', async () => {
      const { notes } = await done(
        ...promotion('8.4.26', '--date', '2026-08-26', '--reason', '8.4.25 was not released'),
      );
      expect(notes).toContain('which is not a Thursday [thursday]');
      expect(notes).toContain(
        'warning: 8.4.25 was never released; its pre-release slot is cleared and 8.4.25RC1 retired',
      );
      expect(branch('8.4').audit).toMatchObject([{ reason: '8.4.25 was not released' }]);
    });
  });

  describe('asking', () => {
    const args = () => ['yank', '8.4.24', '--reason', 'broken archive'];

    it('shows and writes nothing with --dry-run', async () => {
      const before = data.texts();
      expect(await run(...args(), '--dry-run')).toMatchObject({
        code: 0,
        out: expect.stringContaining('+    "yanked": {'),
        notes: 'Dry run: nothing was written.',
      });
      expect(data.texts()).toEqual(before);
    });

    it.each([
      [['yank', '8.4.24', '--reason', 'x'], '8.4.24 is withdrawn; the latest of 8.4 becomes 8.4.23.'],
      [['yank', '8.4.23', '--reason', 'x'], '8.4.23 is withdrawn.'],
      [['set-support', '8.4', '--security', '2029-01-31', '--reason', 'x'], undefined],
    ])('begins with what readers will see: %j', async (args, summary) => {
      const { code, out } = await run(...args, '--dry-run');
      const [first] = out.split('\n');
      expect([code, first]).toEqual([0, summary ?? expect.stringMatching(/^=+$/)]);
    });

    it('does not write when it cannot ask', async () => {
      const before = data.texts();
      const notes = expect.stringContaining('Cannot ask for confirmation');
      expect(await run(...args())).toMatchObject({ code: 2, notes });
      expect(data.texts()).toEqual(before);
    });

    it.each([
      [true, 0],
      [false, 1],
    ])('does as the answer says: %s', async (answer, code) => {
      const before = data.texts();
      const questions: string[] = [];
      const confirm = (question: string) => {
        questions.push(question);
        return Promise.resolve(answer);
      };
      expect(await cli(data.folder, args(), { confirm })).toMatchObject({ code });
      expect(questions).toEqual(['Write branches/8.4.json?']);
      expect(data.texts()['branches/8.4.json'] !== before['branches/8.4.json']).toBe(answer);
    });

    it('does not overwrite what changed while it asked', async () => {
      const confirm = () => {
        data.write('branches/8.4.json', `${readFileSync(join(data.folder, 'branches/8.4.json'), 'utf8')}\n`);
        return Promise.resolve(true);
      };
      const notes = expect.stringContaining('branches/8.4.json changed meanwhile');
      expect(await cli(data.folder, args(), { confirm })).toMatchObject({ code: 1, notes });
      expect(branch('8.4').current.yanked).toBeUndefined();
    });
  });

  it('add-pre-release puts the build into its slot', async () => {
    const digests = data.pack('8.4.25RC2');
    const manifest = data.manifest('8.4.25RC2', digests);
    await done('add-pre-release', '8.4.25RC2', '--manifest', manifest, '--tarballs', data.archives);
    const { xz: sha256_xz } = digests;
    expect(branch('8.4').pre_releases).toMatchObject([
      { version: '8.4.25', release: { type: 'RC', number: 2, sha256_xz, date: '27 August 2026' } },
    ]);
  });

  describe('digests', () => {
    it('are rejected when a manifest and archives disagree, or it is of another version', async () => {
      const args = promotion('8.4.25');
      const digests = data.pack('8.4.25');
      const other = data.manifest('8.4.25', { ...digests, xz: digests.gz });
      await rejected(1, 'php-8.4.25.tar.xz: ', ...args, '--manifest', other);
      const later = data.manifest('8.4.26', digests);
      await rejected(1, 'does not list php-8.4.25.tar.gz', ...args, '--manifest', later);
    });

    it('come with sizes from files only, and a correction replaces both', async () => {
      const manifest = data.manifest('8.4.25', data.pack('8.4.25'));
      const current = () => branch('8.4').current;
      await done('promote', '8.4.25', '--kind', 'bugfix', '--manifest', manifest);
      expect(current()).not.toHaveProperty('sizes');
      const { gz } = data.pack('8.4.25', 'other');
      const correction = ['correct', '8.4.25', '--reason', 'packed again'];
      await done(...correction, '--tarballs', data.archives);
      expect(current().sizes).toEqual(sizes('8.4.25'));
      expect(current().published.source[0].sha256).toBe(gz);
      await done(...correction, '--kind', 'bugfix', '--date', '2026-08-28');
      expect(current().sizes).toEqual(sizes('8.4.25'));
      await done(...correction, '--manifest', manifest);
      expect(current()).not.toHaveProperty('sizes');
    });

    it('of what is no archive are rejected', async () => {
      const args = promotion('8.4.25');
      writeFileSync(join(data.archives, 'php-8.4.25.tar.xz'), '<html>503');
      await rejected(1, 'php-8.4.25.tar.xz is not a xz file; it begins with "<html>503"', ...args);
    });
  });

  it('yank edits a file from Windows, and shows only what changes', async () => {
    const text = data.texts()['branches/8.4.json']!;
    data.write('branches/8.4.json', `\uFEFF${text.replaceAll('\n', '\r\n')}`);
    const { out } = await done('yank', '8.4.24', '--reason', 'Sessions are lost.');
    const removed = out.split('\n').filter((line) => line.startsWith('-'));
    expect(removed).toEqual([
      expect.stringMatching(/^--- /),
      '-\uFEFF{',
      '-  "updated": "2026-08-13T00:00:00Z",',
      '-  "audit": []',
    ]);
  });

  it('correct changes the kind, the date, CVE ids and single members, of releases and of builds', async () => {
    const yes = ['--reason', 'checked again'];
    await done('yank', '8.4.24', ...yes);
    await done('correct', '8.4.24', '--kind', 'bugfix', '--remove', '/yanked', ...yes);
    await done('correct', '8.3.32', '--set', '/published/museum=true', ...yes);
    await done('correct', '8.3.33', '--fixes', 'CVE-2026-0002', ...yes);
    await done('correct', '8.4.25RC1', '--date', '2026-08-14', ...yes);
    const { current, pre_releases, audit } = branch('8.4');
    expect(current).toMatchObject({ kind: 'bugfix', published: { tags: [] } });
    expect(current.yanked).toBeUndefined();
    expect(pre_releases[0].release.date).toBe('14 August 2026');
    expect(audit.map(({ reason }: { reason: string }) => reason)).toEqual(Array(3).fill('checked again'));
    expect(branch('8.3')).toMatchObject({
      current: { fixes: ['CVE-2026-0002'] },
      history: [{ published: { museum: true } }, ...branch('8.3').history.slice(1)],
    });
  });

  it('retire moves the last release of a branch into the history when its support is over', async () => {
    const now = new Date('2026-12-31T00:00:00Z');
    expect(await cli(data.folder, ['retire', '8.2', '--yes'], { now })).toMatchObject({ code: 0 });
    expect(branch('8.2').current).toBeNull();
  });

  it('add-news adds an item, and changes one', async () => {
    const news = ['--link', 'https://php.example/news', '--summary', 'Read all about it.'];
    const [old] = data.json('news.json').items;
    await done('add-news', 'Beta 1 is out', '--id', old.id, '--replace', ...news);
    await done('add-news', 'PHP 8.6: beta 2!', '--category', 'beta', '--id', 'tag:x,2026:y', ...news);
    expect(data.json('news.json').items).toMatchObject([
      {
        id: 'tag:x,2026:y',
        title: 'PHP 8.6: beta 2!',
        link: news[1],
        summary: news[3],
        categories: ['beta'],
      },
      { id: old.id, title: 'Beta 1 is out' },
    ]);
  });

  describe('a disk that cannot be written', () => {
    it.each([
      ['ENOSPC', 'the disk is full'],
      ['EROFS', 'the file system is read-only'],
      ['EACCES', 'permission denied'],
      ['EBUSY', 'resource busy or locked'],
    ] as const)('%s is one sentence, and nothing is written', async (code, words) => {
      const before = data.texts();
      const reason = { code, errno: -constants.errno[code], syscall: 'open', path: '/data/x.new' };
      const open = () => Promise.reject(Object.assign(new Error(`${code}: x`), reason));
      const files = { open, readdir, rename, rm };
      const result = await cli(data.folder, ['yank', '8.4.24', '--reason', 'x', '--yes'], { files });
      expect(result.code).toBe(1);
      expect(result.notes.split('\n').slice(-2)).toEqual([
        `Cannot open /data/x.new: ${words}.`,
        'Nothing was written.',
      ]);
      expect(data.texts()).toEqual(before);
    });

    it('that fails after the file has its name is reported as such', async () => {
      const open = async (path: string, flags: string) => {
        const handle = await openFile(path, flags);
        const sync = () => Promise.reject(new Error('EIO: i/o error, fsync'));
        return flags === 'r' ? { sync, close: () => handle.close() } : handle;
      };
      const files = { open: open as unknown as typeof openFile, readdir, rename, rm };
      const result = await cli(data.folder, ['yank', '8.4.24', '--reason', 'x', '--yes'], { files });
      expect(result.code).toBe(1);
      expect(result.notes).toMatch(/8\.4\.json is written, but the disk has not confirmed it \(EIO[^\n]*$/);
      expect(data.texts()['branches/8.4.json']).toContain('"yanked"');
    });

    it('replaces each schema in one step', async () => {
      expect(await run('schemas')).toMatchObject({ code: 0 });
      const schema = join(data.folder, 'schemas', 'branch.schema.json');
      const written = readFileSync(schema, 'utf8');
      writeFileSync(schema, 'of an earlier version');
      linkSync(schema, `${schema}.before`);
      expect(await run('schemas')).toMatchObject({ code: 0 });
      expect(readFileSync(schema, 'utf8')).toBe(written);
      expect(readFileSync(`${schema}.before`, 'utf8')).toBe('of an earlier version');
    });

    it('schemas, too', async () => {
      data.write('file', '');
      const notes = expect.stringMatching(/^Cannot mkdir .*: not a folder\./);
      expect(await run('schemas', '--data', join(data.folder, 'file'))).toMatchObject({ code: 1, notes });
    });
  });
});
