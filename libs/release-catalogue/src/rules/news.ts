import { error } from './location.ts';
import type { Rule } from './rule.ts';
import { jsonChanges } from '../json-change.ts';

/** A reader distinguishes news by the id, so no two have the same, and ids and links are addresses. */
export const newsIds: Rule = function* ({ news }) {
  // The catalogue keeps news in another order than the file, so the violation names the item by its id.
  const location = { file: 'news.json', pointer: '/items' };
  for (const [index, item] of news.entries()) {
    for (const member of ['id', 'link'] as const)
      if (!URL.canParse(item[member]))
        yield error(
          location,
          item[member],
          `${member} "${item[member]}" of ${item.id} is not an absolute address`,
        );
    if (news.findIndex(({ id }) => id === item.id) < index)
      yield error(location, item.id, `"${item.id}" is the id of two items`);
  }
};

/**
 * The dates of news agree: an item is not updated before it is published, its file is not older than any item, and an
 * item that changes raises its `updated`. Readers fetch an entry again when that is newer.
 */
export const newsUpdated: Rule = function* ({ news, newsUpdated: fileUpdated }, { before }) {
  const known = new Map(before?.news.map((item) => [item.id, item]));
  for (const item of news) {
    const { id, published, updated } = item;
    const found = (detail: string, pointer = '/items') =>
      error({ file: 'news.json', pointer }, `${id} ${updated}`, detail);
    const old = known.get(id);
    if (updated < published) yield found(`${id} is updated on ${updated}, before it is published`);
    if (updated > fileUpdated)
      yield found(`${id} is updated on ${updated}, later than its file, ${fileUpdated}`, '/updated');
    if (old && jsonChanges(old, item).length > 0 && updated <= old.updated)
      yield found(`${id} changed, but its updated is still ${updated}: raise it`);
  }
};
