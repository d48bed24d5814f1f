import { branchIn, edited, EditedData, NOW, REAL } from '../testing/edited-catalogue.ts';
import { adoptRelease, adoptSlot } from './adopt.ts';

const AT = '2026-08-27T09:00:00Z';
const SITE = 'https://www.php.net';
const published = {
  announcement: true,
  tags: ['security'],
  date: '26 Aug 2026',
  source: [{ filename: 'x', name: 'y' }],
};

describe('a release of another site', () => {
  it('becomes current when it is the newest', () => {
    const overtaken = { version: '8.4.24', active: true, release: { type: 'RC', number: 1 } } as const;
    const coming = { version: '8.4.26', active: true, release: { type: 'RC', number: 0 } } as const;
    const catalogue = edited((data) => {
      data.branch('8.4').expected = '2026-08-27';
      data.branch('8.4').pre_releases.unshift(overtaken);
      data.branch('8.4').pre_releases.push(coming);
      data.branch('8.4').retired_builds.push({ version: '8.4.23RC1', sha256: [] });
    });
    const { expected: _, ...branch } = branchIn(catalogue, '8.4');
    expect(
      adoptRelease(catalogue, { version: '8.4.25', fixes: ['CVE-2026-0001'], published }, SITE, NOW),
    ).toStrictEqual({
      ...branch,
      updated: AT,
      current: {
        version: '8.4.25',
        date: '2026-08-26',
        kind: 'security',
        rank: 3,
        fixes: ['CVE-2026-0001'],
        feed: { id: 'http://php.net/releases/8_4_25.php', published: AT },
        published,
      },
      history: [expect.objectContaining({ version: '8.4.24', rank: 161 }), ...branch.history],
      pre_releases: [coming],
      retired_builds: [
        { version: '8.4.23RC1', sha256: [] },
        { version: '8.4.24RC1', sha256: [] },
        expect.objectContaining({ version: '8.4.25RC1' }),
      ],
      audit: [{ at: AT, action: 'import', version: '8.4.25', reason: `published at ${SITE}` }],
    });
  });

  it('begins a branch', () => {
    const bugfix = { date: '26 Aug 2026', source: published.source };
    expect(adoptRelease(REAL, { version: '8.6.1', published: bugfix }, SITE, NOW)).toMatchObject({
      overrides: { date: '2026-08-26' },
      history: [],
      audit: [{ version: '8.6.1', changes: [{ pointer: '/overrides/date', to: '2026-08-26' }] }],
    });
    expect(adoptRelease(REAL, { version: '8.6.0', published: bugfix }, SITE, NOW).current).toStrictEqual({
      version: '8.6.0',
      date: '2026-08-26',
      kind: 'bugfix',
      rank: 5,
      feed: { id: 'http://php.net/releases/8_6_0.php', published: AT },
      published: bugfix,
    });
  });

  it.each([
    ['between two', '8.4.22', 1, '8.4.21'],
    ['after all', '8.4.1', 21, '8.4.2'],
  ])('goes into the history %s when it is older', (_where, version, place, neighbour) => {
    const catalogue = edited((data) => {
      const branch = data.branch('8.4');
      branch.history = branch.history.filter((release) => release.version !== version);
    });
    const { current, history } = adoptRelease(catalogue, { version, published }, SITE, NOW);
    const branch = branchIn(catalogue, '8.4');
    expect(current).toBe(branch.current);
    expect(history).toStrictEqual(
      branch.history.toSpliced(place, 0, {
        version,
        date: '2026-08-26',
        kind: 'security',
        rank: new EditedData(catalogue).release(neighbour).rank,
        feed: { id: `http://php.net/releases/${version.replaceAll('.', '_')}.php`, published: AT },
        published: {
          ...published,
          announcement: { English: `/releases/${version.replaceAll('.', '_')}.php` },
          museum: false,
        },
      }),
    );
  });

  it('is the first of a history', () => {
    const catalogue = edited((data) => data.promote('8.6.1'));
    const { history } = adoptRelease(catalogue, { version: '8.6.0', published }, SITE, NOW);
    expect(history).toEqual([expect.objectContaining({ version: '8.6.0', rank: 161 })]);
  });

  it('is rejected when it is on record or has no date', () => {
    const adopt = (version: string, date: string) => () =>
      adoptRelease(REAL, { version, published: { ...published, date } }, SITE, NOW);
    expect(adopt('8.4.24', '26 Aug 2026')).toThrow('8.4.24 is released already');
    expect(adopt('8.4.25', '31 Feb 2026')).toThrow('8.4.25: "31 Feb 2026" is not a date.');
  });
});

describe('a slot of another site', () => {
  const later = { version: '8.4.27', active: true, release: { type: 'RC', number: 0 } } as const;
  const catalogue = edited((data) => {
    data.branch('8.4').pre_releases.push(later);
    data.branch('8.4').retired_builds.push({ version: '8.4.24RC1', sha256: [] });
  });
  const branch = branchIn(catalogue, '8.4');

  it('takes the place of the one before it, whose build is remembered', () => {
    const slot = { version: '8.4.25', active: true, release: { type: 'RC', number: 2 } } as const;
    expect(adoptSlot(catalogue, slot, SITE, NOW)).toStrictEqual({
      ...branch,
      updated: AT,
      pre_releases: [slot, later],
      retired_builds: [...branch.retired_builds, expect.objectContaining({ version: '8.4.25RC1' })],
      audit: [{ at: AT, action: 'import', version: '8.4.25RC2', reason: `published at ${SITE}` }],
    });
  });

  it('may have no build', () => {
    const slot = { version: '8.4.26', active: true, release: { type: 'RC', number: 0 } } as const;
    const { pre_releases, retired_builds, audit } = adoptSlot(catalogue, slot, SITE, NOW);
    expect(pre_releases).toEqual([branch.pre_releases[0], slot, later]);
    expect(retired_builds).toEqual(branch.retired_builds);
    expect(audit).toMatchObject([{ version: '8.4.26' }]);
  });
});
