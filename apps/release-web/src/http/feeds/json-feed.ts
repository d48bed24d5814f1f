import type { Announcement } from '../../domain/announcement.ts';
import type { Catalogue } from '@workspace/release-catalogue';
import { type FeedFrame, mediaType } from './feed-frame.ts';
import { type Static, Type } from '@sinclair/typebox';
import { EXAMPLE_DIGEST } from '../api/envelope.ts';

const Instant = Type.String({ format: 'date-time', examples: ['2026-07-30T00:00:00Z'] });
const Uri = (example: string) => Type.String({ format: 'uri', examples: [example] });
const Text = (example: string) => Type.String({ examples: [example] });
const ID = 'http://php.net/releases/8_4_24.php';
const PAGE = 'https://www.php.net/releases/8_4_24.php';
const ARCHIVE = 'php-8.4.24.tar.gz';

/** JSON Feed 1.1, https://www.jsonfeed.org/version/1.1/ */
export const JsonFeed = Type.Object(
  {
    version: Type.Literal('https://jsonfeed.org/version/1.1'),
    title: Text('PHP.net releases'),
    home_page_url: Uri('https://www.php.net/releases/'),
    feed_url: Uri('https://www.php.net/releases/feed.json'),
    icon: Uri('http://php.net/favicon.ico'),
    language: Text('en'),
    hubs: Type.Optional(
      Type.Array(Type.Object({ type: Type.Literal('WebSub'), url: Uri('https://hub.example/') })),
    ),
    authors: Type.Array(Type.Object({ name: Text('Webmaster'), url: Text('http://php.net/contact') })),
    items: Type.Array(
      Type.Object({
        id: Text(ID),
        url: Uri(PAGE),
        title: Text('PHP 8.4.24 released!'),
        content_text: Text('PHP 8.4.24 of 2026-07-30 fixes security issues.'),
        date_published: Instant,
        date_modified: Instant,
        tags: Type.Array(Text('release')),
        attachments: Type.Optional(
          Type.Array(
            Type.Object({
              url: Uri(`https://www.php.net/distributions/${ARCHIVE}`),
              mime_type: Text('application/gzip'),
              title: Text('PHP 8.4.24 (tar.gz)'),
            }),
          ),
        ),
        _release: Type.Optional(
          Type.Object({
            version: Text('8.4.24'),
            fixes: Type.Array(Text('CVE-2026-17544'), { description: 'CVE ids' }),
            files: Type.Array(
              Type.Object({
                filename: Text(ARCHIVE),
                sha256: Type.Union([Type.String(), Type.Null()], { examples: [EXAMPLE_DIGEST] }),
              }),
            ),
          }),
        ),
      }),
    ),
  },
  { $id: 'JsonFeed' },
);
export type JsonFeed = Static<typeof JsonFeed>;

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
