import { isDeepStrictEqual } from 'node:util';
import { type Answer, type Asked, phpFeed, urlOf } from './answers.ts';

/** A row of "Differences" in docs/php-net.md. */
export interface Difference {
  /** the first cell of its row */
  readonly row: string;
  /** Whether it explains why the answers differ: the one of php.net, and what release-web's has to be then. */
  explains(asked: Asked, there: Answer, here: Answer, context: Context): boolean;
}

export interface Context {
  /** the branches that php.net's own answer says are supported at the instant */
  readonly supported: ReadonlySet<string>;
  /** release-web's builds, in the formats it has */
  readonly builds: { readonly json: Answer; readonly versions: Answer };
}

const isPage = ({ type }: Answer): boolean => /^text\/html\b/i.test(type ?? '');
const isProblem = ({ status, type }: Answer, of: number): boolean =>
  status === of && type === 'application/problem+json';
const isBuilds = ({ path }: Asked): boolean => path === '/pre-release-builds.php';
const isSame = (one: Answer, other: Answer, { method }: Asked): boolean =>
  one.status === other.status && one.type === other.type && (method === 'HEAD' || one.body === other.body);

/** What counts of a parameter and its forms for lists: the last one. */
const lastOf = ({ query }: Asked, name: string): [key: string, value: string] | undefined =>
  [...new URLSearchParams(query)].findLast(([key]) => key === name || key.startsWith(`${name}[`));
const hasOther = (asked: Asked, name: string, known: readonly string[]): boolean => {
  const last = lastOf(asked, name);
  return last !== undefined && (last[0] !== name || !known.includes(last[1]));
};

/** What differs on purpose, row by row. */
export const DIFFERENCES: readonly Difference[] = [
  {
    row: '/releases/index.php?json&version[]=8',
    explains: (_, there, here) => there.status === 500 && isProblem(here, 400),
  },
  {
    row: 'a page: /releases/',
    explains: (_, there, here) =>
      isPage(there) && isPage(here) && there.status === 200 && here.status === 200,
  },
  {
    row: '/releases/8_4_24.php',
    explains: ({ path }, _, here) =>
      /^\/releases\/\d+_\d+_\d+\.php$/.test(path) && isPage(here) && here.status === 200,
  },
  {
    row: '/pre-release-builds.php without format',
    explains: (asked, there, here, { builds }) =>
      isBuilds(asked) &&
      isPage(there) &&
      !lastOf(asked, 'format') &&
      !hasOther(asked, 'only', ['dev_versions']) &&
      isSame(here, !lastOf(asked, 'only') ? builds.json : builds.versions, asked),
  },
  {
    row: '/pre-release-builds.php with another format',
    explains: (asked, _, here) =>
      isBuilds(asked) && hasOther(asked, 'format', ['json', 'serialize']) && isProblem(here, 400),
  },
  {
    row: '/pre-release-builds.php with another only',
    explains: (asked, _, here) =>
      isBuilds(asked) && hasOther(asked, 'only', ['dev_versions']) && isProblem(here, 400),
  },
  {
    row: '/releases.atom, /release-candidates.php',
    explains: ({ query }, there, here) =>
      there.status === 302 &&
      here.status === 301 &&
      here.location === urlOf({ path: there.location!.split('?')[0]!, query }),
  },
  {
    row: '/relases.atom',
    explains: ({ path, query }, there, here) =>
      path === '/relases.atom' &&
      there.status === 302 &&
      here.status === 301 &&
      here.location === urlOf({ path: '/releases/feed.php', query }),
  },
  {
    row: '/mirror-info.php',
    explains: ({ path }, there, here) => {
      const [theirs, ours] = [there, here].map(({ body }) => body.split('|'));
      return (
        path === '/mirror-info.php' &&
        isSame({ ...there, body: '' }, { ...here, body: '' }, { path, query: '', method: 'HEAD' }) &&
        theirs!.length === ours!.length &&
        // What is not about the host.
        isDeepStrictEqual(theirs!.slice(4, 7), ours!.slice(4, 7))
      );
    },
  },
  {
    row: '/releases/feed.php',
    explains: ({ path, method }, there, here, { supported }) => {
      if (path !== '/releases/feed.php' || there.status !== 200 || here.status !== 200) return false;
      if (method === 'HEAD') return true;
      const theirs = phpFeed(there.body);
      const entries = theirs.entries.filter(({ version }) => supported.has(version.replace(/\.\d+$/, '')));
      return isDeepStrictEqual({ ...theirs, entries }, phpFeed(here.body));
    },
  },
  {
    row: '/distributions/php-8.4.24.tar.gz',
    explains: ({ path }, there, here) =>
      path.startsWith('/distributions/') &&
      there.status === 404 &&
      (here.status === 302 || isProblem(here, 404)),
  },
];

/** Rows that do not show here, and why. */
export const NOT_SHOWN: Readonly<Record<string, string>> = {
  '/supported-versions.php, /eol.php, /downloads.php': 'php.net answers with pages, which are not requested',
  'a release was withdrawn': 'php.net removes it from the tables that are imported',
  'a release was corrected': 'an import is no correction',
  '/pre-release-builds.php?format=json': 'release-web runs with PRE_RELEASE_SHAPE=keyed',
  'a path without .php, such as /releases/branches': "compared with php.net's answer to the path with .php",
  '/releases/states.php': 'php.net runs with a link to the file that it looks for in the wrong folder',
  'Access-Control-Allow-Origin': 'no origin is sent',
  'ETag, Last-Modified, conditional requests': 'of the headers only type and location are compared',
};
