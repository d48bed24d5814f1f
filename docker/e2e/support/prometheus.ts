import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { eventually, freePort } from '@workspace/testing';
import { type Running, start } from './process.ts';
import type { Stack } from './stack.ts';

export interface Watch {
  /** Resolves when a query has that many results. */
  until(query: string, results: number): Promise<void>;
  /** The alerts that fire, each with the file name of its runbook. */
  firing(): Promise<Record<string, string>>;
  end(): Promise<void>;
}

interface Alert {
  state: string;
  labels: { alertname: string };
  annotations: { runbook_url: string };
}

/**
 * Starts Prometheus by docker/prometheus.yaml on the containers of a stack.
 * @param nodeExporter the port of node_exporter
 * @param inHurry whether alerts come and go sooner than on a real machine
 */
export const watch = async (stack: Stack, { nodeExporter = 9100, inHurry = true } = {}): Promise<Watch> => {
  const change = (name: string, ...changes: [was: string | RegExp, is: string][]) => {
    const text = readFileSync(name, 'utf8');
    for (const [was] of changes) if (text.search(was) < 0) throw new Error(`${name} has no ${was}`);
    writeFileSync(
      join(stack.folder, name),
      changes.reduce((changed, [was, is]) => changed.replaceAll(was, is), text),
    );
  };
  change(
    'prometheus.yaml',
    [/_interval: 15s/g, '_interval: 500ms'],
    ['unix:///var/run/docker.sock', process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock'],
    ['project=three-services', `project=${stack.project}`],
    // Of its time to answer, blackbox-exporter keeps half a second.
    ['metrics_path: /probe', 'metrics_path: /probe\n    scrape_interval: 2s\n    scrape_timeout: 2s'],
    ['localhost:8080', `localhost:${stack.port}`],
    ['127.0.0.1:9100', `127.0.0.1:${nodeExporter}`],
    [
      '    docker_sd_configs:\n      - host',
      '    docker_sd_configs:\n      - refresh_interval: 1s\n        host',
    ],
  );
  if (inHurry) {
    // What counts what happened lately ends sooner, too.
    const sooner: [RegExp, string][] = [
      [/for: \d+[mh]/g, 'for: 1s'],
      [/\[5m\]/g, '[30s]'],
      [/\[15m\]/g, '[2m]'],
    ];
    change('helm/three-services/files/alerts.yaml', ...sooner);
  }
  const port = await freePort();
  const prometheus: Running = start({
    command: 'prometheus',
    args: [
      '--config.file=prometheus.yaml',
      `--storage.tsdb.path=${join(stack.folder, 'prometheus')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    cwd: stack.folder,
  });
  const ask = async <Data>(path: string): Promise<Data> =>
    ((await (await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)).json()) as { data: Data }).data;
  return {
    until: async (query, results) =>
      void (await eventually(`${results} of ${query}`, async () => {
        if (!prometheus.running()) throw new Error(prometheus.output());
        const { result } = await ask<{ result: unknown[] }>(`query?query=${encodeURIComponent(query)}`);
        return result.length === results;
      })),
    firing: async () => {
      const { alerts } = await ask<{ alerts: Alert[] }>('alerts');
      return Object.fromEntries(
        alerts
          .filter(({ state }) => state === 'firing')
          .map(({ labels, annotations }) => [labels.alertname, basename(annotations.runbook_url)]),
      );
    },
    end: async () => void (await prometheus.end()),
  };
};
