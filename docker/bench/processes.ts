// nx bench-processes docker: what processes of each service answer behind the proxy, and where the CPU goes.
// ops-intake writes to a real broker and shares its keys in Redis, and each submission has a key of its own.
// release-web's requests differ, so that none is answered by the proxy's cache.
//   BENCH_SECONDS      length of each turn, 4 unless set
//   BENCH_CONNECTIONS  64 unless set
//   BENCH_PROCESSES    1 unless set; separated by commas
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBroker } from '@workspace/kafka-broker';
import { eventually } from '@workspace/testing';
import { Report, runWrk, statOf, whole } from '@workspace/testing/bench';
import { startRedis } from '@workspace/testing/stores';
import { startProxiedServices } from '../e2e/support/proxied-services.ts';
import { type App, startService } from '../e2e/support/service.ts';

const seconds = Number(process.env['BENCH_SECONDS'] || 4);
const connections = Number(process.env['BENCH_CONNECTIONS'] || 64);
const PROCESSES = (process.env['BENCH_PROCESSES'] || '1').split(',').map(Number);
/** Until V8 has compiled what is busy. */
const WARM_UP_SECONDS = 2;

/** wrk's scripts: what each request asks for. */
const REQUESTS: Record<App, string> = {
  'release-web': `local n = 0
request = function() n = n + 1; return wrk.format("GET", "/releases/branches.php?n=" .. n .. os.time()) end`,
  'ip-locate': `request = function() return wrk.format("GET", "/8.8.8." .. math.random(0, 255) .. "/json/") end`,
  'ops-intake': `math.randomseed(os.time())
local run, n = math.random(1, 1000000000), 0
wrk.headers["content-type"] = "application/json"
request = function()
  n = n + 1
  wrk.headers["idempotency-key"] = run .. "-" .. n
  return wrk.format("POST", "/operations", nil, '[{"operation":"buy","unit-cost":10.00,"quantity":100}]')
end`,
};

/** CPU time in microseconds of the processes that this one has started, directly or not, by their names. */
const cpuByProgram = (): Map<string, number> => {
  const all = new Map<number, ReturnType<typeof statOf>>();
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      all.set(Number(pid), statOf(Number(pid)));
    } catch {
      // It ended meanwhile.
    }
  }
  const isOurs = (pid: number): boolean => {
    const parent = all.get(pid)?.parent;
    return parent !== undefined && parent > 0 && (parent === process.pid || isOurs(parent));
  };
  const sums = new Map<string, number>();
  for (const [pid, { name, cpuMilliseconds }] of all) {
    if (isOurs(pid)) sums.set(name, (sums.get(name) ?? 0) + cpuMilliseconds * 1_000);
  }
  return sums;
};

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
// The proxy's cache is in memory, as in its container: on a disk, thousands of new files a second take most of nginx's CPU.
const around = await startProxiedServices({}, '/dev/shm');
const broker = await startBroker();
const redis = await startRedis();
const env: Record<App, Record<string, string>> = {
  'release-web': { PUBLIC_BASE_URL: `http://release-web.localhost:${around.proxy.port}` },
  'ops-intake': {
    KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers,
    IDEMPOTENCY_STORE_URL: redis.url,
  },
  'ip-locate': { TRUST_PROXY: 'loopback' },
};

const report = new Report(
  'docker/docs/processes.md',
  'processes',
  `${connections} connections for ${seconds} s; nginx, wrk, the processes, the broker and Redis on the same cores`,
);
report.head(
  ...[
    'service',
    'processes',
    'requests a second',
    'p99',
    'µs of CPU per request: service',
    'nginx',
    'Kafka and Redis',
  ],
);
for (const app of Object.keys(REQUESTS) as App[]) {
  const script = join(folder, `${app}.lua`);
  writeFileSync(script, REQUESTS[app]);
  for (const count of PROCESSES) {
    const hosts = Array.from({ length: count }, (_, index) => `127.0.0.${index + 1}`);
    const port = around.ports[app];
    const instances = await Promise.all(
      hosts.map((host) => startService(app, { host, port, env: env[app] })),
    );
    for (const { url } of instances) {
      await eventually('health', async () => ((await fetch(`${url}/health`)).ok ? true : undefined));
    }
    around.names.set(app, hosts);
    // nginx keeps the addresses of a name for a moment, so it starts anew and knows all of these.
    await around.proxy.restart();
    const wrk = (length: number) =>
      runWrk(`http://127.0.0.1:${around.proxy.port}`, {
        connections,
        seconds: length,
        script,
        headers: { Host: `${app}.localhost` },
      });
    await wrk(WARM_UP_SECONDS);
    const before = cpuByProgram();
    const { requests, perSecond, p99, failed } = await wrk(seconds);
    const after = cpuByProgram();
    const per = (...names: string[]) =>
      names.reduce((sum, name) => sum + (after.get(name) ?? 0) - (before.get(name) ?? 0), 0) / requests;
    const others = app === 'ops-intake' ? whole(per('java', 'redis-server')) : '';
    const cpu = [whole(per('node', 'MainThread')), whole(per('nginx')), others];
    report.row(app, count, whole(perSecond), `${p99.toFixed(2)} ms`, ...cpu);
    if (failed > 0) console.log(`${failed} of ${requests} answers of ${app} were no 2xx`);
    await Promise.all(instances.map((instance) => instance.stop()));
  }
}
await report.write();
await redis.stop();
await broker.stop();
await around.close();
rmSync(folder, { recursive: true });
