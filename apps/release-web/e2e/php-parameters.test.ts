import { join } from 'node:path';
import fc from 'fast-check';
import { loadDataFolder } from '@workspace/release-catalogue';
import { describeWith, runTool } from '@workspace/testing';
import { phpTables } from './php-tables.ts';
import { type RunningService, startService } from './service.ts';

const FIXTURE = join(__dirname, '../test/fixtures/data');
const REFERENCE = join(__dirname, 'reference.php');

/** Ways to write a number that PHP and JavaScript read differently. */
const ODD_NUMBERS =
  `8. 8.. .8 8RC1 4RC1 +8 %208 8%20 %098 %0b8 %C2%A08 8e0 .8e1 80e-1 1e3 1E1 1e 1e+ 08 0x8 8_0 x -1 -0 -1.9 1.9
  99999999999999999999 1e30 1e400 -1e400 INF NaN %ff %00`.split(/\s+/);
const ODD_NAMES =
  `json json[] json[a] %20json json%00x json[ json] js.on JSON [json] serialize serialize[] version version[]
  version[a] version. version%00 max max[] max[3] max%20 max[ +max`.split(/\s+/);

const part = fc.oneof(
  fc.constantFrom('', ...ODD_NUMBERS),
  fc.integer({ min: -3, max: 40 }).map(String),
  fc.constantFrom('3', '4', '5', '7', '8'),
);
const version = fc.oneof(
  fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('.')),
  fc.constantFrom('8', '8.5', '8.5.8', '8.4', '8.4.24', '7.4.33', '3', '3.0', '3.0.x', '3.0.x (latest)'),
);
const parameter = fc.oneof(
  fc.tuple(fc.constantFrom('version', 'max'), version),
  fc.tuple(fc.constantFrom(...ODD_NAMES), fc.option(version)),
);
const query = fc
  .tuple(
    fc.constantFrom('json', 'json=1', 'json[]=1', 'serialize', ''),
    fc.array(parameter, { maxLength: 4 }),
  )
  .map(([format, parameters]) =>
    [format, ...parameters.map(([name, value]) => (value === null ? name : `${name}=${value}`))].join('&'),
  );

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
    const queries = [...KNOWN, ...fc.sample(query, 2000)].map(
      (text) => new URL(`${service.url}/releases/index.php?${text}`).search,
    );
    const tables = {
      ...phpTables(catalogue, new Date()),
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
