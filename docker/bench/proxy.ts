// nx bench docker: what the proxy costs. Each service is asked directly and through nginx in turns, so that a busy
// machine is busy for both; the ratio is taken round by round.
//   BENCH_ROUNDS       3 unless set
//   BENCH_SECONDS      length of each turn, 3 unless set
//   BENCH_CONNECTIONS  32 unless set
import { loadavg, tmpdir } from 'node:os';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBroker } from '@workspace/kafka-broker';
import { eventually, runTool } from '@workspace/testing';
import { startProxiedServices } from '../e2e/support/proxied-services.ts';
import { type App, startService } from '../e2e/support/service.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] || 3);
const seconds = Number(process.env['BENCH_SECONDS'] || 3);
const connections = process.env['BENCH_CONNECTIONS'] || '32';

const POST = `wrk.method = "POST"
wrk.headers["content-type"] = "application/json"
wrk.body = '[{"operation":"buy","unit-cost":10.00,"quantity":100}]'
`;

interface Turn {
  requestsPerSecond: number;
  p99: string;
  failed: number;
}

/** One turn of wrk on a URL, with a Host header of its own. */
async function turn(url: string, host: string, script: string | undefined): Promise<Turn> {
  const words = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-H', `Host: ${host}`];
  const printed = await runTool('wrk', [...words, ...(script ? ['-s', script] : []), url]);
  const found = (pattern: RegExp): string | undefined => pattern.exec(printed)?.[1];
  return {
    requestsPerSecond: Number(found(/Requests\/sec:\s+([\d.]+)/)),
    p99: found(/^ +99%\s+(\S+)/m) ?? '',
    failed: Number(found(/Non-2xx or 3xx responses: (\d+)/) ?? 0),
  };
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
const whole = (value: number): string => Math.round(value).toLocaleString('en');

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

console.log(`load average before: ${loadavg()[0]?.toFixed(1)}; ${connections} connections\n`);
console.log('| | direct | p99 | through nginx | p99 | ratio, median (least to greatest) |');
console.log('| --- | --- | --- | --- | --- | --- |');
for (const [app, path] of paths) {
  const instance = await startService(app, { port: around.ports[app], env: env[app] });
  around.names.set(app, ['127.0.0.1']);
  await eventually('health', async () => ((await fetch(`${instance.url}/health`)).ok ? true : undefined));
  const host = `${app}.localhost`;
  const lua = app === 'ops-intake' ? script : undefined;
  const direct: Turn[] = [];
  const through: Turn[] = [];
  for (let round = 0; round < rounds; round++) {
    direct.push(await turn(`${instance.url}${path}`, host, lua));
    through.push(await turn(`http://127.0.0.1:${around.proxy.port}${path}`, host, lua));
  }
  const ratios = direct.map(
    (one, round) => (through[round]?.requestsPerSecond ?? NaN) / one.requestsPerSecond,
  );
  const rate = (turns: Turn[]) => whole(median(turns.map(({ requestsPerSecond }) => requestsPerSecond)));
  const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  const cells = [rate(direct), direct.at(-1)?.p99, rate(through), through.at(-1)?.p99];
  console.log(
    `| ${[`${app} \`${path}\``, ...cells, `${median(ratios).toFixed(2)} (${range})`].join(' | ')} |`,
  );
  const failed = [...direct, ...through].reduce((sum, one) => sum + one.failed, 0);
  if (failed > 0) console.log(`${failed} answers of ${app} were no 2xx`);
  await instance.end();
}
await broker.stop();
await around.close();
rmSync(folder, { recursive: true });
