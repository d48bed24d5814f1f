import { type Catalogue, loadDataFolder } from '@workspace/release-catalogue';
import { routesOf } from '@workspace/service-kit';
import { exportedPaths, exportRequests, NOT_EXPORTED } from '../src/cli/export/export-requests.ts';
import { fileNaming } from '../src/cli/export/file-names.ts';
import { atLeast } from '../src/cli/export/nginx.ts';
import { FIXTURE, type TestService, testService } from './service.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService();
});
afterAll(() => service.app.close());

/** A route as a regular expression: `:branch(^\d+\.\d+)` and `:version` are its parameters. */
const routeExpression = (route: string): RegExp =>
  new RegExp(
    `^${route
      .split(/(:\w+(?:\(\^[^)]*\))?|\*)/)
      .map((part, index) =>
        index % 2 === 0
          ? part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
          : part === '*'
            ? '.*'
            : (/\(\^(.*)\)$/.exec(part)?.[1] ?? '[^/]+'),
      )
      .join('')}$`,
  );

const requestsOf = (catalogue: Catalogue) => exportRequests(catalogue, exportedPaths(routesOf(service.app)));

describe('what is exported', () => {
  it('has every route of the service, but for its health', async () => {
    const { catalogue } = await loadDataFolder(FIXTURE);
    const paths = requestsOf(catalogue).map(({ path }) => path);
    const routes = routesOf(service.app).flatMap(({ method, url }) => (method === 'GET' ? [url] : []));
    expect(routes.length).toBeGreaterThan(40);
    const missing = routes.filter(
      (route) =>
        !NOT_EXPORTED.test(route) &&
        !paths.some((path) => routeExpression(route).test(decodeURIComponent(path))),
    );
    // Lists come in pages, which follow from their answers; /docs/ is /docs again; this data has no builds for Windows.
    expect(missing.sort()).toEqual([
      '/api/v1/changes',
      '/api/v1/changes/',
      '/api/v1/releases',
      '/api/v1/releases/',
      '/docs/*',
      '/~windows/releases/archives/:filename',
    ]);
  });

  it('has every file of builds for Windows', async () => {
    const { catalogue } = await loadDataFolder(FIXTURE);
    const branch = catalogue.branches.find(({ current }) => current !== null)!;
    const file = (path: string) => ({ path, sha256: '0'.repeat(64) });
    const builds = { 'nts-vs17-x64': { zip: file('a.zip'), devel_pack: file('b.zip') } };
    const current = { ...branch.current!, windows: { source: { path: 'c.zip' }, builds } };
    const requests = requestsOf({ ...catalogue, branches: [{ ...branch, current }] });
    const paths = requests.map(({ path }) => path).filter((path) => path.endsWith('.zip'));
    const expected = ['a', 'b', 'c'].flatMap((name) =>
      ['', 'archives/'].map((folder) => `/~windows/releases/${folder}${name}.zip`),
    );
    expect(paths.sort()).toEqual(expected.sort());
  });

  it('names files so that none is also a folder', async () => {
    const { catalogue } = await loadDataFolder(FIXTURE);
    const requests = requestsOf(catalogue);
    const nameOf = fileNaming(requests.map(({ path }) => path));
    const files = new Set(requests.map((request) => nameOf(request, 'application/json')));
    const folders = [...files].flatMap((file) => {
      const parts = file.split('/');
      return parts.slice(1).map((_, end) => parts.slice(0, end + 1).join('/'));
    });
    expect(folders.filter((folder) => files.has(folder))).toEqual([]);
  });
});

describe('fileNaming', () => {
  it('names a list that may be without members as one that has some', () => {
    const request = { path: '/api/v1/security', query: '' };
    for (const paths of [[request.path], [request.path, `${request.path}/CVE-2026-0001`]]) {
      expect(fileNaming(paths)(request, 'application/json')).toBe('api/v1/security/index.json');
    }
  });
});

describe('atLeast', () => {
  it('is true for every number from there on', () => {
    for (const from of [1_800_000_000, 1_799_999_999, 1_893_456_000, 2_000_000_001, 1_999_999_990]) {
      const expression = new RegExp(`^(?:${atLeast(from)})$`);
      for (const step of [0, 1, 9, 10, 99, 100, 12_345, 1_000_000, 99_999_999]) {
        expect([from + step, expression.test(String(from + step))]).toEqual([from + step, true]);
        if (step > 0) expect(expression.test(String(from - step))).toBe(false);
      }
    }
  });
});
