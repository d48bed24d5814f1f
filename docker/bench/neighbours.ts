// nx bench-neighbours docker: how long a client waits while another one keeps the same service busy. One asks the main path 200 times a
// second; the other, wrk with 64 connections, asks for something large without a pause. The same is asked of a bare Fastify that gives
// the same answers, and writes what is posted to Kafka with kafkajs where the service does.
//   BENCH_SECONDS   length of each measurement, 10 unless set
//   --write         puts the figures into docs/measurements.md
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker } from '@workspace/kafka-broker';
import { eventually, freePort, runTool } from '@workspace/testing';
import {
  milliseconds as ms,
  Report,
  runWrk,
  steadyRequests,
  type SteadyTimes,
  timeOfPart as at,
} from '@workspace/testing/bench';
import { type App, startService } from '../e2e/support/service.ts';
import { type Asked, startBareFastify } from './start-bare-fastify.ts';

const seconds = Number(process.env['BENCH_SECONDS'] || 10);
const CONNECTIONS = 64;
const SUBMISSION = '[{"operation":"buy","unit-cost":10.00,"quantity":100}]';

interface Neighbour extends Asked {
  readonly what: string;
}
interface Subject extends Asked {
  readonly app: App;
  readonly neighbours: readonly Neighbour[];
}
const OPEN_API: Neighbour = { what: '`/openapi.json`', path: '/openapi.json' };
/** Indented, so that 9,900 operations have 0.9 MB, about the most that one message of Kafka holds. */
const arrayOf = (times: number, one: unknown): string =>
  JSON.stringify(
    Array.from({ length: times }, () => one),
    undefined,
    4,
  );
const SUBJECTS: readonly Subject[] = [
  { app: 'release-web', path: '/releases/branches.php', neighbours: [OPEN_API] },
  {
    app: 'ops-intake',
    path: '/operations',
    body: SUBMISSION,
    neighbours: [
      OPEN_API,
      {
        what: 'submissions of 0.9 MB',
        path: '/operations',
        body: arrayOf(9_900, { operation: 'buy', 'unit-cost': 10, quantity: 100 }),
      },
    ],
  },
  {
    app: 'ip-locate',
    path: '/8.8.8.8/json/',
    neighbours: [
      OPEN_API,
      { what: 'batches of 100 addresses', path: '/batch', body: arrayOf(100, '8.8.8.8') },
    ],
  },
];

const times = (url: string, body?: string): Promise<SteadyTimes> =>
  steadyRequests({ url, body, perSecond: 200, seconds });

const report = new Report(
  'docker/docs/measurements.md',
  'neighbours',
  `200 requests a second for ${seconds} s beside wrk -c${CONNECTIONS}; the server on one core, both clients, of which wrk gives way, and the broker on another`,
);
const pin = (pid: number | undefined, core: number) =>
  runTool('taskset', ['-a', '-p', '-c', String(core), String(pid)]);
// All that this process starts begins on its core.
await pin(process.pid, 1);
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const broker = await startBroker({ optimized: true });
await broker.createTopic('bare');
report.head('main path', 'beside', 'p99', 'p99 ÷ quiet p99', 'p99 of bare Fastify');
/** The times of the main path beside another client. */
const besideNeighbour = async (url: string, { path, body }: Asked, other: Neighbour) => {
  const script = join(folder, 'neighbour.lua');
  const post = `wrk.method = "POST"\nwrk.headers["content-type"] = "application/json"\nwrk.body = [==[${other.body}]==]\n`;
  writeFileSync(script, other.body === undefined ? '' : post);
  // It shares a core with the client whose times count, which must not wait for it.
  const options = { connections: CONNECTIONS, seconds: seconds + 2, script, givesWay: true };
  const busy = runWrk(`${url}${other.path}`, options);
  await sleep(1_000);
  const measured = await times(`${url}${path}`, body);
  await busy;
  return measured;
};
/** The times of the main path alone, once the server is warm. */
const quietly = async (url: string, { path, body }: Asked): Promise<SteadyTimes> => {
  await times(`${url}${path}`, body);
  return times(`${url}${path}`, body);
};
const p99Of = ({ sorted }: SteadyTimes): number => at(sorted, 0.99);

for (const subject of SUBJECTS) {
  const { app, path, neighbours } = subject;
  const kafka = app === 'ops-intake' ? { KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers } : {};
  const instance = await startService(app, { port: 0, env: kafka });
  await pin(instance.child.pid, 0);
  await eventually('health', async () => ((await fetch(`${instance.url}/health`)).ok ? true : undefined));
  const port = await freePort();
  const bare = await startBareFastify(instance.url, [subject, ...neighbours], {
    port,
    env: { ...kafka, KAFKA_TOPIC: 'bare' },
  });
  await pin(bare.pid, 0);
  const bareUrl = `http://127.0.0.1:${port}`;
  const quiet = await quietly(instance.url, subject);
  const bareQuiet = await quietly(bareUrl, subject);
  const row = (what: string, own: SteadyTimes, ofBare: SteadyTimes): void => {
    const isQuiet = own === quiet;
    const ratio = (measured: SteadyTimes, byQuiet: SteadyTimes) =>
      isQuiet ? '' : (p99Of(measured) / p99Of(byQuiet)).toFixed(1);
    report.row(`\`${path}\``, what, ms(p99Of(own)), ratio(own, quiet), ms(p99Of(ofBare)));
  };
  row('nothing', quiet, bareQuiet);
  for (const other of neighbours) {
    const own = await besideNeighbour(instance.url, subject, other);
    row(other.what, own, await besideNeighbour(bareUrl, subject, other));
  }
  await bare.end();
  await instance.stop();
}
await report.write();
await broker.stop();
rmSync(folder, { recursive: true });
