// What plugins of Fastify, and what Fastify and Node do by themselves, cost beside service-kit's own code: CPU time per request. The
// servers take turns, each turn in a new process: how V8 compiles a server, and so its speed, differs from start to start.
// Run it with `nx bench service-process`; it needs wrk.
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { median, runWrk } from '@workspace/testing/bench';

const SERVER = fileURLToPath(new URL('../../../dist/bench/service-process/variants.js', import.meta.url));
const TURNS = Number(process.argv[2] ?? 5);
const REQUEST_HEADERS = { Authorization: 'Bearer 0123456789abcdef' };

// Built as a service is: the output of tsx at run time is slower.
await build({
  entryPoints: [fileURLToPath(new URL('variants.ts', import.meta.url))],
  outfile: SERVER,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  tsconfig: fileURLToPath(new URL('../tsconfig.json', import.meta.url)),
});

const server = async (variant: string) => {
  const child = fork(SERVER, [variant], { execArgv: [] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const cpu = async (): Promise<number> => {
    child.send('cpu');
    const [{ user, system }] = (await once(child, 'message')) as [NodeJS.CpuUsage];
    return user + system;
  };
  const load = async (seconds: number): Promise<number> => {
    const url = `http://127.0.0.1:${port}/`;
    const { requests, failed } = await runWrk(url, { connections: 16, seconds, headers: REQUEST_HEADERS });
    if (failed > 0) throw new Error(`${variant}: ${failed} failed`);
    return requests;
  };
  return { variant, cpu, load, stop: () => child.kill() };
};

const names = JSON.parse(
  execFileSync(process.execPath, [SERVER, '--list'], { encoding: 'utf8' }),
) as string[];
const figures = new Map(names.map((name) => [name, [] as number[]]));
for (let round = 0; round < TURNS; round += 1) {
  for (const name of round % 2 === 0 ? names : names.toReversed()) {
    const { cpu, load, stop } = await server(name);
    // The first requests are slower: nothing is compiled yet.
    await load(2);
    for (let round = 0; round < 2; round += 1) {
      const before = await cpu();
      const requests = await load(1);
      figures.get(name)?.push(((await cpu()) - before) / requests);
    }
    stop();
  }
}

for (const [name, values] of figures) {
  const [subject, variant = 'ours'] = name.split(': ');
  const ours = variant === 'ours' ? undefined : figures.get(`${subject}: ours`);
  const more = ours && `  ${((median(values) / median(ours) - 1) * 100).toFixed(0)} % over ours`;
  console.log(`${name.padEnd(36)} ${median(values).toFixed(1)} µs${more ?? ''}`);
}
