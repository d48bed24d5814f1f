// nx bench docker: what the proxy costs. Each service is asked directly and through nginx in turns, so that a busy
// machine is busy for both; the ratio is taken round by round.
//   BENCH_ROUNDS       3 unless set
//   BENCH_SECONDS      length of each turn, 3 unless set
//   BENCH_CONNECTIONS  32 unless set
import { tmpdir } from 'node:os';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBroker } from '@workspace/kafka-broker';
import { eventually } from '@workspace/testing';
import {
  inTurns,
  machine,
  medianOf,
  printHead,
  printRow,
  ratioOf,
  runWrk,
  whole,
  type WrkResult,
} from '@workspace/testing/bench';
import { startProxiedServices } from '../e2e/support/proxied-services.ts';
import { type App, startService } from '../e2e/support/service.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] || 3);
const seconds = Number(process.env['BENCH_SECONDS'] || 3);
const connections = Number(process.env['BENCH_CONNECTIONS'] || 32);

const POST = `wrk.method = "POST"
wrk.headers["content-type"] = "application/json"
wrk.body = '[{"operation":"buy","unit-cost":10.00,"quantity":100}]'
`;

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const script = join(folder, 'post.lua');
writeFileSync(script, POST);
const around = await startProxiedServices();
const broker = await startBroker({ optimized: true });
const env: Record<App, Record<string, string>> = {
  'release-web': { PUBLIC_BASE_URL: `http://release-web.localhost:${around.proxy.port}` },
  'ops-intake': { KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers },
  'ip-locate': { TRUST_PROXY: 'loopback' },
};
const paths: [App, string][] = [
  ['ip-locate', '/8.8.8.8/json/'],
  ['release-web', '/releases/branches.php'],
  ['ops-intake', '/operations'],
];

console.log(`${machine()}; ${connections} connections, medians\n`);
printHead('requests a second', 'direct', 'p99', 'through nginx', 'p99', 'ratio, median (least to greatest)');
for (const [app, path] of paths) {
  const instance = await startService(app, { port: around.ports[app], env: env[app] });
  around.names.set(app, ['127.0.0.1']);
  await eventually('health', async () => ((await fetch(`${instance.url}/health`)).ok ? true : undefined));
  const options = {
    connections,
    seconds,
    script: app === 'ops-intake' ? script : undefined,
    headers: { Host: `${app}.localhost` },
  };
  const urls = [`${instance.url}${path}`, `http://127.0.0.1:${around.proxy.port}${path}`];
  const [direct = [], through = []] = await inTurns(urls, rounds, (url) => runWrk(url, options));
  const rates = (turns: WrkResult[]) => turns.map(({ perSecond }) => perSecond);
  const cells = [direct, through].flatMap((turns) => [
    whole(medianOf(turns, 'perSecond')),
    `${medianOf(turns, 'p99').toFixed(2)} ms`,
  ]);
  printRow(`${app} \`${path}\``, ...cells, ratioOf(rates(through), rates(direct)));
  const failed = [...direct, ...through].reduce((sum, one) => sum + one.failed, 0);
  if (failed > 0) console.log(`${failed} answers of ${app} were no 2xx`);
  await instance.stop();
}
await broker.stop();
await around.close();
rmSync(folder, { recursive: true });
