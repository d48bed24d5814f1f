// What Fastify's plugins cost beside the kit's own code: CPU time per request, median of interleaved rounds.
// Run it with `nx bench service-kit`; it needs wrk. The figures in README.md come from it.
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('plugin-server.ts', import.meta.url));
const ROUNDS = Number(process.argv[2] ?? 5);
const SECONDS = Number(process.argv[3] ?? 2);
const REQUEST_HEADERS = [
  'Accept: text/html, application/xhtml+xml, */*;q=0.8',
  'Authorization: Bearer 0123456789abcdef',
];

const server = async (variant: string) => {
  const child = fork(SERVER, [variant], { execArgv: ['--import', 'tsx'] });
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
  execFileSync(process.execPath, ['--import', 'tsx', SERVER, '--list'], { encoding: 'utf8' }),
) as string[];
const servers = await Promise.all(names.map(server));
const figures = new Map(names.map((name) => [name, [] as number[]]));
// The first requests are slower: nothing is compiled yet.
for (const { load } of servers) load(2);
for (let round = 0; round < ROUNDS; round += 1) {
  for (const { variant, cpu, load } of servers) {
    const before = await cpu();
    const requests = load(SECONDS);
    figures.get(variant)?.push(((await cpu()) - before) / requests);
  }
}
servers.forEach(({ stop }) => stop());

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
const cost = new Map([...figures].map(([name, values]) => [name, median(values)]));
for (const [name, microseconds] of cost) {
  const ours = cost.get(name.replace(/: @.*/, ': ours'));
  const more =
    name.includes('@') && ours ? `  ${((100 * (microseconds - ours)) / ours).toFixed(0)} % over ours` : '';
  console.log(`${name.padEnd(36)} ${microseconds.toFixed(1)} µs${more}`);
}
