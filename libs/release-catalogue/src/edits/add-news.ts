import type { Catalogue } from '../facts/catalogue.ts';
import { tagUri } from '../facts/feed-id.ts';
import type { NewsFile, NewsItem } from '../schemas/index.ts';
import { EditError, publicationInstant } from './branch-edit.ts';

export interface NewNews {
  readonly title: string;
  readonly link: string;
  readonly summary: string;
  readonly categories: readonly string[];
  /** what readers know it by; made of the feed's host, the year and the title when left out */
  readonly id?: string | undefined;
  /** changes the item that has this id, instead of adding one */
  readonly replace: boolean;
}

/** Adds an item to the news, or changes one. Both raise `updated`, so that readers fetch it (again). */
export const addNews = (catalogue: Catalogue, added: NewNews, now: Date): NewsFile => {
  const { title, link, summary, categories, replace } = added;
  // What is replaced by its title may have come with an id of its own, or in another year.
  const titled = replace ? catalogue.news.find((item) => item.title === title) : undefined;
  const id = added.id ?? titled?.id ?? newsId(catalogue, title, now);
  const old = catalogue.news.find((item) => item.id === id);
  if (old && !replace) throw new EditError(`There is a news item with the id ${id} already.`);
  if (!old && replace) throw new EditError(`There is no news item with the id ${id}.`);
  const at = publicationInstant(catalogue, now);
  const item: NewsItem = {
    id,
    title,
    link,
    published: old?.published ?? at,
    updated: at,
    summary,
    categories: [...categories],
  };
  return {
    $schema: 'schemas/news.schema.json',
    updated: at,
    items: [item, ...catalogue.news.filter((other) => other !== old)],
  };
};

/** `tag:php.net,2026:news/php-8-6-0-beta-1-is-ready`, RFC 4151; letters beyond ASCII are percent-encoded. */
const newsId = ({ product }: Catalogue, title: string, now: Date): string => {
  const slug = title
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  return tagUri(product.feed.id, String(now.getUTCFullYear()), `news/${encodeURIComponent(slug)}`);
};
