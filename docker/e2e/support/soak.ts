import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@workspace/testing';
import { BUNDLED_DATABASE } from './bundled-database.ts';
import { duplicates, lost } from './delivered.ts';
import { keyedLoad } from './keyed-load.ts';
import { plainLoad } from './plain-load.ts';
import { type Drift, driftOf, sampleProcesses } from './process-samples.ts';
import { readLoad } from './read-load.ts';
import { Stack } from './stack.ts';

const SERVICES = ['release-web', 'ops-intake', 'ip-locate'] as const;
/** The share by which memory and descriptors of a process may grow, from minute 5 on. */
const MOST_DRIFT = 0.1;
const SETTLED_SECONDS = 300;
/** After these a client may be without a connection for so long: the proxy starts again. */
const WITHOUT_PROXY_MS = 30_000;
const PAUSE_MS = 40;

/** What the design names as answers to submissions, while brokers and the key store come and go. */
const SUBMITTED = /^(202|409 unknown .*|50[234] unknown .*|50[23] not-published( .*)?)$/s;
const READ = /^200$/;
const NO_CONNECTION = /ECONNREFUSED|ECONNRESET|EPIPE|socket hang up/;

/** What happens to the stack, in turns. */
const EVENTS: Readonly<Record<string, (stack: Stack, count: number) => Promise<void>>> = {
  'new release data': async (stack, count) => {
    const file = join(dataOf(stack), 'news.json');
    const news = JSON.parse(readFileSync(file, 'utf8')) as {
      updated: string;
      items: Record<string, unknown>[];
    };
    const title = `Soak ${count}`;
    const updated = new Date(Date.now() - 1_000).toISOString().replace(/\.\d+Z$/, 'Z');
    const item = { ...news.items.at(-1), id: `tag:release-web,2026:news/soak-${count}`, title, updated };
    const items = [...news.items.filter(({ id }) => !String(id).includes('soak')), item];
    replace(file, JSON.stringify({ ...news, updated, items }));
    const feed = "fetch('http://127.0.0.1:3001/releases/feed.json').then((r) => r.text()).then(console.log)";
    await eventually(title, async () =>
      (await stack.compose('exec', '-T', 'release-web', 'node', '-e', feed)).includes(title),
    );
  },
  'new database': async (stack) => {
    const began = Date.now();
    replace(join(databasesOf(stack), 'city.mmdb'), readFileSync(BUNDLED_DATABASE));
    await eventually('the new database', async () => {
      const { checks } = JSON.parse((await stack.ask('ip-locate', '/health')).body) as {
        checks: Record<string, { lastLoad: { at: string } }[]>;
      };
      return Date.parse(checks['database:city']![0]!.lastLoad.at) >= began;
    });
  },
  'broker restarted': async (stack, count) => {
    const brokers = ['kafka', 'kafka-2', 'kafka-3'];
    await stack.restart(brokers[count % brokers.length]!, 0);
  },
  'key store restarted': (stack) => stack.restart('valkey', 0),
  'proxy restarted': (stack) => stack.restart('proxy', 0),
};

const dataOf = (stack: Stack): string => join(stack.folder, '../apps/release-web/data');
const databasesOf = (stack: Stack): string => join(stack.folder, '../databases');
/** As a download does: the file is whole under its name at every moment. */
const replace = (file: string, content: string | Buffer): void => {
  writeFileSync(`${file}.new`, content);
  renameSync(`${file}.new`, file);
};

const start = async (): Promise<Stack> => {
  const stack = await Stack.create({
    COMPOSE_FILE: 'compose.yaml:compose.cluster.yaml',
    KAFKA_CLUSTER_ID_OF_THREE: 'dGhyZWUtYnJva2Vycy0zMw',
    OPS_INTAKE_REPLICAS: '2',
  });
  mkdirSync(databasesOf(stack));
  cpSync(BUNDLED_DATABASE, join(databasesOf(stack), 'city.mmdb'));
  stack.set({
    RELEASE_DATA: dataOf(stack),
    DATA_DIR: '/data',
    DATABASES: databasesOf(stack),
    DATABASE_PATH: '/databases/city.mmdb',
  });
  await stack.up();
  await stack.writable();
  return stack;
};

export interface SoakOptions {
  readonly minutes: number;
  /** from the beginning of one event to that of the next */
  readonly eventEveryMs: number;
  /** is told each line of the report */
  readonly print: (line: string) => void;
}

/**
 * Mixed load on the whole stack, while data are replaced and brokers, key store and proxy restart in turns.
 * @returns what was not as designed, a line for each; empty when all was
 */
export const soak = async ({ minutes, eventEveryMs, print }: SoakOptions): Promise<string[]> => {
  const breaches: string[] = [];
  const stack = await start();
  let stopLoad: () => Promise<unknown> = async () => undefined;
  try {
    let withoutProxyUntil = 0;
    const counts = new Map<string, number>();
    const judge = (kind: string, designed: RegExp) => (answered: string) => {
      const isConnection = NO_CONNECTION.test(answered);
      const name = `${kind}: ${isConnection ? 'no connection' : answered}`;
      const isNew = counts.get(name) === undefined;
      counts.set(name, (counts.get(name) ?? 0) + 1);
      const isDesigned = isConnection ? performance.now() < withoutProxyUntil : designed.test(answered);
      if (!isDesigned && (isNew || isConnection)) breaches.push(`not designed: ${name}`);
    };
    const samples = await sampleProcesses(stack, SERVICES);
    const keyed = keyedLoad(stack, {
      clients: 4,
      timeoutMs: 180_000,
      pauseMs: PAUSE_MS,
      seen: judge('submission with a key', SUBMITTED),
    });
    const plain = plainLoad(stack, { pauseMs: PAUSE_MS, seen: judge('submission', SUBMITTED) });
    const reads = readLoad(stack, { pauseMs: PAUSE_MS, seen: judge('read', READ) });

    stopLoad = () => Promise.all([keyed.stop(), plain.stop(), reads.stop()]);
    const began = performance.now();
    const end = began + minutes * 60_000;
    print('| second | event | done after | acknowledged | with a key |');
    print('| --: | --- | --: | --: | --: |');
    for (let count = 0; ; count += 1) {
      const next = began + (count + 1) * eventEveryMs;
      if (next > end) break;
      const [name, happen] = Object.entries(EVENTS)[count % Object.keys(EVENTS).length]!;
      const eventBegan = performance.now();
      if (name.startsWith('proxy')) withoutProxyUntil = Infinity;
      await happen(stack, count).catch((error: Error) => void breaches.push(`${name}: ${error.message}`));
      if (name.startsWith('proxy')) withoutProxyUntil = performance.now() + WITHOUT_PROXY_MS;
      const seconds = (milliseconds: number): string => (milliseconds / 1_000).toFixed(0);
      const row = [seconds(eventBegan - began), name, `${seconds(performance.now() - eventBegan)} s`];
      print(`| ${[...row, plain.acknowledged.size, keyed.acknowledged.size].join(' | ')} |`);
      await sleep(Math.max(0, next - performance.now()));
    }
    await sleep(Math.max(0, end - performance.now()));
    await stopLoad();
    samples.stop();

    print('');
    for (const [answered, count] of [...counts].sort()) print(`${answered}: ${count}`);
    breaches.push(...ledgerBreaches(await stack.keys(), keyed, plain, print));
    for (const { name, samples: figures } of samples.processes)
      breaches.push(...driftBreaches(name, driftOf(figures, windows(minutes)), print));
    return breaches;
  } finally {
    // After a failure, too; then nobody waits for it.
    stopLoad().catch(() => undefined);
    await stack.remove();
  }
};

const windows = (minutes: number) => ({
  fromSeconds: SETTLED_SECONDS,
  windowSeconds: Math.max(60, (minutes * 60 - SETTLED_SECONDS) / 5),
});

/** Every acknowledged submission is in the log, once, and nothing else is but what a client was told of as unknown. */
const ledgerBreaches = (
  log: readonly string[],
  keyed: ReturnType<typeof keyedLoad>,
  plain: ReturnType<typeof plainLoad>,
  print: (line: string) => void,
): string[] => {
  const acknowledged = new Set([...keyed.acknowledged.values(), ...plain.acknowledged]);
  const unknown = new Set([...keyed.unknownOutcomes, ...plain.unknownOutcomes]);
  const missing = lost(acknowledged, log);
  const twice = duplicates(log, unknown);
  const strange = [...new Set(log)].filter((id) => !acknowledged.has(id) && !unknown.has(id)).length;
  print('');
  print(
    `acknowledged: ${acknowledged.size}; lost: ${missing}; written twice: ${twice}; of unknown outcome: ${unknown.size}`,
  );
  return [
    ...(missing > 0 ? [`${missing} acknowledged submissions are not in the log`] : []),
    ...(twice > 0 ? [`${twice} submissions are in the log more than once`] : []),
    ...(strange > plain.nameless() ? [`${strange} records are of submissions that no client knows of`] : []),
  ];
};

const driftBreaches = (name: string, drift: Drift | undefined, print: (line: string) => void): string[] => {
  if (!drift) {
    print(`${name}: drift is judged from minute 5 on, in runs of 8 minutes and more`);
    return [];
  }
  const figures = Object.entries(drift) as [string, number][];
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  print(`${name}: ${figures.map(([figure, share]) => `${figure} ${percent(share)}`).join(', ')}`);
  return figures
    .filter(([, share]) => !(share <= MOST_DRIFT))
    .map(([figure, share]) => `${name}: ${figure} grew by ${percent(share)}`);
};
