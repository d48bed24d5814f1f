// `nx incidents docker [--write] [word…]`: makes incidents happen on three brokers and three replicas, under submissions with keys and reads,
// and follows the page of the alert that each one raises. `--write` puts the table into runbooks/README.md.
// With words, only those incidents happen whose names have one of them.
//
// Exit code 1 when an alert leads to another page, or an acknowledged submission is lost or written twice.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort } from '@workspace/testing';
import { Report } from '@workspace/testing/bench';
import buildImages from './support/build-images.ts';
import { duplicates, lost } from './support/delivered.ts';
import { createStack, credentials, type Incident, INCIDENTS } from './support/incidents.ts';
import { keyedLoad } from './support/keyed-load.ts';
import { start } from './support/process.ts';
import { type Watch, watch } from './support/prometheus.ts';
import { readLoad } from './support/read-load.ts';
import { blocksOf } from './support/runbooks.ts';
import { mountSmallDisk, type SmallDisk } from './support/small-disk.ts';
import type { Stack } from './support/stack.ts';

const ALERTS = readFileSync('helm/three-services/files/alerts.yaml', 'utf8');
/** How long Prometheus waits before the alert fires, as the file says. */
const patienceOf = (alert: string): string =>
  new RegExp(`alert: ${alert}\\n(?:(?! +- )[^\\n]*\\n)*? +for: (\\w+)\\n`).exec(ALERTS)?.[1] ?? '0s';

/** Counts answers that were no success, by what a client has to do about them. */
const unsuccessful = (...loads: readonly Readonly<Record<string, number>>[]): string => {
  const counts = new Map<string, number>();
  for (const [answered, count] of loads.flatMap((statuses) => Object.entries(statuses))) {
    if (/^2/.test(answered)) continue;
    const name = /^[345]\d\d( [a-z-]+)?/.exec(answered)?.[0] ?? 'no connection';
    counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return [...counts].map(([name, count]) => `${count}×${name}`).join(', ') || 'nothing';
};

const seconds = (from: number): string => `${((performance.now() - from) / 1_000).toFixed(0)}s`;

const happen = async (stack: Stack, disk: SmallDisk, prometheus: Watch, incident: Incident) => {
  const { cause, alert, labels = '', page, steps = [0, Infinity], remedy, env, adapt = String } = incident;
  const firing = `ALERTS{alertname="${alert}",alertstate="firing",${labels}}`;
  const until = (name: string, query: string, results: number) =>
    eventually(name, () => prometheus.until(query, results).then(() => true), 300_000);
  const before = new Set(await stack.keys());
  const load = keyedLoad(stack, { timeoutMs: 300_000, pauseMs: 20, credentials });
  const reads = readLoad(stack);
  const ground = { stack, disk, load };
  await load.more(100);
  const began = performance.now();
  await cause(ground);
  await until(alert, `count(${firing})`, 1);
  const alerted = seconds(began);
  const { [alert]: leadsTo, ...others } = await prometheus.firing();
  const followed = performance.now();
  await remedy?.(ground);
  await stack.shell(
    blocksOf(page)
      .slice(...steps)
      .map(adapt),
    env?.(stack),
  );
  await load.more(100);
  await until(`end of ${alert}`, firing, 0);
  const restored = seconds(followed);
  const [submissions, read] = [await load.stop(), await reads.stop()];
  const written = (await stack.keys()).filter((key) => !before.has(key));
  return {
    alerted,
    restored,
    leadsTo,
    others,
    acknowledged: load.acknowledged.size,
    missing: lost(load.acknowledged.values(), written),
    twice: duplicates(written, load.unknownOutcomes),
    seen: unsuccessful(submissions, read),
  };
};

const words = process.argv.slice(2).filter((word) => word !== '--write');
buildImages();
const folder = mkdtempSync(join(tmpdir(), 'incidents-'));
const data = join(folder, 'data');
mkdirSync(data);
const disk = mountSmallDisk(data, 1_500_000_000);
const stack = await createStack(data);
const diskPort = await freePort();
const exporter = start({
  command: 'prometheus-node-exporter',
  args: [
    `--web.listen-address=127.0.0.1:${diskPort}`,
    '--collector.disable-defaults',
    '--collector.filesystem',
  ],
});
let prometheus: Watch | undefined;
try {
  const report = new Report(
    'docker/runbooks/README.md',
    'incidents',
    'three brokers, three replicas, eight clients that submit and four that read; Prometheus asks every 500 ms',
  );
  await stack.up();
  await stack.writable();
  await stack.ageKeyStore();
  prometheus = await watch(stack, { nodeExporter: diskPort });
  await prometheus.until('sum(up{job="ops-intake"}) == 3', 1);
  report.head('incident', 'answers that were no success', 'alert', 'seen after', 'restored after');
  for (const incident of INCIDENTS) {
    if (words.length > 0 && !words.some((word) => incident.what.includes(word))) continue;
    const { what, alert, page } = incident;
    const { alerted, restored, leadsTo, others, acknowledged, missing, twice, seen } = await happen(
      stack,
      disk,
      prometheus,
      incident,
    );
    report.row(what, seen, `\`${alert}\``, `${alerted}+${patienceOf(alert)}`, restored);
    console.log(
      `${acknowledged} acknowledged, ${missing} lost, ${twice} written twice; also fired: ${JSON.stringify(others)}`,
    );
    if (leadsTo !== page || missing + twice > 0) process.exitCode = 1;
    if (leadsTo !== page) console.log(`${alert} leads to ${leadsTo}`);
  }
  await report.write();
} finally {
  await prometheus?.end();
  await exporter.end();
  await stack.remove();
  disk.remove();
  rmSync(folder, { recursive: true });
}
