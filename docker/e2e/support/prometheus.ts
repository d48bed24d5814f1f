import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, freePort } from '@workspace/testing';
import { type Running, start } from './process.ts';
import type { Stack } from './stack.ts';

export interface Watch {
  /** Resolves when a query has that many results. */
  until(query: string, results: number): Promise<void>;
  end(): Promise<void>;
}

/** Starts Prometheus by docker/prometheus.yaml on the containers of a stack, with its alerts in a hurry. */
export const watch = async (stack: Stack): Promise<Watch> => {
  const change = (name: string, ...changes: [was: string | RegExp, is: string][]) => {
    const file = join(stack.folder, name);
    const text = readFileSync(file, 'utf8');
    for (const [was] of changes) if (text.search(was) < 0) throw new Error(`${name} has no ${was}`);
    writeFileSync(
      file,
      changes.reduce((changed, [was, is]) => changed.replaceAll(was, is), text),
    );
  };
  change(
    'prometheus.yaml',
    [/_interval: 15s/g, '_interval: 500ms'],
    ['unix:///var/run/docker.sock', process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock'],
    ['project=three-services', `project=${stack.project}`],
    [
      '    docker_sd_configs:\n      - host',
      '    docker_sd_configs:\n      - refresh_interval: 1s\n        host',
    ],
  );
  change('helm/three-services/files/alerts.yaml', [/for: \d+[mh]/g, 'for: 1s']);
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
  const ask = async (query: string): Promise<number> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`);
    return ((await answer.json()) as { data: { result: unknown[] } }).data.result.length;
  };
  return {
    until: async (query, results) =>
      void (await eventually(`${results} of ${query}`, async () => {
        if (!prometheus.running()) throw new Error(prometheus.output());
        return (await ask(query)) === results ? true : undefined;
      })),
    end: async () => void (await prometheus.end()),
  };
};
