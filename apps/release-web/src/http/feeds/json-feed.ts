import type { Announcement } from '../../domain/announcement.ts';
import type { Catalogue } from '@workspace/release-catalogue';
import type { FeedFrame } from './feed-frame.ts';
import { mediaType } from './media-type.ts';
import type { JsonFeed } from './json-feed-schema.ts';

/** A feed as JSON Feed 1.1: the entries of the Atom feed under the same ids. */
export const jsonFeed = (
  { product: { feed: identity } }: Catalogue,
  { title, page, self, hub }: FeedFrame,
  entries: readonly Announcement[],
  baseUrl: string,
): JsonFeed => {
  const { icon, author } = identity;
  return {
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: page,
    feed_url: self,
    icon,
    language: 'en',
    ...(hub !== undefined && { hubs: [{ type: 'WebSub', url: hub }] }),
    authors: [{ name: author.name, url: author.uri }],
    items: entries.map((entry) => ({
      id: entry.id,
      url: new URL(entry.link, baseUrl).href,
      title: entry.title,
      content_text: entry.summary,
      date_published: entry.published.toISOString(),
      date_modified: entry.updated.toISOString(),
      tags: [...entry.categories],
      ...(entry.release && {
        attachments: entry.release.files.map(({ filename, name }) => ({
          url: `${baseUrl}/distributions/${encodeURIComponent(filename)}`,
          mime_type: mediaType(filename),
          title: name,
        })),
        _release: {
          version: entry.release.version,
          fixes: [...entry.release.fixes],
          files: entry.release.files.map(({ filename, sha256 = null }) => ({ filename, sha256 })),
        },
      }),
    })),
  };
};
