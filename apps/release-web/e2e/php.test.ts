import { join } from 'node:path';
import { FROZEN_FOLDER, phpTables } from '@workspace/release-catalogue/testing';
import { loadDataFolder } from '@workspace/release-catalogue';
import { phpJson } from '../src/http/php/php-value.ts';
import { activeView, branchesView, statesView } from '../src/http/php/branches.ts';
import { releaseIndexView } from '../src/http/php/release-index.ts';
import { type RunningService, startService } from './service.ts';
import { describeWith, runTool } from '@workspace/testing';

const REFERENCE = join(__dirname, 'reference.php');

/** Reads one of our bodies in PHP and reports whether writing it again gives the same bytes. */
const ROUND_TRIP = `
$in = json_decode(stream_get_contents(STDIN), true);
$json = json_decode($in['json'], true, 512, JSON_THROW_ON_ERROR);
$serialized = unserialize($in['serialized'], ['allowed_classes' => false]);
echo json_encode([
  'equal values' => $json === $serialized,
  'json again' => json_encode($json) === $in['json'],
  'serialize again' => serialize($serialized) === $in['serialized'],
]);`;

/** Around the days on which branches change, and long before and after all of them. */
const INSTANTS = [
  '1999-01-01T00:00:00Z',
  '2005-09-04T23:59:59Z',
  '2005-09-05T00:00:00Z',
  '2018-12-31T00:00:00Z',
  '2026-12-30T23:59:59Z',
  '2026-12-31T00:00:00Z',
  '2027-01-27T23:59:59Z',
  '2027-01-28T00:00:00Z',
  '2028-02-29T12:00:00Z',
  '2035-01-01T00:00:00Z',
];

describeWith(['php'], 'compared with PHP itself', () => {
  let keyed: RunningService;
  let records: RunningService;
  beforeAll(async () => {
    [keyed, records] = await Promise.all([startService({ PRE_RELEASE_SHAPE: 'keyed' }), startService()]);
  });
  afterAll(() => Promise.all([keyed.stop(), records.stop()]));

  const body = async (service: RunningService, path: string) => (await fetch(service.url + path)).text();

  it("gives, byte for byte, what php.net's rules give in PHP for the same facts and instant", async () => {
    const { catalogue } = await loadDataFolder(FROZEN_FOLDER);
    const expected: Record<string, string> = JSON.parse(
      await runTool('php', [REFERENCE], JSON.stringify({ now: new Date(), ...phpTables(catalogue) })),
    );
    expect(Object.keys(expected).length).toBeGreaterThan(30);
    for (const [path, text] of Object.entries(expected)) {
      expect({ path, text: await body(keyed, path) }).toEqual({ path, text });
    }
  });

  it.each(INSTANTS)("gives php.net's answers at %s", async (instant) => {
    const now = new Date(instant);
    const { catalogue } = await loadDataFolder(FROZEN_FOLDER);
    const expected: Record<string, string> = JSON.parse(
      await runTool('php', [REFERENCE], JSON.stringify({ now, ...phpTables(catalogue) })),
    );
    expect({
      '/releases/branches.php': phpJson(branchesView(catalogue, now)),
      '/releases/states.php': phpJson(statesView(catalogue, now)),
      '/releases/active.php': phpJson(activeView(catalogue, now)),
      '/releases/index.php?json': phpJson(releaseIndexView(catalogue, now, {})),
    }).toEqual(
      Object.fromEntries(
        [
          '/releases/branches.php',
          '/releases/states.php',
          '/releases/active.php',
          '/releases/index.php?json',
        ].map((path) => [path, expected[path]]),
      ),
    );
  });

  it.each([
    ['/pre-release-builds.php?', 'format=json', 'format=serialize'],
    ['/pre-release-builds.php?only=dev_versions&', 'format=json', 'format=serialize'],
    ['/releases/index.php?', 'json', 'serialize'],
    ['/releases/index.php?version=5&max=-1&', 'json', 'serialize'],
  ])(
    '%s reads back as the same value from both encodings, and PHP writes the same bytes',
    async (path, json, serialize) => {
      for (const service of [keyed, records]) {
        const input = {
          json: await body(service, path + json),
          serialized: await body(service, path + serialize),
        };
        expect(JSON.parse(await runTool('php', ['-r', ROUND_TRIP], JSON.stringify(input)))).toEqual({
          'equal values': true,
          'json again': true,
          'serialize again': true,
        });
      }
    },
  );
});
