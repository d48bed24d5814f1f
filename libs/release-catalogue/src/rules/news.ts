import { error } from './location.ts';
import type { Rule } from './rule.ts';

/** A reader tells news apart by the id, so no two have the same, and ids and links are addresses. */
export const newsIds: Rule = ({ news }) =>
  news.flatMap((item, index) => {
    // The catalogue keeps news in another order than the file, so the violation names the item by its id.
    const location = { file: 'news.json', pointer: '/items' };
    const addresses = (['id', 'link'] as const)
      .filter((member) => !URL.canParse(item[member]))
      .map((member) =>
        error(
          'news-id',
          location,
          item[member],
          `${member} "${item[member]}" of ${item.id} is no absolute address`,
        ),
      );
    const twin = news.findIndex(({ id }) => id === item.id) < index;
    return twin
      ? [...addresses, error('news-id', location, item.id, `"${item.id}" is the id of two items`)]
      : addresses;
  });
