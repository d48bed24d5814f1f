import { type Static, Type } from '@sinclair/typebox';
import type { Announcement } from '../../domain/announcement.ts';
import type { Catalogue } from '@workspace/release-catalogue';
import { mediaType } from './media-type.ts';

const Instant = Type.String({ format: 'date-time' });
const Uri = Type.String({ format: 'uri' });

/** JSON Feed 1.1, https://www.jsonfeed.org/version/1.1/ */
export const JsonFeed = Type.Object(
  {
    version: Type.Literal('https://jsonfeed.org/version/1.1'),
    title: Type.String(),
    home_page_url: Uri,
    feed_url: Uri,
    icon: Uri,
    language: Type.String(),
    authors: Type.Array(Type.Object({ name: Type.String(), url: Type.String() })),
    items: Type.Array(
      Type.Object({
        id: Type.String(),
        url: Uri,
        title: Type.String(),
        content_text: Type.String(),
        date_published: Instant,
        date_modified: Instant,
        tags: Type.Array(Type.String()),
        attachments: Type.Optional(
          Type.Array(Type.Object({ url: Uri, mime_type: Type.String(), title: Type.String() })),
        ),
        _release: Type.Optional(
          Type.Object({
            version: Type.String(),
            files: Type.Array(
              Type.Object({ filename: Type.String(), sha256: Type.Union([Type.String(), Type.Null()]) }),
            ),
          }),
        ),
      }),
    ),
  },
  { $id: 'JsonFeed' },
);
export type JsonFeed = Static<typeof JsonFeed>;

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
