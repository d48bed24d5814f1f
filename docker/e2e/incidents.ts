// `nx incidents docker [--write]`: makes incidents happen on three brokers and three replicas, under submissions with keys and reads,
// and follows the page of the alert that each one raises. `--write` puts the table into runbooks/README.md.
//
// Exit code 1 when an alert leads to another page, or an acknowledged submission is lost or written twice.
import { readFileSync } from 'node:fs';
import { eventually } from '@workspace/testing';
import { Report } from '@workspace/testing/bench';
import buildImages from './support/build-images.ts';
import { duplicates, lost } from './support/delivered.ts';
import { keyedLoad } from './support/keyed-load.ts';
import { type Watch, watch } from './support/prometheus.ts';
import { readLoad } from './support/read-load.ts';
import { blocksOf } from './support/runbooks.ts';
import { Stack } from './support/stack.ts';

interface Incident {
  readonly what: string;
  readonly cause: (stack: Stack) => Promise<unknown>;
  readonly alert: string;
  readonly job?: string;
  readonly page: string;
  /** the commands of the page that concern it; all of them when left out */
  readonly steps?: readonly [from: number, to: number];
}

const weaken = [
  ...['exec', '-T', 'kafka', '/opt/kafka/bin/kafka-configs.sh', '--bootstrap-server', 'localhost:19092'],
  ...['--alter', '--entity-type', 'topics', '--entity-name', 'operations'],
  ...['--add-config', 'message.timestamp.before.max.ms=40000'],
];

const INCIDENTS: readonly Incident[] = [
  {
    what: 'one of three brokers is killed',
    cause: (stack) => stack.compose('kill', 'kafka-2'),
    alert: 'KafkaUnderReplicated',
    page: 'replica-down.md',
  },
  {
    what: 'two of three brokers are killed',
    cause: (stack) => stack.compose('kill', 'kafka-2', 'kafka-3'),
    alert: 'KafkaUnavailable',
    page: 'broker-unavailable.md',
  },
  {
    what: 'a replica of ops-intake is killed',
    cause: (stack) => stack.kill('ops-intake', 1),
    alert: 'ReplicasMissing',
    job: 'ops-intake',
    page: 'replica-down.md',
  },
  {
    what: 'the key store is stopped',
    cause: (stack) => stack.compose('stop', 'valkey'),
    alert: 'KeyStoreUnavailable',
    page: 'key-store-full.md',
    steps: [0, 1],
  },
  {
    what: 'the topic gets a weaker setting',
    cause: (stack) => stack.compose(...weaken),
    alert: 'KafkaSettingsWeak',
    page: 'kafka-settings.md',
  },
  {
    what: 'the proxy is stopped',
    cause: (stack) => stack.compose('stop', 'proxy'),
    alert: 'ServiceUnreachable',
    page: 'proxy-down.md',
    steps: [0, 2],
  },
  {
    what: 'release-web is killed',
    cause: (stack) => stack.compose('kill', 'release-web'),
    alert: 'ReplicasMissing',
    job: 'release-web',
    page: 'replica-down.md',
    steps: [0, 2],
  },
];

const ALERTS = readFileSync('helm/three-services/files/alerts.yaml', 'utf8');
/** How long Prometheus waits before the alert fires, as the file says. */
const patienceOf = (alert: string): string =>
  new RegExp(`alert: ${alert}\\n[^]*?\\n +for: (\\w+)\\n`).exec(ALERTS)?.[1] ?? '0s';

/** Counts answers that were no success, by what a client has to do about them. */
const unsuccessful = (...loads: readonly Readonly<Record<string, number>>[]): string => {
  const counts = new Map<string, number>();
  for (const [answered, count] of loads.flatMap((statuses) => Object.entries(statuses))) {
    if (/^2/.test(answered)) continue;
    const name = /^[345]\d\d( [a-z-]+)?/.exec(answered)?.[0] ?? 'no connection';
    counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return [...counts].map(([name, count]) => `${count} × ${name}`).join(', ') || 'nothing';
};

const seconds = (from: number): string => `${((performance.now() - from) / 1_000).toFixed(0)} s`;

const happen = async (stack: Stack, prometheus: Watch, incident: Incident) => {
  const { cause, alert, job, page, steps = [0, Infinity] } = incident;
  const firing = `ALERTS{alertname="${alert}",alertstate="firing"${job === undefined ? '' : `,job="${job}"`}}`;
  const until = (name: string, query: string, results: number) =>
    eventually(name, () => prometheus.until(query, results).then(() => true), 300_000);
  const before = new Set(await stack.keys());
  const load = keyedLoad(stack, { timeoutMs: 300_000, pauseMs: 20 });
  const reads = readLoad(stack);
  await load.more(100);
  const began = performance.now();
  await cause(stack);
  await until(alert, `count(${firing})`, 1);
  const alerted = seconds(began);
  const { [alert]: leadsTo, ...others } = await prometheus.firing();
  const followed = performance.now();
  await stack.shell(blocksOf(page).slice(...steps));
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

buildImages();
const stack = await Stack.create({
  COMPOSE_FILE: 'compose.yaml:compose.cluster.yaml',
  COMPOSE_PROFILES: 'probe',
  KAFKA_CLUSTER_ID_OF_THREE: 'dGhyZWUtYnJva2Vycy0zMw',
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
  // A new key store has every key looked up in the topic. This one has kept every key for a day, as most have.
  const aDayAgo = String(Date.now() - 86_400_000);
  await stack.compose('exec', '-T', 'valkey', 'valkey-cli', 'hset', 'ops-intake:store', 'since', aDayAgo);
  await stack.compose('restart', 'ops-intake');
  await stack.up();
  await stack.writable();
  prometheus = await watch(stack);
  await prometheus.until('sum(up{job="ops-intake"}) == 3', 1);
  report.head('incident', 'answers that were no success', 'alert', 'seen after', 'restored after');
  for (const incident of INCIDENTS) {
    const { what, alert, page } = incident;
    const { alerted, restored, leadsTo, others, acknowledged, missing, twice, seen } = await happen(
      stack,
      prometheus,
      incident,
    );
    report.row(what, seen, `\`${alert}\``, `${alerted} + ${patienceOf(alert)}`, restored);
    console.log(
      `${acknowledged} acknowledged, ${missing} lost, ${twice} written twice; also fired: ${JSON.stringify(others)}`,
    );
    if (leadsTo !== page || missing + twice > 0) process.exitCode = 1;
    if (leadsTo !== page) console.log(`${alert} leads to ${leadsTo}`);
  }
  await report.write();
} finally {
  await prometheus?.end();
  await stack.remove();
}
