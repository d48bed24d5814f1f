import { join } from 'node:path';
import fc from 'fast-check';
import { loadDataFolder } from '@workspace/release-catalogue';
import { phpTables } from '@workspace/release-catalogue/testing';
import { describeWith, runTool } from '@workspace/testing';
import { indexQuery } from './php-queries.ts';
import { type RunningService, startService } from './service.ts';

const FIXTURE = join(__dirname, '../test/fixtures/data');
const REFERENCE = join(__dirname, 'reference.php');

/** What the issue names, and the shortest of what was found beside it. */
const KNOWN = [
  ...['version=3', 'version=3.0', 'version=8.', 'version=8.4RC1', 'version=8%20', 'version=8.4.24.0'],
  ...[
    'version=8&max=1e3',
    'version=8&max[]=5',
    'version=8&max[]=5&max=2',
    'version=7&version.=8',
    'version[]=8',
  ],
].flatMap((rest) => [`json&${rest}`, `json[]=1&${rest}`, `serialize&${rest}`]);

describeWith(['php'], 'parameters of the release index, compared with PHP', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({ DATA_DIR: FIXTURE });
  });
  afterAll(() => service.stop());

  it('have the answers of php.net, however they are written', async () => {
    const { catalogue } = await loadDataFolder(FIXTURE);
    const queries = [...KNOWN, ...fc.sample(indexQuery, 2000)].map(
      (text) => new URL(`${service.url}/releases/index.php?${text}`).search,
    );
    const tables = {
      now: new Date(),
      ...phpTables(catalogue),
      queries: queries.map((search) => search.slice(1)),
    };
    const expected: [number, string, string | null][] = JSON.parse(
      await runTool('php', [REFERENCE], JSON.stringify(tables)),
    );
    expect(expected).toHaveLength(queries.length);
    expect(new Set(expected.map(([, , body]) => body)).size).toBeGreaterThan(30);
    for (const [index, search] of queries.entries()) {
      const answer = await fetch(`${service.url}/releases/index.php${search}`);
      const [status, type, body] = expected[index]!;
      const text = await answer.text();
      const found = [answer.status, answer.headers.get('content-type'), body === null ? null : text];
      // A list of versions is the client's error, not the service's.
      const due = status === 500 ? [400, 'application/problem+json', null] : [status, type, body];
      expect({ search, found }).toEqual({ search, found: due });
    }
  });
});
