import { error } from './location.ts';
import type { Rule } from './rule.ts';
import { jsonChanges } from '../json-change.ts';

/** A reader distinguishes news by the id, so no two have the same, and ids and links are addresses. */
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
          `${member} "${item[member]}" of ${item.id} is not an absolute address`,
        ),
      );
    const twin = news.findIndex(({ id }) => id === item.id) < index;
    return twin
      ? [...addresses, error('news-id', location, item.id, `"${item.id}" is the id of two items`)]
      : addresses;
  });

/**
 * The dates of news agree: an item is not updated before it is published, its file is not older than any item, and an
 * item that changes raises its `updated`. Readers fetch an entry again when that is newer.
 */
export const newsUpdated: Rule = ({ news, newsUpdated: fileUpdated }, { before }) => {
  const known = new Map(before?.news.map((item) => [item.id, item]));
  return news.flatMap((item) => {
    const { id, published, updated } = item;
    const violation = (detail: string, pointer = '/items') =>
      error('news-updated', { file: 'news.json', pointer }, `${id} ${updated}`, detail);
    const old = known.get(id);
    return [
      ...(updated < published ? [violation(`${id} is updated on ${updated}, before it is published`)] : []),
      ...(updated > fileUpdated
        ? [violation(`${id} is updated on ${updated}, later than its file, ${fileUpdated}`, '/updated')]
        : []),
      ...(old && jsonChanges(old, item).length > 0 && updated <= old.updated
        ? [violation(`${id} changed, but its updated is still ${updated}: raise it`)]
        : []),
    ];
  });
};
