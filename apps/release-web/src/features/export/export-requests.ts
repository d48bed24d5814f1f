import type { TObject } from '@sinclair/typebox';
import type { RouteOptions } from 'fastify';
import {
  BUILD_COMPRESSIONS,
  buildVersion,
  type Catalogue,
  isEnabled,
  majorOf,
  preReleases,
  releasesOf,
  tarballName,
} from '@workspace/release-catalogue';
import { branchPath, releasePath } from '../../domain/paths.ts';

/** Something that the export has the answer of. */
export interface ExportRequest {
  /** encoded */
  readonly path: string;
  /** encoded, in the order of the parameters of its path; empty: none */
  readonly query: string;
}

/** A path without parameters of its own, and the names of those of its query that count; all others are ignored. */
export interface ExportedPath {
  readonly path: string;
  readonly parameters: readonly string[];
}

/** What a running process says about itself, and a file cannot. */
export const NOT_EXPORTED = /^\/health(\/|$)/;

/** The paths that clients can ask for as they are, of the routes of the service. */
export const exportedPaths = (routes: readonly RouteOptions[]): readonly ExportedPath[] =>
  routes
    .filter(({ method, url }) => method === 'GET' && !/[:*]/.test(url) && !NOT_EXPORTED.test(url))
    .map(({ url, schema }) => {
      const query = (schema?.described?.querystring ?? schema?.querystring) as TObject | undefined;
      return { path: url, parameters: Object.keys(query?.properties ?? {}) };
    });

/** The queries of lists that come in pages: the export has each page of them. */
export const pagedQueries = ({ branches }: Catalogue): readonly string[] => [
  '',
  'security=true',
  'limit=100',
  ...branches.map(({ branch }) => `branch=${branch}`),
];

/** The lists whose queries depend on their answers. */
const isList = (path: string): boolean => /^\/api\/v1\/(releases|changes)\/?$/.test(path);

/** Every path, and the queries that known clients send; without the pages of `/api/v1/releases` and `/api/v1/changes`. */
export const exportRequests = (
  catalogue: Catalogue,
  paths: readonly ExportedPath[],
  optionPaths: readonly string[],
): readonly ExportRequest[] => {
  const queriesOf = queriesByParameter(catalogue);
  const withoutQuery = [
    ...paths.map(({ path }) => path).filter((path) => !isList(path)),
    ...parametrisedPaths(catalogue),
    ...optionPaths,
  ];
  return [
    ...withoutQuery.map((path) => ({ path, query: '' })),
    ...paths
      .filter(({ path }) => !isList(path))
      .flatMap(({ path, parameters }) => queriesOf(path, parameters).map((query) => ({ path, query }))),
  ];
};

/** The queries that known clients send to a path. */
const queriesByParameter = (catalogue: Catalogue) => {
  const names = catalogue.branches.map(({ branch }) => branch);
  const versions = catalogue.branches.flatMap(releasesOf).map(({ version }) => encodeURIComponent(version));
  const ofIndex = indexQueries(catalogue);
  return (path: string, parameters: readonly string[]): readonly string[] => {
    if (parameters.includes('serialize')) {
      // The documented spelling only: no client is known to use the others with parameters.
      return ['/releases/index.php', '/releases/'].includes(path) ? ofIndex : [];
    }
    if (parameters.includes('format')) return BUILD_QUERIES;
    if (parameters.includes('version')) return [...names, ...versions].map((version) => `version=${version}`);
    return parameters.includes('branch') ? names.map((name) => `branch=${name}`) : [];
  };
};

const BUILD_QUERIES = [
  'format=json',
  'format=serialize',
  'only=dev_versions',
  'format=json&only=dev_versions',
  'format=serialize&only=dev_versions',
];

const parametrisedPaths = (catalogue: Catalogue): string[] => {
  const { branches } = catalogue;
  const versions = branches.flatMap(releasesOf);
  return [
    ...branches.flatMap((branch) => [
      branchPath(branch),
      branchPath(branch).slice(0, -1),
      ...['feed.atom', 'feed.json'].map((file) => branchPath(branch) + file),
      `/api/v1/branches/${branch.branch}`,
      `/api/v1/branches/${branch.branch}/`,
    ]),
    ...versions.filter(({ version }) => /^[\d.]+$/.test(version)).map(releasePath),
    ...versions.map(({ version }) => `/api/v1/releases/${encodeURIComponent(version)}`),
    ...fileNames(catalogue)
      .map(encodeURIComponent)
      .flatMap((name) => [`/distributions/${name}`, `/distributions/${name}.asc`]),
  ];
};

/** docker-library asks for max=100, phpbrew for max=1000, endoflife.date for max=-1. */
const indexQueries = ({ branches }: Catalogue): string[] => {
  const majors = [...new Set(branches.map(({ branch }) => majorOf(branch)))];
  const parts = [...majors.map(String), ...branches.map(({ branch }) => branch)];
  const lists = ['', '&max=-1', '&max=100', '&max=1000'];
  return [
    ...['json', 'serialize'].flatMap((format) => [
      format,
      `${format}&max=-1`,
      ...parts.flatMap((version) => lists.map((max) => `${format}&version=${version}${max}`)),
    ]),
    ...branches.flatMap((branch) =>
      releasesOf(branch).map(({ version }) => `json&version=${encodeURIComponent(version)}`),
    ),
  ];
};

/** The files of releases and of builds on offer. */
const fileNames = (catalogue: Catalogue): string[] => {
  const released = catalogue.branches.flatMap((branch) =>
    releasesOf(branch).flatMap(({ published }) =>
      [...published.source, ...(published.windows ?? [])].flatMap((file) =>
        'filename' in file ? [file.filename] : [],
      ),
    ),
  );
  const builds = preReleases(catalogue)
    .filter(isEnabled)
    .flatMap((slot) =>
      BUILD_COMPRESSIONS.map((compression) =>
        tarballName(catalogue.product, buildVersion(slot), compression),
      ),
    );
  return [...new Set([...released, ...builds])];
};

const ENDINGS: readonly (readonly [type: string, ending: string])[] = [
  ['text/html', 'html'],
  ['application/json', 'json'],
];

/**
 * The files of answers: the path itself where that can be a file; `index.html` or `index.json` in it where it is a folder. A
 * query follows after a comma, its parameters separated by commas: `?` and `&` would have to be escaped in an address.
 * @param paths all paths of the export
 */
export const fileNaming = (paths: Iterable<string>) => {
  const folders = new Set<string>();
  for (const path of paths) {
    const parts = path.split('/');
    for (let end = 2; end < parts.length; end++) folders.add(parts.slice(0, end).join('/'));
  }
  return ({ path, query }: ExportRequest, contentType: string): string => {
    const ending = ENDINGS.find(([type]) => contentType.startsWith(type))?.[1] ?? 'txt';
    const isFolder = path.endsWith('/') || folders.has(path);
    const file = isFolder ? `${path.replace(/\/$/, '')}/index.${ending}` : path;
    // Servers look for files by decoded names.
    return decodeURIComponent(file.slice(1) + (query === '' ? '' : `,${query.replaceAll('&', ',')}`));
  };
};
