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
import { vulnerabilities } from '../../domain/vulnerability.ts';
import { productSlug } from '../../http/endoflife/cycles.ts';
import { CATEGORY, identifierTypes } from '../../http/endoflife/products.ts';
import { branchPath, releasePath } from '../../domain/paths.ts';

/** Something that the export has the answer of. */
export interface ExportRequest {
  /** encoded */
  readonly path: string;
  /** encoded, in the order of the parameters of its path; empty: none */
  readonly query: string;
}

/** The parameters that count, by path; all others are ignored, as the service ignores them. */
export const PARAMETERS: readonly { readonly paths: readonly string[]; readonly names: readonly string[] }[] =
  [
    {
      paths: ['/releases/index.php', '/releases/index', '/releases', '/releases/'],
      names: ['json', 'serialize', 'version', 'max'],
    },
    { paths: ['/pre-release-builds.php', '/pre-release-builds'], names: ['format', 'only'] },
    { paths: ['/api/v1/releases'], names: ['branch', 'since', 'security', 'limit', 'cursor'] },
    { paths: ['/api/v1/releases/latest', '/api/v1/security', '/api/v1/keys'], names: ['branch'] },
    // What is within some days of today is another answer each day: not exported.
    { paths: ['/api/v1/events'], names: ['branch', 'within'] },
    { paths: ['/api/v1/changes'], names: ['since', 'limit'] },
    { paths: ['/api/v1/support'], names: ['version'] },
  ];

/** Parameters whose value does not matter. */
export const FLAGS: readonly string[] = ['json', 'serialize'];

/** What a running process says about itself, and a file cannot. */
export const NOT_EXPORTED = /^\/health(\/|$)/;

/** Paths without parameters that have an alias without `.php`. */
const WITH_ALIAS = [
  '/mirror-info',
  '/releases/feed',
  '/releases/branches',
  '/releases/active',
  '/releases/states',
];

const PLAIN = [
  '/',
  '/releases/feed.json',
  '/api/v1/branches',
  '/api/v1/pre-releases',
  '/api/v1/dev-versions',
  '/api/v1/keyring.asc',
  '/api/v1/schedule.ics',
  '/api/v1/timeline.svg',
  '/api/v1/openapi.json',
  '/openapi.json',
  '/openapi.yaml',
  '/docs',
];

const REDIRECTS = ['/relases.atom', '/releases.atom', '/release-candidates.php', '/release-candidates'];

/** The queries of lists that come in pages: the export has each page of them. */
export const pagedQueries = ({ branches }: Catalogue): readonly string[] => [
  '',
  'security=true',
  'limit=100',
  ...branches.map(({ branch }) => `branch=${branch}`),
];

/** Every path, and the queries that known clients send; without the pages of `/api/v1/releases` and `/api/v1/changes`. */
export const exportRequests = (catalogue: Catalogue): readonly ExportRequest[] => {
  const { branches } = catalogue;
  const names = branches.map(({ branch }) => branch);
  const versions = branches.flatMap((branch) => releasesOf(branch));
  const product = productSlug(catalogue);
  const paths = [
    ...PLAIN,
    ...WITH_ALIAS.flatMap((path) => [`${path}.php`, path]),
    ...branches.flatMap((branch) => [
      branchPath(branch),
      branchPath(branch).slice(0, -1),
      ...['feed.atom', 'feed.json'].map((file) => branchPath(branch) + file),
      `/api/v1/branches/${branch.branch}`,
      `/api/${product}/${branch.branch}.json`,
    ]),
    ...versions.filter(({ version }) => /^[\d.]+$/.test(version)).map(releasePath),
    ...versions.flatMap((release) => [`/api/v1/releases/${encodeURIComponent(release.version)}`]),
    '/api/all.json',
    `/api/${product}.json`,
    ...endoflifePaths(catalogue).flatMap((path) => [path, `${path}/`]),
    ...vulnerabilities(catalogue).map(({ cve }) => `/api/v1/security/${cve}`),
    ...REDIRECTS,
    '/~windows/releases/releases.json',
    ...windowsFileNames(catalogue).flatMap((name) => [
      `/~windows/releases/${name}`,
      `/~windows/releases/archives/${name}`,
    ]),
    ...fileNames(catalogue)
      .map(encodeURIComponent)
      .flatMap((name) => [`/distributions/${name}`, `/distributions/${name}.asc`]),
  ];
  const queries = (of: readonly string[], list: readonly string[]): ExportRequest[] =>
    of.flatMap((path) => list.map((query) => ({ path, query })));
  const [index, preReleaseBuilds] = PARAMETERS.map((row) => row.paths);
  return [
    ...queries(paths, ['']),
    ...queries(index!, ['']),
    // The documented spelling only: no client is known to use the others with parameters.
    ...queries(['/releases/index.php', '/releases/'], indexQueries(catalogue)),
    ...queries(preReleaseBuilds!, [
      '',
      'format=json',
      'format=serialize',
      'only=dev_versions',
      'format=json&only=dev_versions',
      'format=serialize&only=dev_versions',
    ]),
    ...queries(
      ['/api/v1/releases/latest', '/api/v1/events', '/api/v1/security', '/api/v1/keys'],
      ['', ...names.map((name) => `branch=${name}`)],
    ),
    ...queries(
      ['/api/v1/support'],
      [...names, ...versions.map(({ version }) => encodeURIComponent(version))].map(
        (version) => `version=${version}`,
      ),
    ),
  ];
};

/** What answers with a slash at the end, too. */
const endoflifePaths = (catalogue: Catalogue): string[] => {
  const product = `/api/v1/products/${productSlug(catalogue)}`;
  return [
    '/api/v1',
    '/api/v1/products',
    '/api/v1/products/full',
    product,
    ...['latest', ...catalogue.branches.map(({ branch }) => branch)].map(
      (name) => `${product}/releases/${name}`,
    ),
    ...['categories', 'tags'].flatMap((label) => [`/api/v1/${label}`, `/api/v1/${label}/${CATEGORY}`]),
    '/api/v1/identifiers',
    ...identifierTypes(catalogue, '', '').map(({ name }) => `/api/v1/identifiers/${name}`),
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

/** The files of builds for Windows; their names need no encoding. */
const windowsFileNames = ({ branches }: Pick<Catalogue, 'branches'>): string[] => {
  const files = branches.flatMap((branch) =>
    releasesOf(branch).flatMap(({ windows }) =>
      windows === undefined
        ? []
        : [
            windows.source,
            windows.test_pack,
            ...Object.values(windows.builds).flatMap(({ zip, debug_pack, devel_pack }) => [
              zip,
              debug_pack,
              devel_pack,
            ]),
          ],
    ),
  );
  return [...new Set(files.flatMap((file) => (file === undefined ? [] : [file.path])))];
};
