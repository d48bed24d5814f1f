import { escapeMarkup, withoutControls } from '@workspace/service-kit';
import { Feed } from 'feed';
import { type Catalogue, parseDateText, type SourceFile } from '@workspace/release-catalogue';
import type { Announcement } from '../../domain/announcement.ts';
import { type FeedFrame, mediaType } from './feed-frame.ts';
import { phpDateTime } from '../php/php-value.ts';

const NAMESPACE = 'http://php.net/ns/releases';
const ROOT = '<feed xmlns="http://www.w3.org/2005/Atom"';

/**
 * A feed in Atom (RFC 4287) with php.net's release elements. The `feed` package writes the feed itself: its id, title, author, links, icon and date. It has no
 * elements of other namespaces and one enclosure an entry without digests, so the entries are written beside it, and
 * put in at its end.
 * @param baseUrl public address, no slash at the end
 */
export const atomFeed = (
  { product: { feed: identity } }: Catalogue,
  { id, title, updated, page, self, hub }: FeedFrame,
  entries: readonly Announcement[],
  baseUrl: string,
): string => {
  const head = new Feed({
    id,
    title: feedText(title),
    link: page,
    feedLinks: { atom: self },
    ...(hub !== undefined && { hub }),
    favicon: identity.icon,
    author: {
      name: feedText(identity.author.name),
      email: feedText(identity.author.email),
      link: identity.author.uri,
    },
    updated,
    generator: false,
  }).atom1();
  const written = entries.map((entry) => `${entryElement(entry, baseUrl)}\n`).join('');
  return [
    [ROOT, `${ROOT} xmlns:php="${NAMESPACE}" xml:lang="en"`],
    [`<updated>${updated.toISOString()}<`, `<updated>${phpDateTime(updated)}<`],
    ['</feed>', `${written}</feed>`],
  ].reduce((xml, [from, to]) => putIn(xml, from!, to!), head);
};

/** Replaces a text that `feed` is known to write exactly once. */
const putIn = (xml: string, from: string, to: string): string => {
  const [before, after, ...more] = xml.split(from);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`the feed package did not write ${from} once`);
  }
  return before + to + after;
};

const entryElement = (entry: Announcement, baseUrl: string): string =>
  element('entry', {}, [
    text('title', entry.title),
    text('id', entry.id),
    ...(entry.release ? [text('php:version', entry.release.version)] : []),
    element('link', { rel: 'alternate', type: 'text/html', href: new URL(entry.link, baseUrl).href }),
    text('published', phpDateTime(entry.published)!),
    text('updated', phpDateTime(entry.updated)!),
    text('summary', entry.summary),
    ...entry.categories.map((term) => element('category', { term })),
    ...(entry.release?.files ?? []).map((file) => enclosure(file, baseUrl)),
    ...(entry.release?.tags ?? []).map((tag) => text('php:tag', tag)),
    ...(entry.release ? [element('content', { type: 'text/html', src: entry.id })] : []),
  ]);

const enclosure = ({ filename, name, md5, sha256, date }: SourceFile, baseUrl: string): string => {
  const day = date === undefined ? null : parseDateText(date);
  return element(
    'link',
    {
      rel: 'enclosure',
      title: name,
      type: mediaType(filename),
      href: `${baseUrl}/distributions/${encodeURIComponent(filename)}`,
    },
    [
      ...(md5 ? [text('php:md5', md5)] : []),
      ...(sha256 ? [text('php:sha256', sha256)] : []),
      ...(day ? [text('php:releaseDate', phpDateTime(day)!)] : []),
    ],
  );
};

const element = (
  name: string,
  attributes: Readonly<Record<string, string>>,
  children: readonly string[] = [],
): string => {
  const start = Object.entries(attributes).reduce(
    (tag, [key, value]) => `${tag} ${key}="${escapeMarkup(value)}"`,
    `<${name}`,
  );
  return children.length === 0 ? `${start}/>` : [`${start}>`, ...children, `</${name}>`].join('\n');
};

const text = (name: string, value: string): string => `<${name}>${escapeMarkup(value)}</${name}>`;

/** `feed` takes `&amp;` for `&` before it escapes: said twice, once is written. */
const feedText = (value: string): string => withoutControls(value).replaceAll('&', '&amp;');
