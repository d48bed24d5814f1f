import { CommandRejected } from '@workspace/release-cli';
import type { ServiceAnswer, StillService } from '../../cli/command-option.ts';
import {
  exportedPaths,
  type ExportRequest,
  exportRequests,
  fileNaming,
  pagedQueries,
} from './export-requests.ts';
import type { Tree } from './tree.ts';

export interface ExportedAnswer {
  readonly request: ExportRequest;
  /** below the folder of the export, without `.gz` or `.br` */
  readonly file: string;
  /** of the plain form; `-gzip` and `-br` before the last quote are those of the others */
  readonly etag: string;
  readonly bytes: number;
  readonly headers: Readonly<Record<string, string>>;
  /** false: never answered with 304 */
  readonly isConditional: boolean;
}

export interface ExportedRedirect {
  readonly path: string;
  readonly status: number;
  readonly location: string;
  readonly keepsQuery: boolean;
}

export interface Rendering {
  readonly answers: readonly ExportedAnswer[];
  readonly redirects: readonly ExportedRedirect[];
}

/** Headers that belong to a message, or that the server makes from the file. */
const NOT_STORED = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'date',
  'etag',
  'keep-alive',
  'last-modified',
  'transfer-encoding',
]);

export const SITE_FOLDER = 'site';

/** Files are written while others are compressed. */
const AT_ONCE = 16;

/**
 * Asks the service for everything, and writes the answers.
 * @param before paths and queries of the export before this one
 */
export const renderExport = async (
  service: StillService,
  tree: Tree,
  before: readonly string[],
  progress: (text: string) => void = () => undefined,
): Promise<Rendering> => {
  const requests = [
    ...exportRequests(service.catalogue, exportedPaths(service.routes), service.optionPaths),
    ...(await pagesOfLists(service)),
    ...(await changesByCursor(service, before)),
  ];
  const nameOf = fileNaming(requests.map(({ path }) => path));

  const render = async (request: ExportRequest): Promise<ExportedAnswer | ExportedRedirect | undefined> => {
    const url = urlOf(request);
    const answer = await service.get(url);
    if (answer.status >= 300 && answer.status < 400) return redirectOf(service, request.path, answer);
    if (answer.status !== 200) return undefined;
    const { headers, body } = answer;
    const file = `${SITE_FOLDER}/${nameOf(request, headers['content-type'] ?? '')}`;
    const modified = new Date(headers['last-modified'] ?? service.catalogue.revision);
    await tree.put(file, body, modified);
    for (const [coding, ending] of [
      ['gzip', 'gz'],
      ['br', 'br'],
    ] as const) {
      const coded = await service.get(url, { 'accept-encoding': coding });
      await tree.put(`${file}.${ending}`, coded.body, modified);
    }
    const etag = headers['etag']!;
    const repeated = await service.get(url, { 'if-none-match': etag });
    return {
      request,
      file,
      etag,
      bytes: body.length,
      headers: storedHeaders(headers),
      isConditional: repeated.status === 304,
    };
  };

  const rendered: Awaited<ReturnType<typeof render>>[] = [];
  for (let first = 0; first < requests.length; first += AT_ONCE) {
    progress(`${first} of ${requests.length}`);
    rendered.push(...(await Promise.all(requests.slice(first, first + AT_ONCE).map(render))));
  }
  progress('');
  return {
    answers: rendered.filter((one): one is ExportedAnswer => one !== undefined && 'file' in one),
    redirects: rendered
      .filter((one): one is ExportedRedirect => one !== undefined && 'location' in one)
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
};

export const urlOf = ({ path, query }: ExportRequest): string => (query === '' ? path : `${path}?${query}`);

/** An answer may be fresh for less before a change; a file cannot know when it is sent. */
const storedHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !NOT_STORED.has(name))
      .map(([name, value]) =>
        name === 'cache-control' && /^public, max-age=\d+(?:, stale-while-revalidate=0)?$/.test(value)
          ? [name, FRESH]
          : [name, value],
      )
      .sort(([a], [b]) => (a! < b! ? -1 : 1)),
  );

/** The `Cache-Control` of answers that the clock changes. */
export const FRESH = 'public, max-age=300';

const redirectOf = async (
  service: StillService,
  path: string,
  { status, headers }: ServiceAnswer,
): Promise<ExportedRedirect> => {
  const location = headers['location'];
  if (location === undefined) throw new CommandRejected(`${path} answers ${status} without a location.`);
  const asked = await service.get(`${path}?a=1`);
  return { path, status, location, keepsQuery: asked.headers['location'] === `${location}?a=1` };
};

/** The pages of the lists, each by the cursor that the page before it names. */
const pagesOfLists = async (service: StillService): Promise<ExportRequest[]> => {
  const path = '/api/v1/releases';
  const found: ExportRequest[] = [];
  for (const query of pagedQueries(service.catalogue)) {
    let page = query;
    for (;;) {
      found.push({ path, query: page });
      const { body } = await service.get(urlOf({ path, query: page }));
      const { next_cursor: next } = JSON.parse(body.toString()) as { next_cursor: string | null };
      if (!next) break;
      page = [query, `cursor=${next}`].filter(Boolean).join('&');
    }
  }
  return found;
};

const CHANGES = '/api/v1/changes';

/**
 * The changes since each of them: a client has the cursor of the last one it saw, wherever that was. An earlier change that a
 * merge brings makes it other cursors, so those that clients can have from the export before stay.
 */
const changesByCursor = async (
  service: StillService,
  before: readonly string[],
): Promise<ExportRequest[]> => {
  const cursors = new Set<string>();
  const follow = async (cursor: string, limit: string): Promise<void> => {
    for (let since = cursor; !cursors.has(since);) {
      const { status, body } = await service.get(`${CHANGES}?since=${since}${limit}`);
      // Other data has other changes.
      if (status !== 200) return;
      cursors.add(since);
      since = (JSON.parse(body.toString()) as { cursor: string }).cursor;
    }
  };
  await follow('start', '&limit=1');
  const start = `${CHANGES}?since=`;
  for (const url of before) if (url.startsWith(start)) await follow(url.slice(start.length), '');
  return ['', ...[...cursors].map((cursor) => `since=${cursor}`)].map((query) => ({ path: CHANGES, query }));
};
