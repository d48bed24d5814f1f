import type { SourceFile } from '../schemas/index.ts';
import { branchIn, edited, NOW, REAL } from '../testing/edited-catalogue.ts';
import { correct, type Correction } from './correct.ts';

const AT = '2026-08-27T09:00:00Z';
const LINK = { link: 'https://www.php.net/', name: 'more' };
const EXTRA = { filename: 'php-8.4.24.zip', name: 'zip', sha256: 'old' };
const catalogue = edited((data) => {
  const release = data.release('8.4.24');
  Object.assign(release, {
    sizes: { 'php-8.4.24.tar.gz': 1 },
    signatures: { 'php-8.4.24.tar.gz': { fingerprint: 'AA', armored: 'old' } },
  });
  release.published.source.push(LINK, EXTRA);
});
const branch = branchIn(catalogue, '8.4');
const current = branch.current!;
const [gz, bz2, xz] = current.published.source as SourceFile[];

const corrected = (more: Partial<Correction>, version = '8.4.24') =>
  correct(catalogue, { version, reason: 'a typo', members: [], ...more }, NOW);

describe('correcting a release', () => {
  it('changes a date wherever it is', () => {
    expect(corrected({ date: new Date('2026-07-31') })).toStrictEqual({
      ...branch,
      updated: AT,
      current: {
        ...current,
        date: '2026-07-31',
        published: {
          ...current.published,
          date: '31 Jul 2026',
          source: [
            ...[gz, bz2, xz].map((file) => ({ ...file, date: '31 Jul 2026' })),
            LINK,
            { ...EXTRA, date: '31 Jul 2026' },
          ],
        },
      },
      audit: [
        {
          at: AT,
          action: 'correct',
          version: '8.4.24',
          reason: 'a typo',
          changes: [
            { pointer: '/date', from: '2026-07-30', to: '2026-07-31' },
            { pointer: '/published/date', from: '30 Jul 2026', to: '31 Jul 2026' },
            ...[0, 1, 2].map((index) => ({
              pointer: `/published/source/${index}/date`,
              from: '30 Jul 2026',
              to: '31 Jul 2026',
            })),
            { pointer: '/published/source/4/date', to: '31 Jul 2026' },
          ],
        },
      ],
    });
  });

  it('changes a kind with the tags, and the CVE ids', () => {
    expect(corrected({ kind: 'bugfix' }).current).toStrictEqual({
      ...current,
      kind: 'bugfix',
      published: { ...current.published, tags: [] },
    });
    const { current: security } = corrected({ kind: 'security', fixes: ['CVE-2026-0001'] });
    expect(security).toStrictEqual({ ...current, fixes: ['CVE-2026-0001'] });
  });

  it('takes digests with the sizes and signatures of the new files', () => {
    const digests = new Map(['gz', 'bz2', 'xz'].map((archive) => [`php-8.4.24.tar.${archive}`, archive]));
    const published = {
      ...current.published,
      source: [{ ...gz, sha256: 'gz' }, { ...bz2, sha256: 'bz2' }, { ...xz, sha256: 'xz' }, LINK, EXTRA],
    };
    const { sizes: _, signatures: __, ...bare } = current;
    expect(corrected({ digests }).current).toStrictEqual({ ...bare, published });
    const files = { sizes: { x: 2 }, signatures: { x: { fingerprint: 'BB', armored: 'new' } } };
    expect(corrected({ digests, ...files }).current).toStrictEqual({
      ...bare,
      ...files,
      published,
    });
  });

  it('changes single members last, and keeps the id of the feed', () => {
    const { current: hidden } = corrected({
      kind: 'bugfix',
      members: [{ pointer: '/published/announcement', value: false }, { pointer: '/published/tags' }],
    });
    const { tags: _, ...published } = current.published;
    expect(hidden).toStrictEqual({
      ...current,
      kind: 'bugfix',
      feed: { id: 'http://php.net/releases/8_4_24.php' },
      published: { ...published, announcement: false },
    });
  });

  it('changes one of the history', () => {
    const { history, ...others } = corrected({ fixes: ['CVE-2026-0001'] }, '8.4.22');
    expect(history).toStrictEqual(
      branch.history.with(1, { ...branch.history[1]!, fixes: ['CVE-2026-0001'] }),
    );
    expect(others).toMatchObject({ current, pre_releases: branch.pre_releases });
  });
});

describe('correcting a build', () => {
  it('changes what is given', () => {
    const other = { version: '8.4.26', active: true, release: { type: 'RC', number: 0 } } as const;
    const two = edited((data) => data.branch('8.4').pre_releases.push(other));
    const { pre_releases } = branchIn(two, '8.4');
    const digests = new Map(['gz', 'bz2', 'xz'].map((archive) => [`php-8.4.25RC1.tar.${archive}`, archive]));
    const correction = { version: '8.4.25RC1', reason: 'a typo', members: [] };
    const slot = pre_releases[0]!;
    expect(correct(two, { ...correction, digests }, NOW)).toMatchObject({
      current: branchIn(REAL, '8.4').current,
      pre_releases: [
        { ...slot, release: { ...slot.release, sha256_bz2: 'bz2', sha256_gz: 'gz', sha256_xz: 'xz' } },
        other,
      ],
    });
    const { pre_releases: dated } = correct(
      two,
      { ...correction, date: new Date('2026-08-12'), members: [{ pointer: '/baseurl', value: 'x' }] },
      NOW,
    );
    expect(dated).toStrictEqual([
      { ...slot, release: { ...slot.release, date: '12 August 2026', baseurl: 'x' } },
      other,
    ]);
  });

  it.each([{ kind: 'bugfix' }, { fixes: [] }] as const)('has no %p', (more) => {
    expect(() => corrected(more, '8.4.25RC1')).toThrow('A build is neither');
  });
});

it.each([
  ['8.4.99', {}, '8.4.99 is not on record.'],
  ['8.4.24', {}, '8.4.24 has these values already.'],
])('rejects a correction of %s without effect', (version, more, message) => {
  expect(() => corrected(more, version)).toThrow(message);
});
