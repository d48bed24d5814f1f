import { branchIn, edited, NOW, REAL } from '../testing/edited-catalogue.ts';
import { promote, type Promotion } from './promote.ts';

const AT = '2026-08-27T09:00:00Z';
const files = (version: string) => ['gz', 'bz2', 'xz'].map((archive) => `php-${version}.tar.${archive}`);

const promotion = (version: string, more: Partial<Promotion> = {}): Promotion => ({
  version,
  kind: 'bugfix',
  date: new Date('2026-08-27'),
  digests: new Map(files(version).map((file) => [file, `digest of ${file}`])),
  announced: false,
  ...more,
});

const source = (version: string) =>
  ['gz', 'bz2', 'xz'].map((archive) => ({
    filename: `php-${version}.tar.${archive}`,
    name: `PHP ${version} (tar.${archive})`,
    sha256: `digest of php-${version}.tar.${archive}`,
    date: '27 Aug 2026',
  }));

describe('promoting', () => {
  it('makes a release current, keeps the one before and clears the slots up to it', () => {
    const overtaken = { version: '8.4.24', active: true, release: { type: 'RC', number: 2 } } as const;
    const coming = { version: '8.4.27', active: true, release: { type: 'RC', number: 0 } } as const;
    const earlier = { version: '8.4.24RC1', sha256: [] };
    const catalogue = edited((data) => {
      const branch = data.branch('8.4');
      branch.expected = '2026-08-27';
      branch.pre_releases.unshift(overtaken);
      branch.pre_releases.push(coming);
      branch.retired_builds.push(earlier);
      branch.audit.push({ at: '2026-08-14T00:00:00Z', action: 'import', version: '8.4.24' });
    });
    const more = {
      fixes: ['CVE-2026-0001'],
      sizes: { 'php-8.4.25.tar.gz': 5 },
      signatures: { 'php-8.4.25.tar.gz': { fingerprint: 'AA', armored: 'armour' } },
    };
    const { expected: _, ...branch } = branchIn(catalogue, '8.4');
    const [, build] = branch.pre_releases;
    expect(
      promote(
        catalogue,
        promotion('8.4.25', {
          ...more,
          kind: 'security',
          announced: true,
          next: '8.4.28',
          reason: 'a leak',
        }),
        NOW,
      ),
    ).toStrictEqual({
      ...branch,
      updated: AT,
      current: {
        version: '8.4.25',
        date: '2026-08-27',
        kind: 'security',
        rank: 3,
        ...more,
        feed: { id: 'http://php.net/releases/8_4_25.php', published: AT },
        published: {
          announcement: true,
          tags: ['security'],
          date: '27 Aug 2026',
          source: source('8.4.25'),
        },
      },
      history: [
        {
          ...branch.current,
          rank: 161,
          published: {
            ...branch.current!.published,
            announcement: { English: '/releases/8_4_24.php' },
            museum: false,
          },
        },
        ...branch.history,
      ],
      pre_releases: [coming, { version: '8.4.28', active: true, release: { type: 'RC', number: 0 } }],
      retired_builds: [
        earlier,
        { version: '8.4.24RC2', sha256: [] },
        {
          version: '8.4.25RC1',
          sha256: [build!.release.sha256_bz2, build!.release.sha256_gz, build!.release.sha256_xz],
          date: '13 August 2026',
        },
      ],
      audit: [...branch.audit, { at: AT, action: 'promote', version: '8.4.25', reason: 'a leak' }],
    });
  });

  it('begins a branch', () => {
    const branch = branchIn(REAL, '8.6');
    expect(promote(REAL, promotion('8.6.0'), NOW)).toStrictEqual({
      ...branch,
      updated: AT,
      current: {
        version: '8.6.0',
        date: '2026-08-27',
        kind: 'bugfix',
        rank: 5,
        feed: { id: 'https://qa.php.net/#8.6.0', published: AT },
        published: { announcement: false, tags: [], date: '27 Aug 2026', source: source('8.6.0') },
      },
      history: [],
      pre_releases: [],
      retired_builds: [expect.objectContaining({ version: '8.6.0beta1' })],
      audit: [{ at: AT, action: 'promote', version: '8.6.0' }],
    });
  });

  it('puts the date of a first release other than X.Y.0 on record', () => {
    const catalogue = edited((data) => (data.branch('8.6').overrides = { security: '2031-12-31' }));
    expect(promote(catalogue, promotion('8.6.1'), NOW)).toMatchObject({
      overrides: { security: '2031-12-31', date: '2026-08-27' },
      audit: [{ version: '8.6.1', changes: [{ pointer: '/overrides/date', to: '2026-08-27' }] }],
    });
  });

  it('brings a retired branch back', () => {
    const { current, history } = promote(REAL, promotion('8.1.35'), NOW);
    expect(current!.rank).toBe(1);
    expect(history).toBe(branchIn(REAL, '8.1').history);
  });

  it('rejects a release on record', () => {
    expect(() => promote(REAL, promotion('8.4.24'), NOW)).toThrow('8.4.24 is released already');
  });
});
