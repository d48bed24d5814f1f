import type { AuditEntry, BranchFile, Catalogue, Release } from '@workspace/release-catalogue';
import { REAL as catalogue } from '@workspace/release-catalogue/testing';
import { announcements, branchAnnouncements, feedUpdated, pastEnds } from './announcement.ts';

const NOW = new Date('2026-11-21T12:00:00Z');

describe('announcements', () => {
  const withBranch = (name: string, change: (branch: BranchFile) => Partial<BranchFile>): Catalogue => ({
    ...catalogue,
    branches: catalogue.branches.map((branch) =>
      branch.branch === name ? { ...branch, ...change(branch) } : branch,
    ),
  });
  const ids = (facts: Catalogue, now = NOW) => announcements(facts, now).map(({ id }) => id);

  it('are news and the newest release of each supported branch, newest first, of one day highest first', () => {
    expect(ids(catalogue)).toEqual([
      ...catalogue.news.map(({ id }) => id),
      'http://php.net/releases/8_5_9.php',
      'http://php.net/releases/8_4_24.php',
      'http://php.net/releases/8_3_33.php',
      'http://php.net/releases/8_2_33.php',
    ]);
    expect(ids(catalogue, new Date('2027-01-01T00:00:00Z'))).not.toContain(
      'http://php.net/releases/8_2_33.php',
    );
  });

  it('know an unannounced release by another id', () => {
    const quiet = withBranch('8.5', ({ current }) => ({
      current: { ...current!, published: { ...current!.published, announcement: false } },
    }));
    expect(ids(quiet)).toContain('https://qa.php.net/#8.5.9');
  });

  it('fall back to the release before a withdrawn one', () => {
    const yanked = withBranch('8.5', ({ current }) => ({
      current: { ...current!, yanked: { date: '2026-11-20', reason: 'broken' } },
    }));
    expect(ids(yanked)).toContain('http://php.net/releases/8_5_8.php');
    expect(ids(yanked)).not.toContain('http://php.net/releases/8_5_9.php');
  });

  it('carry tags and files, and say what the release fixes', () => {
    const first = announcements(catalogue, NOW).find(({ release }) => release);
    expect(first).toMatchObject({
      title: 'PHP 8.5.9 released!',
      link: '/releases/8_5_9.php',
      published: new Date('2026-07-30T00:00:00Z'),
      categories: ['release', '8.5', 'security'],
      summary: expect.stringContaining('fixes security issues'),
      release: { version: '8.5.9', tags: ['security'] },
    });
    expect(first!.release!.files.map(({ filename }) => filename)).toEqual([
      'php-8.5.9.tar.gz',
      'php-8.5.9.tar.bz2',
      'php-8.5.9.tar.xz',
    ]);
  });

  const branchOf = (facts: Catalogue, name: string) => facts.branches.find(({ branch }) => branch === name)!;
  const entryOf = (change: (current: Release) => Partial<Release>) => {
    const facts = withBranch('8.5', ({ current }) => ({ current: { ...current!, ...change(current!) } }));
    return branchAnnouncements(facts, branchOf(facts, '8.5')).find(
      ({ release }) => release?.version === '8.5.9',
    )!;
  };
  const source = (...files: object[]) =>
    entryOf(({ published }) => ({
      published: { ...published, source: files as Release['published']['source'] },
    }));
  const file = { filename: 'php-8.5.9.tar.gz', name: 'PHP 8.5.9 (tar.gz)' };

  it.each([
    [
      'the day of its first file',
      source({ ...file, date: '31 Jul 2026' }, { ...file, date: '1 Aug 2026' }),
      '2026-07-31',
      '2026-08-01',
    ],
    ['its own day, where no file has one', source(file), '2026-07-30'],
    ['its own day, where a file has none that can be read', source({ ...file, date: 'soon' }), '2026-07-30'],
    ['its own day, without files', source({ link: '/x', name: 'x' }), '2026-07-30'],
    [
      'the instant of its publication',
      entryOf(() => ({ feed: { id: 'x', published: '2026-07-30T14:05:06Z' } })),
      '2026-07-30T14:05:06Z',
    ],
  ])('are dated by %s', (_what, { published, updated, release }, expected, newest = expected) => {
    expect(published).toEqual(new Date(expected));
    expect(updated).toEqual(new Date(newest));
    expect(release!.files.every((one) => 'filename' in one)).toBe(true);
  });

  it.each<[Partial<Release>, string[], string]>([
    [
      { kind: 'bugfix', fixes: ['CVE-2026-1', 'CVE-2026-2'] },
      ['release', '8.5', 'security', 'CVE-2026-1', 'CVE-2026-2'],
      'fixes security issues (CVE-2026-1, CVE-2026-2)',
    ],
    [{ kind: 'security' }, ['release', '8.5', 'security'], 'fixes security issues'],
    [{ kind: 'bugfix' }, ['release', '8.5', 'bug'], 'fixes bugs'],
  ])('say of a release with %j what it fixes', (facts, categories, what) => {
    const entry = entryOf(({ published }) => ({
      ...facts,
      published: { ...published, tags: facts.kind === 'bugfix' && !facts.fixes ? ['bug'] : [] },
    }));
    expect(entry.summary).toBe(`PHP 8.5.9 of 2026-07-30 ${what}. Users of PHP 8.5 are asked to upgrade.`);
    expect(entry.categories).toEqual(categories);
    expect(entry.release!.fixes).toEqual(facts.fixes ?? []);
  });

  const entries = (...audit: Partial<AuditEntry>[]): Catalogue =>
    withBranch('8.5', () => ({
      audit: audit.map((entry) => ({ reason: 'x', ...entry })) as BranchFile['audit'],
    }));
  const pointers = { active: '/overrides/stable', security: '/overrides/security', other: '/date' };

  it.each([
    [
      { action: 'yank', version: '8.5.8', reason: 'broken' },
      [
        'PHP 8.5.8 was withdrawn',
        '/releases/8_5_8.php',
        'PHP 8.5.8 was withdrawn on 2026-09-01: broken',
        'withdrawn',
      ],
    ],
    [
      { action: 'correct', version: '8.5.7', reason: 'typo' },
      [
        'PHP 8.5.7 was corrected',
        '/releases/8_5_7.php',
        'PHP 8.5.7 was corrected on 2026-09-01: typo',
        'corrected',
      ],
    ],
    [
      { action: 'correct', version: '8.5.99', reason: 'gone' },
      [
        'PHP 8.5.99 was corrected',
        '/releases/8.5/',
        'PHP 8.5.99 was corrected on 2026-09-01: gone',
        'corrected',
      ],
    ],
    [
      {
        action: 'set-support',
        version: '8.5',
        reason: 'RFC',
        changes: [
          { pointer: pointers.other, from: 'a', to: 'b' },
          { pointer: pointers.security, to: '2030-01-01' },
          { pointer: pointers.active, from: '2027-12-31', to: '2028-06-30' },
        ],
      },
      [
        'Support of PHP 8.5 was changed',
        '/releases/8.5/',
        'Active support ends on 2028-06-30 instead of 2027-12-31. Security support ends on 2030-01-01: RFC',
        'support',
      ],
    ],
  ] as [Partial<AuditEntry>, string[]][])('tell of %j', (entry, [title, link, summary, category]) => {
    const at = '2026-09-01T09:00:00Z';
    const facts = entries({ ...entry, at }, { action: 'promote', version: '8.5.9', at });
    const [first, second] = announcements(facts, NOW);
    expect(first).toMatchObject({ title, link, summary, categories: [category, '8.5'] });
    expect([first!.published, first!.updated]).toEqual([new Date(at), new Date(at)]);
    expect(second!.published < first!.published).toBe(true);
    expect(branchAnnouncements(facts, branchOf(facts, '8.5'))[0]).toEqual(first);
  });

  it('tell of the newest twenty changes of all branches, and of the newest twenty entries of one', () => {
    const audit = Array.from({ length: 25 }, (_, minute) => ({
      action: 'correct' as const,
      version: `8.5.${minute % 9}`,
      at: `2026-09-01T09:${String(minute).padStart(2, '0')}:00Z`,
    }));
    const facts = entries(...audit);
    const changes = announcements(facts, NOW).filter(({ categories }) => categories.includes('corrected'));
    expect(changes.map(({ published }) => published.getUTCMinutes())).toEqual(
      Array.from({ length: 20 }, (_, at) => 24 - at),
    );
    const ofBranch = branchAnnouncements(facts, branchOf(facts, '8.5'));
    expect(ofBranch).toEqual(changes);
  });

  it('are the newest releases of a branch, of one day highest first, without withdrawn ones', () => {
    const yanked = { date: '2026-08-01', reason: 'x' };
    const facts = withBranch('8.5', ({ history }) => ({
      audit: [],
      history: [...history].reverse().map((release) => ({
        ...release,
        feed: { id: release.version, published: '2026-07-01T00:00:00Z' },
        ...(release.version === '8.5.7' && { yanked }),
      })),
    }));
    const versions = branchAnnouncements(facts, branchOf(facts, '8.5')).map(
      ({ release }) => release!.version,
    );
    expect(versions).toEqual([9, 8, 6, 5, 4, 3, 2, 1, 0].map((patch) => `8.5.${patch}`));
  });

  it('are none without releases and news, and the feed is then as old as the data', () => {
    const empty = { ...catalogue, branches: [], news: [] };
    expect(announcements(empty, NOW)).toEqual([]);
    expect(feedUpdated(empty, [])).toBe(catalogue.revision);
  });

  it('are updated when a release is corrected, also when its date moves back', () => {
    const corrected = withBranch('8.5', ({ current, audit }) => ({
      current: {
        ...current!,
        date: '2026-07-29',
        published: {
          ...current!.published,
          date: '29 Jul 2026',
          source: current!.published.source.map((file) => ({ ...file, date: '29 Jul 2026' })),
        },
      },
      audit: [
        ...audit,
        {
          at: '2026-08-27T09:00:00Z',
          action: 'correct' as const,
          version: '8.5.9',
          reason: 'x',
          changes: [],
        },
        {
          at: '2026-08-28T09:00:00Z',
          action: 'correct' as const,
          version: '8.5.8',
          reason: 'x',
          changes: [],
        },
      ],
    }));
    const first = announcements(corrected, NOW).find(({ release }) => release?.version === '8.5.9');
    expect(first!.updated).toEqual(new Date('2026-08-27T09:00:00Z'));
    expect(first!.published).toEqual(new Date('2026-07-29T00:00:00Z'));
  });

  it('make a feed that never seems to get older, also when its newest entry is withdrawn', () => {
    const before = feedUpdated(catalogue, announcements(catalogue, NOW));
    const news = { ...catalogue, news: [] };
    const yanked = {
      ...news,
      branches: withBranch('8.5', ({ current, audit }) => ({
        current: { ...current!, yanked: { date: '2026-08-27', reason: 'broken' } },
        audit: [
          ...audit,
          { at: '2026-08-27T09:00:00Z', action: 'yank' as const, version: '8.5.9', reason: 'broken' },
        ],
      })).branches,
    };
    expect(before).toEqual(new Date('2026-08-13T00:00:00Z'));
    expect(feedUpdated(yanked, announcements(yanked, NOW))).toEqual(new Date('2026-08-27T09:00:00Z'));
  });

  it('make a feed that never seems to get older, also when the support of the newest release ends', () => {
    const date = '17 Dec 2026';
    const late = withBranch('8.2', ({ current }) => ({
      current: {
        ...current!,
        date: '2026-12-17',
        published: { ...current!.published, date, source: [{ filename: 'x', name: 'x', date }] },
      },
    }));
    const updated = (instant: string) => {
      const now = new Date(instant);
      return feedUpdated(late, announcements(late, now), pastEnds(late, now));
    };
    expect(updated('2026-12-30T23:59:59Z')).toEqual(new Date('2026-12-17T00:00:00Z'));
    expect(updated('2026-12-31T00:00:00Z')).toEqual(new Date('2026-12-31T00:00:00Z'));
  });
});
