import type { Site } from '../site.ts';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import type { Announcement } from '../../domain/announcement.ts';
import type { Catalogue } from '@workspace/release-catalogue';
import { atomFeed } from './atom.ts';
import { siteFrame } from './feed-frame.ts';

const catalogue = {
  product: {
    updated: '2026-01-01T00:00:00Z',
    name: 'Demo',
    feed: {
      id: 'http://demo.example/releases',
      title: 'Demo & <co> "x" &amp; ]]>',
      author: { name: 'A & B', uri: 'http://demo.example/?a=1&b=2', email: 'a@demo.example' },
      icon: 'http://demo.example/i.png',
      release_id: '',
      unannounced_id: '',
    },
  },
  branches: [],
  newsUpdated: '2026-01-01T00:00:00Z',
  revision: new Date('2026-01-01T00:00:00Z'),
} as unknown as Catalogue;

const entry = (more: Partial<Announcement>): Announcement => ({
  id: 'tag:demo.example,2026:1',
  title: 'T',
  link: '/releases/',
  published: new Date('2026-02-01T00:00:00Z'),
  updated: new Date('2026-02-02T00:00:00Z'),
  summary: 'S',
  categories: [],
  ...more,
});

const BASE = 'https://releases.example';
interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string | undefined;
  readonly elements: readonly Element[];
}

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  trimValues: false,
  parseTagValue: false,
});
const toElement = (node: Record<string, unknown>): Element => {
  const name = Object.keys(node).find((key) => key !== ':@')!;
  const nodes = node[name] as Record<string, unknown>[];
  return {
    name,
    attributes: (node[':@'] as Record<string, string> | undefined) ?? {},
    text: nodes.find((child) => '#text' in child)?.['#text'] as string | undefined,
    elements: nodes.filter((child) => !('#text' in child)).map(toElement),
  };
};
const parse = (xml: string): Element => {
  expect(XMLValidator.validate(xml)).toBe(true);
  return toElement((parser.parse(xml) as Record<string, unknown>[]).find((node) => 'feed' in node)!);
};
const all = (parent: Element, name: string): Element[] =>
  parent.elements.filter((candidate) => candidate.name === name);
const textOf = (parent: Element, name: string) => all(parent, name)[0]?.text;

const site = { baseUrl: BASE, settings: {} } as Site;
const atom = (entries: readonly Announcement[]): string =>
  atomFeed(
    catalogue,
    siteFrame({ catalogue, announcements: entries, builtAt: new Date('2026-11-21T12:00:00Z') }, 'atom', site),
    entries,
    BASE,
  );

describe('atomFeed', () => {
  it('keeps any text of the data, and stays well-formed', () => {
    const nasty = `& < > " ' &amp; &lt; ]]> <b>é 😀</b>`;
    const xml = atom([
      entry({
        title: nasty,
        summary: nasty,
        categories: [nasty],
        release: {
          version: nasty,
          tags: [nasty],
          fixes: [nasty],
          files: [{ filename: nasty, name: nasty, sha256: nasty }],
        },
      }),
    ]);
    const feed = parse(xml);
    const one = all(feed, 'entry')[0]!;
    expect(feed.attributes['xmlns:php']).toBe('http://php.net/ns/releases');
    expect(all(one, 'content')[0]!.attributes['src']).toBe(textOf(one, 'id'));
    expect(textOf(feed, 'title')).toBe('Demo & <co> "x" &amp; ]]>');
    for (const name of ['title', 'summary', 'php:version', 'php:tag']) expect(textOf(one, name)).toBe(nasty);
    const enclosure = all(one, 'link').find(({ attributes }) => attributes['rel'] === 'enclosure')!;
    expect(enclosure.attributes['title']).toBe(nasty);
    expect(textOf(enclosure, 'php:sha256')).toBe(nasty);
  });

  it('replaces what XML cannot hold', () => {
    const feed = parse(atom([entry({ title: 'a\u0000b\u001fc\ud800d\uffffe\tf' })]));
    expect(textOf(all(feed, 'entry')[0]!, 'title')).toBe('a\ufffdb\ufffdc\ufffdd\ufffde\tf');
  });

  it('writes enclosures with type and digests, links made absolute, dates as PHP does', () => {
    const files = [
      { filename: 'demo-1.tar.gz', name: 'gz', md5: 'm', sha256: 's', date: '1 Feb 2026' },
      { filename: 'demo-1.exe', name: 'exe' },
    ];
    const xml = atom([entry({ release: { version: '1', tags: ['security'], fixes: [], files } })]);
    const one = all(parse(xml), 'entry')[0]!;
    expect(textOf(one, 'published')).toBe('2026-02-01T00:00:00+00:00');
    const [alternate, gz, exe] = all(one, 'link');
    expect(alternate!.attributes).toEqual({ rel: 'alternate', type: 'text/html', href: `${BASE}/releases/` });
    expect(gz!.attributes).toEqual({
      rel: 'enclosure',
      title: 'gz',
      type: 'application/gzip',
      href: `${BASE}/distributions/demo-1.tar.gz`,
    });
    expect(gz!.elements.map(({ name }) => name)).toEqual(['php:md5', 'php:sha256', 'php:releaseDate']);
    expect(textOf(gz!, 'php:releaseDate')).toBe('2026-02-01T00:00:00+00:00');
    expect(exe!.attributes['type']).toBe('application/octet-stream');
    expect(exe!.elements).toEqual([]);
  });

  it('has no release elements for news, and no entries without any', () => {
    const news = all(parse(atom([entry({})])), 'entry')[0]!;
    expect(news.elements.some(({ name }) => name.startsWith('php:') || name === 'content')).toBe(false);
    const empty = parse(atom([]));
    expect(all(empty, 'entry')).toEqual([]);
    expect(textOf(empty, 'updated')).toBe('2026-01-01T00:00:00+00:00');
  });
});
