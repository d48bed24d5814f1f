import { CommandRejected } from '@workspace/release-cli';
import { midnightOf } from '../../domain/utc-day.ts';
import { type ExportRequest, exportRequests, pagedQueries } from './export-requests.ts';
import type { ExportedService, ServiceAnswer } from './exported-service.ts';
import { fileNaming } from './file-names.ts';
import type { Instant } from './instants.ts';
import type { Tree } from './tree.ts';

/** What a client gets from one instant on. */
export interface AnswerVersion {
  /** number of the instant */
  readonly instant: number;
  /** below the folder of the export, without `.gz` or `.br`; null: nothing is there any more */
  readonly file: string | null;
  /** of the plain form; `-gzip` and `-br` before the last quote are those of the others */
  readonly etag: string;
  readonly bytes: number;
  readonly headers: Readonly<Record<string, string>>;
  /** made from the data, so it says when that is stale */
  readonly isOfData: boolean;
}

export interface ExportedAnswer {
  readonly request: ExportRequest;
  /** in order of time */
  readonly versions: AnswerVersion[];
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
  /** by number of the instant: the date in `x-stale-data` */
  readonly stale: readonly (string | undefined)[];
}

/** Headers that belong to a message, or that the configuration of the server makes from the clock and the file. */
const NOT_STORED = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'date',
  'etag',
  'keep-alive',
  'last-modified',
  'transfer-encoding',
  'x-stale-data',
]);

/** The folders of the instants: what counts now, and what changes at each later one. */
export const NOW_FOLDER = 'site';
export const LATER_FOLDER = 'at';

export const folderOf = (index: number, { from }: Instant): string =>
  index === 0 ? NOW_FOLDER : `${LATER_FOLDER}/${compactTime(from)}`;

/** `20261231T000000Z`: no colon, which some file systems reject. */
const compactTime = (instant: Date): string => `${instant.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;

/**
 * What a server has served instead of files of the present, since an instant of the export before has come.
 * @param files of the export before
 */
export const servedInstead = (files: readonly string[], now: Date): Map<string, string> => {
  const limit = compactTime(now);
  const past = files
    .map((file) => [file, ...file.split('/')])
    .filter(([, folder, time]) => folder === LATER_FOLDER && time! <= limit)
    .sort(([a], [b]) => (a! < b! ? -1 : 1));
  return new Map(past.map(([file, , , ...name]) => [[NOW_FOLDER, ...name].join('/'), file!]));
};

/** Files are written while others are compressed. */
const AT_ONCE = 16;

/**
 * Asks the service for everything at every instant, and writes what differs from the instant before.
 * @param before paths and queries of the export before this one
 */
export const renderExport = async (
  service: ExportedService,
  instants: readonly Instant[],
  tree: Tree,
  before: readonly string[],
  progress: (text: string) => void = () => undefined,
): Promise<Rendering> => {
  const answers = new Map<string, ExportedAnswer>();
  const redirects: ExportedRedirect[] = [];
  const stale: (string | undefined)[] = [];
  let requests: readonly ExportRequest[] = [];
  let nameOf = fileNaming([]);
  const showsToday = new Set<string>();

  const render = async (request: ExportRequest, index: number, instant: Instant): Promise<void> => {
    const url = urlOf(request);
    const known = answers.get(url);
    const answer = await service.get(url);
    const last = known?.versions.at(-1);
    if (answer.status >= 300 && answer.status < 400) {
      if (index === 0) redirects.push(await redirectOf(service, request.path, answer));
      return;
    }
    if (answer.status !== 200) {
      if (last && last.file !== null) known!.versions.push({ ...last, instant: index, file: null });
      return;
    }
    const { headers, body } = answer;
    if (index === 0 && isOfToday(headers, instant.from)) showsToday.add(url);
    const stored = storedHeaders(headers);
    const etag = headers['etag']!;
    if (last?.file && last.etag === etag && JSON.stringify(last.headers) === JSON.stringify(stored)) return;
    const file = `${folderOf(index, instant)}/${nameOf(request, headers['content-type'] ?? '')}`;
    const modified = new Date(headers['last-modified'] ?? service.catalogue.revision);
    await tree.put(file, body, modified);
    for (const [coding, ending] of [
      ['gzip', 'gz'],
      ['br', 'br'],
    ] as const) {
      const coded = await service.get(url, { 'accept-encoding': coding });
      await tree.put(`${file}.${ending}`, coded.body, modified);
    }
    const isOfData = headers['last-modified'] !== undefined;
    const version = { instant: index, file, etag, bytes: body.length, headers: stored, isOfData };
    if (known) known.versions.push(version);
    else {
      const repeated = await service.get(url, { 'if-none-match': etag });
      answers.set(url, { request, versions: [version], isConditional: repeated.status === 304 });
    }
  };

  for (const [index, instant] of instants.entries()) {
    service.setClock(instant.from);
    if (index === 0) {
      requests = [
        ...exportRequests(service.catalogue, service.paths),
        ...(await pagesOfLists(service)),
        ...(await changesByCursor(service, before)),
      ];
      nameOf = fileNaming(requests.map(({ path }) => path));
    }
    stale.push((await service.get('/releases/branches.php')).headers['x-stale-data']);
    progress(`${index + 1} of ${instants.length}: ${instant.from.toISOString().slice(0, 16)}Z`);
    const changing = requests.filter((request) => !instant.isDayOnly || showsToday.has(urlOf(request)));
    for (let first = 0; first < changing.length; first += AT_ONCE) {
      await Promise.all(
        changing.slice(first, first + AT_ONCE).map((request) => render(request, index, instant)),
      );
    }
  }
  progress('');
  const inOrder = new Map(requests.map((request, place) => [urlOf(request), place]));
  return {
    // Not in the order in which they came: the same export is written the same way each time.
    answers: [...answers.values()].sort(
      (a, b) => inOrder.get(urlOf(a.request))! - inOrder.get(urlOf(b.request))!,
    ),
    redirects: redirects.sort((a, b) => (a.path < b.path ? -1 : 1)),
    stale,
  };
};

export const urlOf = ({ path, query }: ExportRequest): string => (query === '' ? path : `${path}?${query}`);

/** What shows today is modified at midnight or later; so may be everything else on the day of a change, which only costs time. */
const isOfToday = (headers: Readonly<Record<string, string>>, now: Date): boolean =>
  new Date(headers['last-modified'] ?? 0) >= midnightOf(now);

/** Every answer says how long it is fresh; that depends on the clock, which the server has. */
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

/** Stands for the `Cache-Control` of answers that the clock changes. */
export const FRESH = 'public, max-age=300';

const redirectOf = async (
  service: ExportedService,
  path: string,
  { status, headers }: ServiceAnswer,
): Promise<ExportedRedirect> => {
  const location = headers['location'];
  if (location === undefined) throw new CommandRejected(`${path} answers ${status} without a location.`);
  const asked = await service.get(`${path}?a=1`);
  return { path, status, location, keepsQuery: asked.headers['location'] === `${location}?a=1` };
};

/** The pages of the lists, each by the cursor that the page before it names. */
const pagesOfLists = async (service: ExportedService): Promise<ExportRequest[]> => {
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
  service: ExportedService,
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
