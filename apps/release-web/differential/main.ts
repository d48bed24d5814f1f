// nx differential release-web: php.net's own pages, run by PHP, against the built service, at random instants with random
// parameters. Differences that docs/php-net.md does not list are printed, and the exit code is 1.
import { randomInt } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { PhpTables } from '@workspace/release-catalogue/testing';
import {
  type BuiltService,
  clocksCanBeSet,
  createFakeClock,
  missingTools,
  type PhpNet,
  phpNetCommit,
  startBuiltService,
  startPhpNet,
} from '@workspace/testing';
import { toolOptions } from '@workspace/testing/tool-options';
import { ask, type Asked, excerpt, pathThere, urlOf } from './answers.ts';
import { type Context, DIFFERENCES } from './differences.ts';
import { importPhpNet } from './import-php-net.ts';
import { askedOf, instantsAround } from './requests.ts';

const HELP = `Usage: npx nx differential release-web -- [options]

Asks php.net's own pages, run by PHP, and the built service the same, at random instants with random parameters. Prints differences that
docs/php-net.md does not list.

  --clone FOLDER     a clone of https://github.com/php/web-php (default: WEB_PHP_CLONE in the environment)
  --commit COMMIT    of php.net (default: the newest of the main line)
  --instants COUNT   (default 500)
  --seed SEED        of instants and requests (default: random)

Example: npx nx differential release-web -- --clone ../web-php --instants 50

Exit codes: 0 no such difference, 1 there are some, 2 wrong command line, or a tool is missing.`;

const values = toolOptions(HELP, {
  clone: { type: 'string', default: process.env['WEB_PHP_CLONE'] ?? '' },
  commit: { type: 'string' },
  instants: { type: 'string', default: '500' },
  seed: { type: 'string', default: String(randomInt(2 ** 31)) },
});
const say = (text: string): boolean => process.stdout.write(`${text}\n`);
const give = (reason: string): never => {
  process.stderr.write(`${reason}\n`);
  process.exit(2);
};

const { clone } = values;
if (clone === '') give('Name a clone of https://github.com/php/web-php: --clone=<folder>, or WEB_PHP_CLONE.');
if (!existsSync(clone)) give(`There is no folder ${clone}.`);
const missing = [...missingTools('php', 'git', 'tar'), ...(clocksCanBeSet() ? [] : ['faketime'])];
if (missing.length > 0) give(`Needs ${missing.join(', ')}: run .ci/install-tools.`);
const [count, seed] = [Number(values.instants), Number(values.seed)];
if (!Number.isInteger(count) || count < 1) give('--instants takes a count.');
if (!Number.isInteger(seed)) give('--seed takes an integer.');

/** Always asked, as they depend on the clock. */
const AT_EVERY_INSTANT: readonly Asked[] = ['branches', 'states', 'active', 'feed']
  .map((name) => ({ path: `/releases/${name}.php`, query: '', method: 'GET' as const }))
  .concat({ path: '/releases/index.php', query: 'json', method: 'GET' });
const RANDOM_AT_EVERY_INSTANT = 3;
const [BRANCHES] = AT_EVERY_INSTANT as [Asked];

const commit = values.commit ?? phpNetCommit(clone);
const began = new Date();
const folder = mkdtempSync(join(tmpdir(), 'differential-'));
const clock = createFakeClock(join(folder, 'clock'), began);
say(`seed ${seed}, ${count} instants, php.net of commit ${commit.slice(0, 9)}`);

interface Branch {
  readonly branch: string;
  readonly latest: string;
  readonly state: string | null;
  readonly initial_release: string | null;
  readonly active_support_end: string | null;
  readonly security_support_end: string | null;
}
const branchesOf = async (site: { url: string }): Promise<Branch[]> =>
  JSON.parse((await ask(site.url, BRANCHES)).body) as Branch[];

/** What to ask at which instants, all of it from the seed and php.net's tables. */
const planOf = async (phpNet: PhpNet) => {
  const branches = await branchesOf(phpNet);
  const dates = branches.flatMap((of) => [
    of.initial_release,
    of.active_support_end,
    of.security_support_end,
  ]);
  const index = { path: '/releases/index.php', query: 'json&version=8&max=-1', method: 'GET' } as const;
  const releases = JSON.parse((await ask(phpNet.url, index)).body) as Record<
    string,
    { source: { filename: string }[] }
  >;
  const versions = [...Object.keys(releases), ...branches.map(({ latest }) => latest)];
  const files = Object.values(releases).flatMap(({ source }) => source.map(({ filename }) => filename));
  const instant = instantsAround([
    ...new Set(dates.flatMap((date) => (date === null ? [] : Date.parse(date)))),
  ]);
  const bounds = { minLength: RANDOM_AT_EVERY_INSTANT, maxLength: RANDOM_AT_EVERY_INSTANT };
  const asked = fc.array(askedOf(versions, files), bounds);
  return fc.sample(fc.record({ instant, asked }), { numRuns: count, seed });
};

/** @returns how many differences are not listed */
const compare = async (phpNet: PhpNet, service: BuiltService): Promise<number> => {
  const explained = new Map<string, number>();
  let [requests, differing] = [0, 0];
  const builds = (query: string) =>
    ask(service.url, { path: '/pre-release-builds.php', query, method: 'GET' });
  for (const { instant, asked } of await planOf(phpNet)) {
    phpNet.setClock(instant);
    clock.set(instant);
    const supported = (await branchesOf(phpNet)).filter(({ state }) => state !== 'eol' && state !== null);
    const context: Context = {
      supported: new Set(supported.map(({ branch }) => branch)),
      builds: { json: await builds('format=json'), versions: await builds('only=dev_versions&format=json') },
    };
    for (const request of [...AT_EVERY_INSTANT, ...asked]) {
      requests += 1;
      const asThere = { ...request, path: pathThere(request.path) };
      const [there, here] = [await ask(phpNet.url, asThere), await ask(service.url, request)];
      if (isDeepStrictEqual(there, here)) continue;
      const difference = DIFFERENCES.find(({ explains }) => explains(asThere, there, here, context));
      if (difference) {
        explained.set(difference.row, (explained.get(difference.row) ?? 0) + 1);
        continue;
      }
      differing += 1;
      say(`${instant.toISOString()} ${request.method} ${urlOf(request)}`);
      say(`  php.net:     ${excerpt(there, here)}`);
      say(`  release-web: ${excerpt(here, there)}`);
    }
  }
  for (const [row, times] of explained) say(`${String(times).padStart(6)} × as listed: ${row}`);
  say(
    `${requests} answers at ${count} instants, ${differing} with a difference that docs/php-net.md does not list`,
  );
  return differing;
};

const phpNet = await startPhpNet(clone, commit, began);
try {
  const data = join(folder, 'data');
  importPhpNet((await phpNet.tables()) as PhpTables, data);
  const service = await startBuiltService('release-web', {
    ...clock.env,
    DATA_DIR: data,
    PRE_RELEASE_SHAPE: 'keyed',
  });
  process.exitCode = (await compare(phpNet, service)) === 0 ? 0 : 1;
  await service.stop();
} finally {
  await phpNet.close();
  rmSync(folder, { recursive: true });
}
