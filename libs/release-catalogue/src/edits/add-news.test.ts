import { edited, NOW, REAL } from '../testing/edited-catalogue.ts';
import { addNews } from './add-news.ts';

const AT = '2026-08-27T09:00:00Z';
const [beta] = REAL.news;
const added = {
  title: '¡PHP  8.6: RC 1 – “prêt”!',
  link: 'https://www.php.net/archive/2026.php',
  summary: 'The first release candidate can be tested.',
  categories: ['pre-release'],
  replace: false,
};
const { replace: _, ...members } = added;
const ID = 'tag:php.net,2026:news/php-8-6-rc-1-pr%C3%AAt';

describe('adding news', () => {
  it('puts an item first, with an id made of the year and the title', () => {
    expect(addNews(REAL, added, NOW)).toStrictEqual({
      $schema: 'schemas/news.schema.json',
      updated: AT,
      items: [{ ...members, id: ID, published: AT, updated: AT }, beta],
    });
  });

  it('takes a given id', () => {
    expect(addNews(REAL, { ...added, id: 'tag:php.net,2025:x' }, NOW).items[0]!.id).toBe(
      'tag:php.net,2025:x',
    );
  });

  it('changes an item that its id names', () => {
    const { items } = addNews(REAL, { ...added, id: beta!.id, replace: true }, NOW);
    expect(items).toStrictEqual([{ ...members, id: beta!.id, published: beta!.published, updated: AT }]);
  });

  it('changes an item that its title names, whatever its id', () => {
    const titled = edited(({ catalogue }) =>
      catalogue.news.unshift({ ...beta!, id: 'tag:php.net,2026:y', title: 'another' }),
    );
    const { items } = addNews(titled, { ...added, title: beta!.title, replace: true }, NOW);
    expect(items.map(({ id, summary }) => ({ id, summary }))).toEqual([
      { id: beta!.id, summary: added.summary },
      { id: 'tag:php.net,2026:y', summary: beta!.summary },
    ]);
  });

  it('adds an item with the title of another under an id of its own', () => {
    const { items } = addNews(REAL, { ...added, title: beta!.title }, NOW);
    expect(items.map(({ id }) => id)).toEqual([
      'tag:php.net,2026:news/php-8-6-0-beta-1-is-ready-for-testing',
      beta!.id,
    ]);
  });

  it.each([
    ['an id on record', { ...added, id: beta!.id }, 'There is a news item with the id'],
    ['a change of what is not on record', { ...added, replace: true }, `There is no news item with the id`],
  ])('rejects %s', (_what, news, message) => {
    expect(() => addNews(REAL, news, NOW)).toThrow(message);
  });
});
