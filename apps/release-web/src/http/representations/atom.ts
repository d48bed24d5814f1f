import { withoutControls } from '@workspace/service-kit';
import { Feed } from 'feed';
import { type Element, js2xml, xml2js } from 'xml-js';
import { type Catalogue, parseDateText, type SourceFile } from '@workspace/release-catalogue';
import type { Announcement } from '../../domain/announcement.ts';
import { feedUpdated } from '../../domain/announcement.ts';
import { mediaType } from './media-type.ts';
import { phpDateTime } from './php/php-date-time.ts';

const NAMESPACE = 'http://php.net/ns/releases';

/**
 * `/releases/feed.php`: Atom (RFC 4287) with php.net's release elements.
 *
 * The `feed` package writes the frame; what it cannot say (elements of another namespace, several enclosures with
 * digests, exact text) is added to its output as a tree, so that any text in the data stays well-formed.
 * @param baseUrl public address, no slash at the end
 */
export const atomFeed = (catalogue: Catalogue, entries: readonly Announcement[], baseUrl: string): string => {
  const { feed: identity } = catalogue.product;
  const updated = feedUpdated(catalogue, entries);
  const frame = new Feed({
    id: identity.id,
    title: identity.title,
    link: `${baseUrl}/releases/`,
    feedLinks: { atom: `${baseUrl}/releases/feed.php` },
    favicon: identity.icon,
    author: { name: identity.author.name, email: identity.author.email, link: identity.author.uri },
    updated,
    generator: false,
  });
  for (const { id, link, title, updated: date } of entries) {
    frame.addItem({ id, link: new URL(link, baseUrl).href, title: withoutControls(title), date });
  }
  const tree = xml2js(frame.atom1(), { compact: false }) as Element;
  const root = child(tree, 'feed');
  root.attributes = { ...root.attributes, 'xmlns:php': NAMESPACE, 'xml:lang': 'en' };
  replaceText(root, 'title', identity.title);
  replaceText(root, 'updated', phpDateTime(updated)!);
  root.elements
    ?.filter(({ name }) => name === 'entry')
    .forEach((element, index) => {
      element.elements = entryElements(entries[index]!, baseUrl);
    });
  return js2xml(tree, { compact: false, spaces: 1 });
};

const entryElements = (entry: Announcement, baseUrl: string): Element[] => [
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
];

const enclosure = ({ filename, name, md5, sha256, date }: SourceFile, baseUrl: string): Element => {
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

const element = (name: string, attributes: Record<string, string>, elements: Element[] = []): Element => ({
  type: 'element',
  name,
  attributes: Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [key, escapeAttribute(value)]),
  ),
  elements,
});

const text = (name: string, value: string): Element => element(name, {}, [textNode(value)]);

const child = (parent: Element, name: string): Element => {
  const found = parent.elements?.find((candidate) => candidate.name === name);
  if (!found) throw new Error(`the feed has no <${name}>`);
  return found;
};

const replaceText = (parent: Element, name: string, value: string): void => {
  child(parent, name).elements = [textNode(value)];
};

/** xml-js takes `&amp;` for `&` before it escapes: said twice, once is written. */
const textNode = (value: string): Element => ({
  type: 'text',
  text: withoutControls(value).replaceAll('&', '&amp;'),
});

/** xml-js escapes quotes in attributes and nothing else. */
const escapeAttribute = (value: string): string =>
  withoutControls(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
