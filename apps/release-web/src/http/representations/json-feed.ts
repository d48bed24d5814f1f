import type { Announcement } from '../../domain/announcement.ts';
import type { Catalogue } from '@workspace/release-catalogue';
import { mediaType } from './media-type.ts';
import type { JsonFeed } from '../schemas/json-feed.ts';

/** `/releases/feed.json`: the entries of the Atom feed under the same ids. */
export const jsonFeed = (
  catalogue: Catalogue,
  entries: readonly Announcement[],
  baseUrl: string,
): JsonFeed => {
  const { title, icon, author } = catalogue.product.feed;
  return {
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: `${baseUrl}/releases/`,
    feed_url: `${baseUrl}/releases/feed.json`,
    icon,
    language: 'en',
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
          files: entry.release.files.map(({ filename, sha256 = null }) => ({ filename, sha256 })),
        },
      }),
    })),
  };
};
