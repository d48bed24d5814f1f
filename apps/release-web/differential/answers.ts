import { XMLParser } from 'fast-xml-parser';

export interface Asked {
  readonly path: string;
  /** without the question mark */
  readonly query: string;
  readonly method: 'GET' | 'HEAD';
}

/** What clients of php.net read of an answer. */
export interface Answer {
  readonly status: number;
  readonly type: string | null;
  /** path and query; null without a redirect */
  readonly location: string | null;
  readonly body: string;
}

export const urlOf = ({ path, query }: Pick<Asked, 'path' | 'query'>): string =>
  query === '' ? path : `${path}?${query}`;

/** The path under which php.net answers itself; it redirects the others there without their query. */
export const pathThere = (path: string): string =>
  /\.\w+$|^\/releases\/?$/.test(path) ? path : `${path}.php`;

/** Asks without following redirects. */
export const ask = async (origin: string, asked: Asked): Promise<Answer> => {
  const answer = await fetch(`${origin}${urlOf(asked)}`, { method: asked.method, redirect: 'manual' });
  const location = answer.headers.get('location');
  const body = await answer.text();
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    location: location === null ? null : location.replace(origin, ''),
    body,
  };
};

type Node = Readonly<Record<string, unknown>>;

const parser = new XMLParser({
  ignoreAttributes: false,
  parseTagValue: false,
  parseAttributeValue: false,
  isArray: (name) => ['entry', 'link', 'php:tag'].includes(name),
});

/** The members of feed and entries that php.net's feed has, by version; links from the root of the site. */
export const phpFeed = (xml: string) => {
  const { feed } = parser.parse(xml) as { feed: Node };
  const entries = (feed['entry'] ?? []) as Node[];
  return {
    title: feed['title'],
    id: feed['id'],
    author: feed['author'],
    entries: entries
      .filter((entry) => 'php:version' in entry)
      .map((entry) => ({
        id: entry['id'],
        title: entry['title'],
        version: entry['php:version'] as string,
        published: entry['published'],
        updated: entry['updated'],
        tags: entry['php:tag'],
        content: (entry['content'] as Node)['@_src'],
        files: (entry['link'] as Node[])
          .filter((link) => link['@_rel'] === 'enclosure')
          .map((link) => ({
            title: link['@_title'],
            path: String(link['@_href']).replace(/^https?:\/\/[^/]+/, ''),
            md5: link['php:md5'],
            sha256: link['php:sha256'],
            date: link['php:releaseDate'],
          })),
      }))
      // Ours are newest first.
      .sort((a, b) => a.version.localeCompare(b.version)),
  };
};

const AROUND = 60;

/** An answer as one line, around the first character that another one has not. */
export const excerpt = (answer: Answer, other: Answer): string => {
  const { status, type, location, body } = answer;
  const index = [...body].findIndex((character, at) => character !== other.body[at]);
  const at = Math.max(0, (index < 0 ? Math.min(body.length, other.body.length) : index) - AROUND);
  const text = body.slice(at, at + 2 * AROUND).replaceAll('\n', ' ');
  return [
    status,
    type,
    ...(location === null ? [] : [`to ${location}`]),
    `${body.length} characters, at ${at}: ${text}`,
  ].join(' ');
};
