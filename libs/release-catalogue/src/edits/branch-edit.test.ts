import { edited, EditedData, NOW, REAL } from '../testing/edited-catalogue.ts';
import {
  branchFor,
  enteringRank,
  expectUnreleased,
  past,
  publicationInstant,
  retired,
} from './branch-edit.ts';
import type { Published } from '../schemas/index.ts';

describe('the instant of a publication', () => {
  it('is now, to the second', () => {
    expect(publicationInstant(REAL, new Date('2026-08-27T09:00:00.999Z'))).toBe('2026-08-27T09:00:00Z');
  });

  const AHEAD = '2026-08-27T09:30:00Z';
  it.each<[what: string, edit: (data: EditedData) => unknown]>([
    ['the product', ({ catalogue }) => (catalogue.product.updated = AHEAD)],
    ['the news', ({ catalogue }) => Object.assign(catalogue, { newsUpdated: AHEAD })],
    ['a branch', (data) => (data.branch('7.4').updated = AHEAD)],
    [
      'the audit of a branch',
      (data) => data.branch('7.4').audit.push({ at: AHEAD, action: 'retire', version: '7.4.33' }),
    ],
  ])('is a second after %s when that is ahead', (_what, edit) => {
    expect(publicationInstant(edited(edit), NOW)).toBe('2026-08-27T09:30:01Z');
  });

  it('does without an instant that is not valid', () => {
    expect(publicationInstant({ ...REAL, newsUpdated: '2026-02-31T99:00:00Z' }, NOW)).toBe(
      '2026-08-27T09:00:00Z',
    );
  });
});

describe('the branch of a version', () => {
  it('is on record', () => {
    expect(branchFor(REAL, '8.4.25').branch).toBe('8.4');
    expect(() => branchFor(REAL, '9.9.0')).toThrow('There is no branch 9.9 for 9.9.0.');
  });

  it('has the version or has not', () => {
    const { branches } = edited(
      (data) => (data.release('8.4.23').yanked = { date: '2026-08-01', reason: 'x' }),
    );
    const branch = branches.find((file) => file.branch === '8.4')!;
    expect(() => expectUnreleased(branch, '8.4.23')).toThrow('8.4.23 was withdrawn on 2026-08-01');
    expect(() => expectUnreleased(branch, '8.4.24')).toThrow('8.4.24 is released already');
    expect(() => expectUnreleased(branch, '8.4.25')).not.toThrow();
  });
});

it('remembers builds with the digests and the date that they have', () => {
  const slot = { version: '8.6.0', active: true };
  expect(
    retired([
      { ...slot, release: { type: 'alpha', number: 0, sha256_gz: 'a' } },
      {
        ...slot,
        release: { type: 'beta', number: 1, sha256_gz: 'b', sha256_bz2: 'c', date: '01 July 2026' },
      },
      { ...slot, release: { type: 'RC', number: 2, sha256_gz: '' } },
    ]),
  ).toStrictEqual([
    { version: '8.6.0beta1', sha256: ['c', 'b'], date: '01 July 2026' },
    { version: '8.6.0RC2', sha256: [] },
  ]);
});

const release = new EditedData(REAL).release('8.4.24');
const { announcement: _, ...unannounced } = release.published;
const English = '/releases/8_4_24.php';

describe('a release that enters the history', () => {
  it.each<[does: string, of: Published, becomes: Published]>([
    [
      'names its page',
      { ...unannounced, announcement: true },
      { ...unannounced, announcement: { English }, museum: false },
    ],
    [
      'keeps pages that it names',
      { ...unannounced, announcement: { French: '/x' } },
      { ...unannounced, announcement: { French: '/x' }, museum: false },
    ],
    ['needs no page', unannounced, { ...unannounced, museum: false }],
    ['may be in the museum already', { ...unannounced, museum: true }, { ...unannounced, museum: true }],
  ])('%s and is first of its table', (_does, of, becomes) => {
    expect(past(REAL, { ...release, published: of })).toStrictEqual({
      ...release,
      rank: 161,
      published: becomes,
    });
  });

  it('keeps the id of an unannounced release, and the place of its members', () => {
    const is = past(REAL, { ...release, published: { ...release.published, announcement: false } });
    expect(is).toMatchObject({ feed: { id: 'https://qa.php.net/#8.4.24' } });
    expect(is.published).toStrictEqual({ ...unannounced, museum: false });
    expect(Object.keys(past(REAL, release).published)).toEqual([...Object.keys(release.published), 'museum']);
  });
});

describe('the rank of a release that enters the current table', () => {
  it.each([
    ['8.6.0', 'above all', 5],
    ['8.3.0', 'above those of lower branches', 2],
    ['8.1.35', 'last', 1],
    ['9.0.0', 'first of a new table', 1],
  ])('%s: %s', (version, _where, rank) => {
    const table = edited(({ catalogue }) => {
      for (const branch of catalogue.branches) if (branch.branch === '8.3') branch.current = null;
    });
    expect(enteringRank(table, version)).toBe(rank);
  });
});
