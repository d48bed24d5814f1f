import { type Catalogue, loadDataFolder } from '@workspace/release-catalogue';
import { routesOf } from '@workspace/api-reference';
import { exportedPaths, exportRequests, fileNaming, NOT_EXPORTED } from './export-requests.ts';
import { options } from '../../features.ts';
import { FIXTURE, type TestService, testService } from '../../../test/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService();
});

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

const requestsOf = (catalogue: Catalogue) =>
  exportRequests(
    catalogue,
    exportedPaths(routesOf(service.app)),
    options.flatMap((option) => option.exportedPaths?.(catalogue) ?? []),
  );

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
    // Lists come in pages, which follow from their answers; /docs/ is /docs again.
    expect(missing.sort()).toEqual([
      '/api/v1/changes',
      '/api/v1/changes/',
      '/api/v1/releases',
      '/api/v1/releases/',
      '/docs/*',
    ]);
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
