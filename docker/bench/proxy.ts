// nx bench-proxy docker: what the proxy costs, and what is left of the speed of a service behind it. Each service and a bare
// Fastify with the same response are asked directly and through nginx, all four in turns, so that a busy machine is busy
// for each; ratios are taken round by round.
//   BENCH_ROUNDS       5 unless set
//   BENCH_SECONDS      length of each turn, 3 unless set
//   BENCH_CONNECTIONS  32 unless set
//   --write            puts the figures into docs/measurements.md
import { tmpdir } from 'node:os';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBroker } from '@workspace/kafka-broker';
import { eventually } from '@workspace/testing';
import { inTurns, medianOf, ratioOf, Report, runWrk, whole, type WrkResult } from '@workspace/testing/bench';
import type { Running } from '../e2e/support/process.ts';
import { startProxiedServices } from '../e2e/support/proxied-services.ts';
import { type App, startService } from '../e2e/support/service.ts';
import { startBareFastify } from './start-bare-fastify.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] || 5);
const seconds = Number(process.env['BENCH_SECONDS'] || 3);
const connections = Number(process.env['BENCH_CONNECTIONS'] || 32);

const SUBMISSION = '[{"operation":"buy","unit-cost":10.00,"quantity":100}]';
const POST = `wrk.method = "POST"
wrk.headers["content-type"] = "application/json"
wrk.body = '${SUBMISSION}'
`;

interface Subject {
  readonly app: App;
  readonly label: string;
  readonly path: string;
}
const SUBJECTS: readonly Subject[] = [
  { app: 'ip-locate', label: '`/8.8.8.8/json/`', path: '/8.8.8.8/json/' },
  {
    app: 'release-web',
    label: '`/releases/branches.php`, cached by nginx',
    path: '/releases/branches.php',
  },
  {
    app: 'release-web',
    label: '`/releases/branches.php`, not cached',
    // Unknown parameters come before known ones.
    path: '/releases/branches.php?unknown=1&limit=1',
  },
  { app: 'ops-intake', label: '`POST /operations`', path: '/operations' },
];
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const script = join(folder, 'post.lua');
writeFileSync(script, POST);
// The cache is in memory, as in its container. One proxy for the services, one for what is put beside them.
const around = await startProxiedServices({}, '/dev/shm');
const beside = await startProxiedServices({}, '/dev/shm');
const broker = await startBroker({ optimized: true });
const env: Record<App, Record<string, string>> = {
  'release-web': { PUBLIC_BASE_URL: `http://release-web.localhost:${around.proxy.port}` },
  'ops-intake': { KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers },
  'ip-locate': { TRUST_PROXY: 'loopback' },
};

/** Starts a bare Fastify with the response that the service gives. */
const startBare = (url: string, { app, path }: Subject): Promise<Running> => {
  const body = app === 'ops-intake' ? SUBMISSION : undefined;
  return startBareFastify(url, [{ path, body }], { port: beside.ports[app] });
};

const report = new Report(
  'docker/docs/measurements.md',
  'proxy',
  `medians of ${rounds} rounds of ${seconds} s, ${connections} connections; nginx, wrk, the servers and the broker on the same cores`,
);
report.head('path', 'way', 'requests a second (p99)', 'bare Fastify', 'ratio (least to greatest)');
for (const subject of SUBJECTS) {
  const { app, path, label } = subject;
  const instance = await startService(app, { port: around.ports[app], env: env[app] });
  await eventually('health', async () => ((await fetch(`${instance.url}/health`)).ok ? true : undefined));
  const bare = await startBare(instance.url, subject);
  const options = {
    connections,
    seconds,
    script: app === 'ops-intake' ? script : undefined,
    headers: { Host: `${app}.localhost` },
  };
  const ways = [
    { way: 'direct', ports: [instance.port, beside.ports[app]] },
    { way: 'through nginx', ports: [around.proxy.port, beside.proxy.port] },
  ];
  const ports = ways.flatMap((way) => way.ports);
  const turns = await inTurns(ports, rounds, (port) => runWrk(`http://127.0.0.1:${port}${path}`, options));
  for (const [index, { way }] of ways.entries()) {
    const [own = [], ofBare = []] = turns.slice(2 * index);
    const rates = (results: readonly WrkResult[]) => results.map(({ perSecond }) => perSecond);
    const cell = (results: WrkResult[]) =>
      `${whole(medianOf(results, 'perSecond'))} (${medianOf(results, 'p99').toFixed(1)} ms)`;
    report.row(label, way, cell(own), cell(ofBare), ratioOf(rates(own), rates(ofBare)));
  }
  const failed = turns.flat().reduce((sum, one) => sum + one.failed, 0);
  if (failed > 0) console.log(`${failed} answers were no 2xx`);
  await bare.end();
  await instance.stop();
}
await report.write();
await broker.stop();
await around.close();
await beside.close();
rmSync(folder, { recursive: true });
