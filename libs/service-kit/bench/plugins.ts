// What Fastify's plugins cost beside the kit's own code: CPU time per request. The servers take turns, each turn in a new
// process: how V8 compiles a server, and so its speed, differs from start to start.
// Run it with `nx bench service-kit`; it needs wrk. The figures in README.md come from it.
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const SERVER = fileURLToPath(new URL('../../../dist/bench/service-kit/plugin-server.js', import.meta.url));
const TURNS = Number(process.argv[2] ?? 5);
const REQUEST_HEADERS = ['Authorization: Bearer 0123456789abcdef'];

// Built as a service is: what tsx makes of it at run time is slower.
await build({
  entryPoints: [fileURLToPath(new URL('plugin-server.ts', import.meta.url))],
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
  const load = (seconds: number): number => {
    const headers = REQUEST_HEADERS.flatMap((header) => ['-H', header]);
    const url = `http://127.0.0.1:${port}/`;
    const report = execFileSync('wrk', ['-t1', '-c16', `-d${seconds}s`, ...headers, url], {
      encoding: 'utf8',
    });
    if (/Non-2xx/.test(report)) throw new Error(`${variant}: ${report}`);
    return Number(/(\d+) requests in/.exec(report)?.[1]);
  };
  return { variant, cpu, load, stop: () => child.kill() };
};

const names = JSON.parse(
  execFileSync(process.execPath, [SERVER, '--list'], { encoding: 'utf8' }),
) as string[];
const figures = new Map(names.map((name) => [name, [] as number[]]));
for (let turn = 0; turn < TURNS; turn += 1) {
  for (const name of turn % 2 === 0 ? names : names.toReversed()) {
    const { cpu, load, stop } = await server(name);
    // The first requests are slower: nothing is compiled yet.
    load(2);
    for (let round = 0; round < 2; round += 1) {
      const before = await cpu();
      const requests = load(1);
      figures.get(name)?.push(((await cpu()) - before) / requests);
    }
    stop();
  }
}

/** The second best: other load on the machine only ever adds. */
const best = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[1] ?? values[0]!;
for (const [name, values] of figures) {
  const ours = name.includes('@') ? figures.get(name.replace(/: @.*/, ': ours')) : undefined;
  const more = ours && `  ${((best(values) / best(ours) - 1) * 100).toFixed(0)} % over ours`;
  console.log(`${name.padEnd(36)} ${best(values).toFixed(1)} µs${more ?? ''}`);
}
