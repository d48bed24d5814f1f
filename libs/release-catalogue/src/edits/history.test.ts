import type { Published } from '../schemas/index.ts';
import { edited, EditedData, REAL } from '../testing/edited-catalogue.ts';
import { enteringRank, past } from './history.ts';

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
