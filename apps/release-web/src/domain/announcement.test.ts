import { join } from 'node:path';
import { type BranchFile, type Catalogue, loadDataFolder } from '@workspace/release-catalogue';
import { announcements, feedUpdated, pastEnds } from './announcement.ts';

const NOW = new Date('2026-11-21T12:00:00Z');

describe('announcements', () => {
  let catalogue: Catalogue;
  beforeAll(async () => {
    ({ catalogue } = await loadDataFolder(join(__dirname, '../../test/fixtures/data')));
  });
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
      categories: [
        'release',
        '8.5',
        'security',
        'CVE-2026-7260',
        'CVE-2026-9672',
        'CVE-2026-17543',
        'CVE-2026-17544',
      ],
      summary: expect.stringContaining('fixes security issues'),
      release: { version: '8.5.9', tags: ['security'] },
    });
    expect(first!.release!.files.map(({ filename }) => filename)).toEqual([
      'php-8.5.9.tar.gz',
      'php-8.5.9.tar.bz2',
      'php-8.5.9.tar.xz',
    ]);
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
