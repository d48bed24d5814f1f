import { linkSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { open as openFile, readdir, rename, rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { loadDataFolder } from '@workspace/release-catalogue';
import { DataCopy, tarball } from '@workspace/release-catalogue/testing';
import { cli } from './run-cli.ts';

describe('the commands that publish', () => {
  let data: DataCopy;
  beforeEach(() => (data = new DataCopy('7.4')));
  afterEach(() => data.remove());

  const run = (...args: string[]) => cli(data.folder, args);
  /** of the archives, by name */
  const sizes = (version: string): Record<string, number> =>
    Object.fromEntries(
      ['gz', 'bz2', 'xz']
        .map((archive) => `php-${version}.tar.${archive}`)
        .map((name) => [name, statSync(join(data.archives, name)).size]),
    );

  describe('promote', () => {
    it('makes the release current, keeps the one before, clears the slot; one file changes', async () => {
      const before = data.texts();
      const digests = data.pack('8.4.25');
      const { code, out, notes } = await run(
        'promote',
        '8.4.25',
        '--kind',
        'security',
        '--fixes',
        'CVE-2026-0001',
        '--fixes',
        'CVE-2026-0000',
        '--tarballs',
        data.archives,
        '--next',
        '8.4.26',
        '--yes',
      );
      expect({ code, notes }).toEqual({
        code: 0,
        notes: expect.stringContaining('branches/8.4.json written; revision 2026-08-27T09:00:00.000Z'),
      });
      expect(out).toContain('+    "version": "8.4.25",');

      const after = data.texts();
      expect(Object.keys(after).filter((file) => after[file] !== before[file])).toEqual([
        'branches/8.4.json',
      ]);
      expect(Object.keys(after)).toEqual(Object.keys(before));
      const was = JSON.parse(before['branches/8.4.json']!);
      const is = JSON.parse(after['branches/8.4.json']!);
      expect(is).toMatchObject({
        updated: '2026-08-27T09:00:00Z',
        imported: '8.4.24',
        current: {
          version: '8.4.25',
          date: '2026-08-27',
          kind: 'security',
          fixes: ['CVE-2026-0001', 'CVE-2026-0000'],
          rank: was.current.rank,
          published: { announcement: true, tags: ['security'], date: '27 Aug 2026' },
        },
        pre_releases: [{ version: '8.4.26', active: true, release: { type: 'RC', number: 0 } }],
        retired_builds: [{ version: '8.4.25RC1', date: '13 August 2026' }],
        audit: [{ at: '2026-08-27T09:00:00Z', action: 'promote', version: '8.4.25' }],
      });
      expect(is.current.published.source).toEqual(
        (['gz', 'bz2', 'xz'] as const).map((archive) => ({
          filename: `php-8.4.25.tar.${archive}`,
          name: `PHP 8.4.25 (tar.${archive})`,
          sha256: digests[archive],
          date: '27 Aug 2026',
        })),
      );
      expect(is.current.sizes).toEqual(sizes('8.4.25'));
      // In the history php.net names the page of a release and says that it is not in the museum yet.
      expect(JSON.stringify(is.history[0])).toBe(
        JSON.stringify({
          ...was.current,
          rank: 161,
          published: {
            ...was.current.published,
            announcement: { English: '/releases/8_4_24.php' },
            museum: false,
          },
        }),
      );
      expect(is.history.slice(1)).toEqual(was.history);
    });

    it('publishes the first release of a branch above all others', async () => {
      data.pack('8.6.0');
      expect(
        await run('promote', '8.6.0', '--kind', 'bugfix', '--tarballs', data.archives, '--yes'),
      ).toMatchObject({
        code: 0,
      });
      expect(data.json('branches/8.6.json')).toMatchObject({
        current: { version: '8.6.0', rank: 5 },
        history: [],
      });
    });

    it('publishes a late release of a branch that was retired below those of higher branches', async () => {
      data.pack('8.1.35');
      expect(
        await run('promote', '8.1.35', '--kind', 'bugfix', '--tarballs', data.archives, '--yes'),
      ).toMatchObject({ code: 0 });
      const ranks = ['8.1', '8.2', '8.3'].map((branch) => data.json(`branches/${branch}.json`).current.rank);
      expect(ranks).toEqual([1, 1, 2]);
    });

    it('clears a slot that the release overtakes', async () => {
      data.pack('8.3.34');
      expect(
        await run('promote', '8.3.34', '--kind', 'bugfix', '--tarballs', data.archives, '--yes'),
      ).toMatchObject({
        code: 0,
      });
      expect(data.json('branches/8.3.json').pre_releases).toEqual([]);
    });

    it.each([
      ['no kind', ['8.4.25'], 2, '--kind is missing.'],
      [
        'what a security release fixes',
        ['8.4.25', '--kind', 'security'],
        2,
        'names what it fixes: add --fixes',
      ],
      [
        'a kind that agrees',
        ['8.4.25', '--kind', 'bugfix', '--fixes', 'CVE-2026-0000'],
        2,
        'is of --kind security',
      ],
      ['a CVE id', ['8.4.25', '--kind', 'security', '--fixes', '2026-17544'], 2, 'not "2026-17544"'],
      ['an unknown kind', ['8.4.25', '--kind', 'fix'], 2, '--kind must be security or bugfix, not "fix".'],
      ['no digests', ['8.4.25', '--kind', 'bugfix'], 2, 'Digests are never typed in'],
      ['no version', ['--kind', 'bugfix'], 2, 'The version is missing.'],
      ['a version that ends in a dot', ['8.5.', '--kind', 'bugfix'], 2, '"8.5." is not the version'],
      ['an unknown option', ['8.4.25', '--sha256', 'abc'], 2, "Unknown option '--sha256'"],
      [
        'an impossible day',
        ['8.4.25', '--kind', 'bugfix', '--date', '2026-02-30'],
        2,
        '--date must be a day',
      ],
      ['no such branch', ['85.9.0', '--kind', 'bugfix', '--tarballs', '.'], 1, 'does not hold php-85.9.0'],
    ])('rejects %s', async (_, args, code, sentence) => {
      const before = data.texts();
      const run = await cli(data.folder, ['promote', ...args, '--yes']);
      expect(run).toMatchObject({ code, notes: expect.stringContaining(sentence) });
      expect(data.texts()).toEqual(before);
    });

    it('rejects what breaks a rule, by its name, and writes nothing', async () => {
      const before = data.texts();
      const rc1 = data.json('branches/8.4.json').pre_releases[0].release;
      const manifest = data.manifest('8.4.25', { gz: rc1.sha256_gz, bz2: rc1.sha256_bz2, xz: rc1.sha256_xz });
      const { code, notes } = await run(
        'promote',
        '8.4.25',
        '--kind',
        'bugfix',
        '--manifest',
        manifest,
        '--yes',
      );
      expect(code).toBe(1);
      expect(notes).toContain('php-8.4.25.tar.gz has the sha256 of 8.4.25RC1 [hash-unique]');
      expect(notes).toContain('Nothing was written');
      expect(data.texts()).toEqual(before);
    });

    it('rejects a date that is far from today, and warns of one that is not a Thursday', async () => {
      data.pack('8.4.25');
      const args = ['promote', '8.4.25', '--kind', 'bugfix', '--tarballs', data.archives, '--yes', '--date'];
      expect(await run(...args, '2025-08-27')).toMatchObject({
        code: 1,
        notes: expect.stringContaining('[entry-date]'),
      });
      expect(await run(...args, '2026-08-26')).toMatchObject({
        code: 0,
        notes: expect.stringContaining('which is not a Thursday [thursday]'),
      });
    });

    it('rejects a release that is out already', async () => {
      data.pack('8.4.24');
      expect(
        await run('promote', '8.4.24', '--kind', 'bugfix', '--tarballs', data.archives, '--yes'),
      ).toMatchObject({ code: 1, notes: expect.stringContaining('8.4.24 is released already') });
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
      expect(await run(...args())).toMatchObject({
        code: 2,
        notes: expect.stringContaining('Cannot ask for confirmation'),
      });
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
      expect(await cli(data.folder, args(), { confirm })).toMatchObject({
        code: 1,
        notes: expect.stringContaining('branches/8.4.json changed meanwhile'),
      });
      expect(data.json('branches/8.4.json').current.yanked).toBeUndefined();
    });
  });

  describe('add-pre-release', () => {
    it('puts the build into its slot and remembers the one before', async () => {
      const digests = data.pack('8.4.25RC2');
      const manifest = data.manifest('8.4.25RC2', digests);
      expect(
        await run(
          'add-pre-release',
          '8.4.25RC2',
          '--manifest',
          manifest,
          '--tarballs',
          data.archives,
          '--yes',
        ),
      ).toMatchObject({ code: 0 });
      expect(data.json('branches/8.4.json')).toMatchObject({
        pre_releases: [
          {
            version: '8.4.25',
            active: true,
            release: {
              type: 'RC',
              number: 2,
              sha256_bz2: digests.bz2,
              sha256_gz: digests.gz,
              sha256_xz: digests.xz,
              date: '27 August 2026',
              baseurl: 'https://downloads.php.net/~calvinb/',
            },
          },
        ],
        retired_builds: [{ version: '8.4.25RC1', date: '13 August 2026' }],
        audit: [{ action: 'add-pre-release', version: '8.4.25RC2' }],
      });
    });

    it.each([
      ['a wrong case', '8.4.25rc2', [], 2, 'is not the version of a build'],
      ['beta11 for beta1', '8.2.0beta01', [], 2, 'is not the version of a build'],
      ['a gap', '8.4.25RC3', [], 1, '[build-number]'],
      ['a build that is out', '8.4.25RC1', [], 1, 'is published already'],
      [
        'a person who is not a manager of the branch',
        '8.4.25RC2',
        ['--manager', 'daniels'],
        1,
        '[build-folder]',
      ],
      ['a branch that is a slip', '85.9.0alpha1', [], 1, 'There is no branch 85.9'],
      ['a branch without a manager', '8.7.0alpha1', ['--new-branch'], 1, 'no release manager of 8.7'],
      ['a candidate of what is released', '8.4.24RC2', ['--reason', 'late'], 1, '[build-ahead]'],
    ])('rejects %s', async (_, build, more, code, sentence) => {
      data.pack(build);
      const before = data.texts();
      expect(
        await run('add-pre-release', build, '--tarballs', data.archives, '--yes', ...more),
      ).toMatchObject({ code, notes: expect.stringContaining(sentence) });
      expect(data.texts()).toEqual(before);
    });

    it('opens a branch on request', async () => {
      const product = data.json('product.json');
      product.downloads.managers['8.7'] = ['calvinb'];
      data.write('product.json', JSON.stringify(product));
      data.pack('8.7.0alpha1');
      expect(
        await run('add-pre-release', '8.7.0alpha1', '--new-branch', '--tarballs', data.archives, '--yes'),
      ).toMatchObject({ code: 0 });
      const { catalogue } = await loadDataFolder(data.folder);
      expect(catalogue.branches.at(-1)).toMatchObject({ branch: '8.7', current: null });
    });
  });

  describe('digests', () => {
    it('rejects a manifest and archives that disagree', async () => {
      const digests = data.pack('8.4.25');
      const manifest = data.manifest('8.4.25', { ...digests, xz: digests.gz });
      expect(
        await run(
          'promote',
          '8.4.25',
          '--kind',
          'bugfix',
          '--manifest',
          manifest,
          '--tarballs',
          data.archives,
        ),
      ).toMatchObject({ code: 1, notes: expect.stringContaining('php-8.4.25.tar.xz: ') });
    });

    it('come with sizes from files only, and a correction replaces both', async () => {
      const manifest = data.manifest('8.4.25', data.pack('8.4.25'));
      const current = () => data.json('branches/8.4.json').current;
      await run('promote', '8.4.25', '--kind', 'bugfix', '--manifest', manifest, '--yes');
      expect(current()).not.toHaveProperty('sizes');
      data.pack('8.4.25', 'other');
      const correction = ['correct', '8.4.25', '--reason', 'packed again', '--yes'];
      expect(await run(...correction, '--tarballs', data.archives)).toMatchObject({ code: 0 });
      expect(current().sizes).toEqual(sizes('8.4.25'));
      expect(await run(...correction, '--kind', 'bugfix', '--date', '2026-08-28')).toMatchObject({ code: 0 });
      expect(current().sizes).toEqual(sizes('8.4.25'));
      expect(await run(...correction, '--manifest', manifest)).toMatchObject({ code: 0 });
      expect(current()).not.toHaveProperty('sizes');
    });

    it('rejects a manifest of another version', async () => {
      const manifest = data.manifest('8.4.26', data.pack('8.4.26'));
      expect(await run('promote', '8.4.25', '--kind', 'bugfix', '--manifest', manifest)).toMatchObject({
        code: 1,
        notes: expect.stringContaining('does not list php-8.4.25.tar.gz'),
      });
    });
  });

  describe('yank', () => {
    it('edits a file from Windows, and shows only what changes', async () => {
      const text = data.texts()['branches/8.4.json']!;
      data.write('branches/8.4.json', `\uFEFF${text.replaceAll('\n', '\r\n')}`);
      const { code, out } = await run('yank', '8.4.24', '--reason', 'Sessions are lost.', '--yes');
      expect(code).toBe(0);
      const removed = out.split('\n').filter((line) => line.startsWith('-'));
      expect(removed).toEqual([
        expect.stringMatching(/^--- /),
        '-\uFEFF{',
        '-  "updated": "2026-08-13T00:00:00Z",',
        '-  "audit": []',
      ]);
    });

    it('flags the release and keeps it', async () => {
      expect(await run('yank', '8.4.24', '--reason', 'broken archive', '--yes')).toMatchObject({ code: 0 });
      const yanked = { date: '2026-08-27', reason: 'broken archive' };
      expect(data.json('branches/8.4.json')).toMatchObject({
        current: { version: '8.4.24', yanked },
        audit: [
          {
            action: 'yank',
            version: '8.4.24',
            reason: 'broken archive',
            changes: [{ pointer: '/yanked', to: yanked }],
          },
        ],
      });
    });

    it.each([
      ['without a reason', ['8.4.24'], 2, '--reason is missing'],
      ['what is not on record', ['8.4.99', '--reason', 'x'], 1, '8.4.99 is not on record'],
    ])('rejects %s', async (_, args, code, sentence) => {
      expect(await cli(data.folder, ['yank', ...args, '--yes'])).toMatchObject({
        code,
        notes: expect.stringContaining(sentence),
      });
    });

    it('rejects a second time', async () => {
      const args = ['yank', '8.4.23', '--reason', 'broken', '--yes'];
      expect(await run(...args)).toMatchObject({ code: 0 });
      expect(await run(...args)).toMatchObject({
        code: 1,
        notes: expect.stringContaining('was withdrawn on'),
      });
    });
  });

  describe('correct', () => {
    it('takes digests from the archives and writes down what was there', async () => {
      const was = data.json('branches/8.4.json').current.published.source;
      const digests = data.pack('8.4.24');
      expect(
        await run(
          'correct',
          '8.4.24',
          '--tarballs',
          data.archives,
          '--reason',
          'digests of the wrong build',
          '--yes',
        ),
      ).toMatchObject({ code: 0 });
      expect(data.json('branches/8.4.json').audit).toEqual([
        {
          at: '2026-08-27T09:00:00Z',
          action: 'correct',
          version: '8.4.24',
          reason: 'digests of the wrong build',
          changes: [
            ...(['gz', 'bz2', 'xz'] as const).map((archive, index) => ({
              pointer: `/published/source/${index}/sha256`,
              from: was[index].sha256,
              to: digests[archive],
            })),
            { pointer: '/sizes', to: sizes('8.4.24') },
          ],
        },
      ]);
    });

    it('changes the date of a release and of its files at once', async () => {
      expect(
        await run('correct', '8.4.24', '--date', '2026-07-31', '--reason', 'came out a day later', '--yes'),
      ).toMatchObject({ code: 0 });
      const { current } = data.json('branches/8.4.json');
      expect([current.date, current.published.date, current.published.source[2].date]).toEqual([
        '2026-07-31',
        '31 Jul 2026',
        '31 Jul 2026',
      ]);
    });

    it('changes the kind and its tags, single members, and builds', async () => {
      const yes = ['--reason', 'checked again', '--yes'];
      expect(await run('correct', '8.4.24', '--kind', 'bugfix', ...yes)).toMatchObject({ code: 0 });
      expect(await run('correct', '8.3.32', '--set', '/published/museum=true', ...yes)).toMatchObject({
        code: 0,
      });
      expect(await run('correct', '8.4.25RC1', '--date', '2026-08-14', ...yes)).toMatchObject({ code: 0 });
      const branch = data.json('branches/8.4.json');
      expect(branch.current).toMatchObject({ kind: 'bugfix', published: { tags: [] } });
      expect(branch.pre_releases[0].release.date).toBe('14 August 2026');
      expect(branch.audit).toHaveLength(2);
      expect(data.json('branches/8.3.json').history[0].published.museum).toBe(true);
    });

    it('takes a withdrawal back', async () => {
      expect(await run('yank', '8.4.24', '--reason', 'broken', '--yes')).toMatchObject({ code: 0 });
      expect(
        await run('correct', '8.4.24', '--remove', '/yanked', '--reason', 'it was the mirror', '--yes'),
      ).toMatchObject({ code: 0 });
      expect(data.json('branches/8.4.json').current.yanked).toBeUndefined();
    });

    it.each([
      [
        'nothing',
        [],
        2,
        'Nothing to correct: add an option like --tarballs, --date, --kind, --fixes or --set.',
      ],
      ['a typed digest', ['--set', '/published/source/0/sha256="abc"'], 2, 'Digests are never typed in'],
      ['what is so already', ['--kind', 'security'], 1, 'has these values already'],
      ['what is nowhere', ['--set', '/published/sources/0=1'], 1, 'There is nothing at'],
      ['a member no shape knows', ['--set', '/colour="red"'], 1, '[shape]'],
      [
        'a name that is wrong',
        ['--set', '/published/source/0/filename="php-8.4.23.tar.gz"'],
        1,
        '[source-filename]',
      ],
    ])('rejects %s', async (_, args, code, sentence) => {
      const before = data.texts();
      expect(
        await cli(data.folder, ['correct', '8.4.24', '--reason', 'why', '--yes', ...args]),
      ).toMatchObject({
        code,
        notes: expect.stringContaining(sentence),
      });
      expect(data.texts()).toEqual(before);
    });
  });

  describe('retire', () => {
    it('moves the last release of a branch into the history when its support is over', async () => {
      const was = data.json('branches/8.2.json');
      const now = new Date('2026-12-31T00:00:00Z');
      expect(await cli(data.folder, ['retire', '8.2', '--yes'], { now })).toMatchObject({ code: 0 });
      const is = data.json('branches/8.2.json');
      expect(is).toMatchObject({
        current: null,
        audit: [{ action: 'retire', version: was.current.version }],
      });
      expect(is.history[0]).toMatchObject({
        version: was.current.version,
        rank: 161,
        published: { museum: false },
      });
      expect(is.history.slice(1)).toEqual(was.history);
    });

    it.each([
      [
        'a branch that is supported',
        '8.2',
        '2026-12-30T23:59:59Z',
        'Branch 8.2 is supported until 2026-12-31.',
      ],
      [
        'a branch that is out already',
        '8.1',
        '2026-12-31T00:00:00Z',
        'Branch 8.1 is not in the current table.',
      ],
    ])('rejects %s', async (_, branch, now, sentence) => {
      const run = await cli(data.folder, ['retire', branch, '--yes'], { now: new Date(now) });
      expect(run).toMatchObject({ code: 1, notes: expect.stringContaining(sentence) });
    });
  });

  describe('add-news', () => {
    const news = ['--link', 'https://php.example/news', '--summary', 'Read all about it.', '--yes'];

    it('adds an item that readers see: the file and the item have new dates', async () => {
      expect(await run('add-news', 'PHP 8.6: beta 2!', '--category', 'beta', ...news)).toMatchObject({
        code: 0,
      });
      const { updated, items } = data.json('news.json');
      expect(updated).toBe('2026-08-27T09:00:00Z');
      expect(items).toHaveLength(2);
      expect(items[0]).toEqual({
        id: 'tag:php.net,2026:news/php-8-6-beta-2',
        title: 'PHP 8.6: beta 2!',
        link: 'https://php.example/news',
        published: '2026-08-27T09:00:00Z',
        updated: '2026-08-27T09:00:00Z',
        summary: 'Read all about it.',
        categories: ['beta'],
      });
    });

    it('changes an item, which keeps its id and day and is updated', async () => {
      const [old] = data.json('news.json').items;
      expect(await run('add-news', 'Beta 1 is out', '--id', old.id, '--replace', ...news)).toMatchObject({
        code: 0,
      });
      const { items } = data.json('news.json');
      expect(items).toHaveLength(1);
      expect(items[0]).toMatchObject({
        id: old.id,
        title: 'Beta 1 is out',
        published: old.published,
        updated: '2026-08-27T09:00:00Z',
      });
    });

    it('changes an item by its title, whatever its id is made of', async () => {
      const [old] = data.json('news.json').items;
      expect(await run('add-news', old.title, '--replace', ...news)).toMatchObject({ code: 0 });
      const { items } = data.json('news.json');
      expect(items).toHaveLength(1);
      expect(items[0]).toMatchObject({ id: old.id, summary: 'Read all about it.' });
    });

    it('tells titles apart that have no Latin letter', async () => {
      for (const title of ['PHP 8.6 と新機能', '新機能']) {
        expect(await run('add-news', title, ...news)).toMatchObject({ code: 0 });
      }
      expect(data.json('news.json').items.map(({ id }: { id: string }) => id)).toEqual([
        `tag:php.net,2026:news/${encodeURIComponent('新機能')}`,
        `tag:php.net,2026:news/php-8-6-${encodeURIComponent('と新機能')}`,
        'tag:release-web,2026:news/8.6.0beta1',
      ]);
    });

    it.each([
      ['no link', ['x', '--summary', 's'], 2, '--link is missing'],
      ['a script for a link', ['x', '--link', 'javascript:alert(1)', '--summary', 's'], 1, '/items/0/link'],
      ['an id that is taken', ['x', '--id', 'tag:release-web,2026:news/8.6.0beta1', ...news], 1, 'already'],
      ['to replace what is not there', ['x', '--replace', ...news], 1, 'There is no news item'],
    ])('rejects %s', async (_, args, code, sentence) => {
      const before = data.texts();
      expect(await run('add-news', ...args, '--yes')).toMatchObject({
        code,
        notes: expect.stringContaining(sentence),
      });
      expect(data.texts()).toEqual(before);
    });
  });

  describe('a promotion that clears a slot', () => {
    it('says which build is retired, also of a version that is skipped', async () => {
      data.pack('8.4.26');
      const promotion = ['promote', '8.4.26', '--kind', 'bugfix', '--tarballs', data.archives, '--yes'];
      expect(await run(...promotion, '--reason', '8.4.25 was not released')).toMatchObject({
        code: 0,
        notes: expect.stringContaining(
          'warning: 8.4.25 was never released; its pre-release slot is cleared and 8.4.25RC1 retired',
        ),
      });
    });

    it('reports it for its own slot, too', async () => {
      data.pack('8.4.25');
      const promotion = ['promote', '8.4.25', '--kind', 'bugfix', '--tarballs', data.archives, '--yes'];
      const { notes } = await run(...promotion);
      expect(notes).toContain('the pre-release slot of 8.4.25 is cleared and 8.4.25RC1 retired');
      expect(notes).not.toContain('never released');
    });
  });

  describe('tarballs that are not', () => {
    it.each([
      ['an error page', '<html>503', 'php-8.4.25.tar.xz is not a xz file; it begins with "<html>503"'],
      ['a file of another kind', tarball('gz', 'x'), 'php-8.4.25.tar.xz is not a xz file'],
      ['half a file', tarball('xz', 'x').subarray(0, 50), 'php-8.4.25.tar.xz is damaged or incomplete'],
    ])('rejects %s and writes nothing', async (_, bytes, sentence) => {
      data.pack('8.4.25');
      writeFileSync(join(data.archives, 'php-8.4.25.tar.xz'), bytes);
      const before = data.texts();
      const promotion = ['promote', '8.4.25', '--kind', 'bugfix', '--tarballs', data.archives, '--yes'];
      const { code, notes } = await run(...promotion);
      expect({ code, notes }).toEqual({ code: 1, notes: expect.stringContaining(sentence) });
      expect(data.texts()).toEqual(before);
    });
  });

  describe('a disk that cannot be written', () => {
    it.each([
      ['ENOSPC', 'the disk is full'],
      ['EROFS', 'the file system is read-only'],
      ['EACCES', 'permission denied'],
      ['EBUSY', 'resource busy or locked'],
    ] as const)('%s is one sentence, and nothing is written', async (code, words) => {
      const before = data.texts();
      const open = () =>
        Promise.reject(
          Object.assign(new Error(`${code}: x`), {
            code,
            errno: -constants.errno[code],
            syscall: 'open',
            path: '/data/x.new',
          }),
        );
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
      expect(await run('schemas', '--data', join(data.folder, 'file'))).toMatchObject({
        code: 1,
        notes: expect.stringMatching(/^Cannot mkdir .*: not a folder\./),
      });
    });
  });
});
