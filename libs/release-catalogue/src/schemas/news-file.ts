import { type Static, Type } from '@sinclair/typebox';
import { exact, Instant, Uri, WebAddress } from './scalars.ts';

/** One piece of news, as plain text; a reader knows it by `id`, so that never changes. */
export const NewsItem = Type.Object(
  {
    id: { ...Uri, description: 'an absolute IRI: a URL or a tag: URI' },
    title: Type.String({ minLength: 1 }),
    link: WebAddress,
    published: Instant,
    updated: Instant,
    summary: Type.String({ minLength: 1 }),
    categories: Type.Array(Type.String({ minLength: 1 })),
  },
  exact,
);
export type NewsItem = Static<typeof NewsItem>;

/** `news.json`: what else the project announces in its feed. */
export const NewsFile = Type.Object(
  { $schema: Type.Optional(Type.String()), updated: Instant, items: Type.Array(NewsItem) },
  { ...exact, $id: 'news', title: 'release-web: news' },
);
export type NewsFile = Static<typeof NewsFile>;
