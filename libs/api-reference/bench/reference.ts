// What the API reference of each built service costs, and what others notice while 20 connections ask for nothing else.
// Run it with `nx bench api-reference` after `nx run-many -t build`; it needs wrk.
import { join } from 'node:path';
import { startBuiltService, workspaceRoot } from '@workspace/testing';
import { cpuMilliseconds, machine, median, printHead, printRow, runWrk } from '@workspace/testing/bench';

const PATHS = ['/health/live', '/openapi.json', '/docs'];
const ROUNDS = 5;
const CONNECTIONS = 20;
const SECONDS = 2;
const PEERS = 40;

const SERVICES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'release-web': { DATA_DIR: join(workspaceRoot, 'libs/release-catalogue/fixtures/data') },
  'ops-intake': { KAFKA_BOOTSTRAP_SERVERS: 'localhost:1' },
  'ip-locate': {},
};

const milliseconds = (value: number): string => `${value.toFixed(2)} ms`;

console.log(machine());
printHead('service', ...PATHS.map((path) => `CPU of ${path}`), 'median of others');
for (const [name, env] of Object.entries(SERVICES)) {
  const { child, url, stop } = await startBuiltService(name, env);
  const cpu = new Map(PATHS.map((path) => [path, [] as number[]]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const path of PATHS) {
      const before = cpuMilliseconds(child.pid);
      const { requests } = await runWrk(url + path, { connections: CONNECTIONS, seconds: 1 });
      // In the first round, the reference is made and code compiled.
      if (round > 0) cpu.get(path)!.push((cpuMilliseconds(child.pid) - before) / requests);
    }
  }
  const load = runWrk(`${url}/openapi.json`, { connections: CONNECTIONS, seconds: SECONDS });
  const times: number[] = [];
  while (times.length < PEERS) {
    const began = performance.now();
    await (await fetch(`${url}/health/live`)).arrayBuffer();
    times.push(performance.now() - began);
  }
  await load;
  await stop();
  printRow(name, ...PATHS.map((path) => milliseconds(median(cpu.get(path)!))), milliseconds(median(times)));
}
