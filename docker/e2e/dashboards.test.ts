import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kafkaAvailable, startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import {
  builtFile,
  describeWith,
  freePort,
  runTool,
  type ServiceProcess,
  startServiceProcess,
} from '@workspace/testing';
import { eventually } from '@workspace/testing';
import { type Running, start } from './support/process.ts';
import type { App } from './support/service.ts';

interface Dashboard {
  readonly panels: readonly { title: string; targets?: readonly { expr: string }[] }[];
}

/** Requests of every kind that a panel shows: served, not found, accepted, answered from memory. */
const TRAFFIC: Readonly<Record<App, (url: string) => Promise<unknown>[]>> = {
  'release-web': (url) => [fetch(`${url}/releases/branches.php`), fetch(`${url}/nowhere`)],
  'ip-locate': (url) => [fetch(`${url}/8.8.8.8/json/`), fetch(`${url}/nowhere/at/all`)],
  'ops-intake': (url) => [
    fetch(`${url}/operations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '[{"operation":"buy","unit-cost":10.00,"quantity":100}]',
    }),
    fetch(`${url}/nowhere`),
  ],
};
const APPS = Object.keys(TRAFFIC) as App[];

/** Every query of a dashboard, with the values that Grafana puts in for its variables. */
const queriesOf = (app: App): [panel: string, query: string][] =>
  (
    JSON.parse(readFileSync(`helm/three-services/files/dashboards/${app}.json`, 'utf8')) as Dashboard
  ).panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }): [string, string] => [
      title,
      expr.replaceAll('$__rate_interval', '1m').replaceAll('$__range', '1m').replaceAll('$instance', '.*'),
    ]),
  );

/** Names of metrics in a query, without the suffixes of a histogram's series. */
const namesIn = (query: string): string[] =>
  [...query.matchAll(/([a-z_][a-z0-9_]*)\{/g)].map(([, name]) =>
    String(name).replace(/_(bucket|sum|count)$/, ''),
  );

const kafka = kafkaAvailable();
const tools = ['prometheus', 'promtool', ...(kafka.ok ? [] : ['java', 'mvn'])];

describeWith(tools, 'the dashboards, on the metrics of running services', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dashboards-'));
  const services = new Map<App, ServiceProcess>();
  const metrics = new Map<App, string>();
  let broker: StandaloneBroker;
  let prometheus: Running;
  let server: string;

  const scraped = async (query: string): Promise<unknown[]> => {
    const response = await fetch(`${server}/api/v1/query?query=${encodeURIComponent(query)}`);
    return ((await response.json()) as { data: { result: unknown[] } }).data.result;
  };

  beforeAll(async () => {
    broker = await startBroker();
    const jobs = [];
    for (const app of APPS) {
      const service = startServiceProcess({
        args: [builtFile(app)],
        env: { MANAGEMENT_PORT: '0', KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers },
      });
      services.set(app, service);
      const management = String((await service.logged('management listening'))['address']);
      metrics.set(app, `${management}/metrics`);
      jobs.push({ job_name: app, static_configs: [{ targets: [new URL(management).host] }] });
    }
    const port = await freePort();
    server = `http://127.0.0.1:${port}`;
    const config = join(folder, 'prometheus.yml');
    const settings = { global: { scrape_interval: '500ms', scrape_timeout: '500ms' }, scrape_configs: jobs };
    writeFileSync(config, JSON.stringify(settings));
    prometheus = start({
      command: 'prometheus',
      args: [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
    });
    // Rates need two samples of each series; that of garbage collection begins with the first collection.
    await eventually('samples', async () => {
      for (const [app, service] of services) await Promise.all(TRAFFIC[app](await service.url()));
      const enough = await scraped(
        'count by (job) (count_over_time(nodejs_gc_duration_seconds_sum[1m]) > 2) and on (job) ' +
          'count by (job) (count_over_time(http_request_duration_seconds_count{status=~"20."}[1m]) > 2)',
      );
      return enough.length === APPS.length || undefined;
    });
  });
  afterAll(async () => {
    await prometheus?.end();
    for (const service of services.values()) await service.stop();
    await broker?.stop();
    rmSync(folder, { recursive: true });
  });

  it.each(APPS)('%s: every query names metrics that the service has', async (app) => {
    const text = await (await fetch(metrics.get(app)!)).text();
    const exposed = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const unknown = queriesOf(app)
      .flatMap(([, query]) => namesIn(query))
      .filter((name) => name !== 'up' && !exposed.has(name));
    expect(unknown).toEqual([]);
  });

  it.each(APPS)('%s: every query has a result', async (app) => {
    for (const [panel, query] of queriesOf(app)) {
      const result = await runTool('promtool', ['query', 'instant', server, query]);
      expect({ panel, query, hasResult: result.trim() !== '' }).toEqual({ panel, query, hasResult: true });
    }
  });
});
