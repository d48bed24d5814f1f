import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostileClient } from './hostile-client.ts';
import { mainThreadMilliseconds, peakMegabytes, residentMegabytes } from './process-figures.ts';
import type { ServiceProcess } from './service-process.ts';
import { smuggledRequests } from './smuggled-requests.ts';

export interface HostileClientsSuite {
  /** Starts the built service with these settings besides its own, a new process for each row. */
  readonly start: (
    env: Record<string, string>,
  ) => Promise<Pick<ServiceProcess, 'child' | 'stop'> & { readonly url: string }>;
  /** where bodies are sent to */
  readonly bodyPath: string;
  /** their media types; JSON when left out */
  readonly bodyTypes?: readonly string[];
  /** MB that the service may hold of bodies besides; 0 when left out */
  readonly heldBodiesMegabytes?: number;
  /** a path whose answers depend on the number in the place of `{n}` */
  readonly numberedPath: string;
}

/** MB that the resident memory may grow by: 2,000 connections with a request each take about 67, and their bodies up to 32. */
const GROWTH_MB = 120;
/** How much work `/health/live` may wait for at most: this, or on a slow machine so many times its median at rest. */
const HEALTH_MS = 1_000;
const HEALTH_TIMES_AT_REST = 1_000;
/** How often it is asked while the client is there. */
const PROBES = 10;
const PROBE_INTERVAL_MS = 100;
/** More connections than the longest row opens. */
const MAX_CONNECTIONS = '12000';
/** What a client sends that never reads. */
const PIPELINE_BYTES = 780_000;

const pipeline = (path: string, connections: number): HostileClient => {
  const unit = `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
  return { connections, unit, times: Math.floor(PIPELINE_BYTES / unit.length) };
};

const head = (line: string, ...fields: string[]): string =>
  [`${line} HTTP/1.1`, 'host: localhost', ...fields, '', ''].join('\r\n');

const CHUNKED = 'transfer-encoding: chunked';
const TINY_CHUNK = '1\r\n \r\n';
/** One byte more than is sent. */
const HELD = 'content-length: 65001';

const brackets = (path: string, count: number) => ({
  head: head(`POST ${path}`, 'content-type: application/json', `content-length: ${count}`),
  unit: '[',
  times: count,
});

const bodies = (path: string, type: string): [string, HostileClient][] => {
  const post = (...fields: string[]): string => head(`POST ${path}`, `content-type: ${type}`, ...fields);
  const tinyChunks = { head: post(CHUNKED), unit: TINY_CHUNK };
  return [
    [`a body of a million tiny chunks, ${type}`, { ...tinyChunks, connections: 1, times: 1_000_000 }],
    [`100 bodies of 60,000 tiny chunks, ${type}`, { ...tinyChunks, connections: 100, times: 60_000 }],
    [
      `100 bodies of 60,000 tiny chunks that wait at the port, ${type}`,
      { ...tinyChunks, connections: 100, times: 60_000, waitsAtPort: true },
    ],
    [`500 slow bodies, ${type}`, { connections: 500, head: post(HELD), unit: ' ', times: 100, everyMs: 50 }],
  ];
};

const clients = ({
  bodyPath,
  bodyTypes = ['application/json'],
  numberedPath,
}: HostileClientsSuite): [string, HostileClient][] => [
  ['5,000 idle connections', { connections: 5_000 }],
  [
    '500 slow heads',
    {
      connections: 500,
      head: 'GET /health HTTP/1.1\r\nhost: localhost\r\n',
      unit: 'a: b\r\n',
      times: 100,
      everyMs: 50,
    },
  ],
  [
    '500 endless heads of many fields',
    {
      connections: 500,
      head: 'GET /health HTTP/1.1\r\nhost: localhost\r\n',
      unit: 'a: b\r\n',
      times: 50_000,
    },
  ],
  [
    '100 connections at a time whose clients are gone before the answer, 5,000 in all',
    { connections: 100, head: head('GET /openapi.json'), then: 'reset', again: 50 },
  ],
  [
    '1,000 half-open connections whose request has not arrived',
    {
      connections: 1_000,
      head: head(`POST ${bodyPath}`, 'content-type: application/json', HELD),
      then: 'end',
    },
  ],
  [
    '20 connections of ever new paths, parameters and headers',
    {
      connections: 20,
      unit: head(`GET ${numberedPath}?{n}={n}`, 'x-request-id: {n}', 'accept-language: {n}', 'x-{n}: {n}'),
      times: 500,
      waits: true,
    },
  ],
  [
    '100 bodies of 64 kB that unpack to 64 MB',
    {
      connections: 100,
      head: head(`POST ${bodyPath}`, 'content-type: application/json', 'content-encoding: gzip', CHUNKED),
      bomb: { bytes: 67_108_864, chunkBytes: 65_536 },
    },
  ],
  [
    '100 bodies that unpack to 64 MB, in tiny chunks',
    {
      connections: 100,
      head: head(`POST ${bodyPath}`, 'content-type: application/json', 'content-encoding: gzip', CHUNKED),
      bomb: { bytes: 67_108_864, chunkBytes: 1 },
    },
  ],
  [
    '2,500 idle connections, each after a body of 100,000 brackets',
    { ...brackets(bodyPath, 100_000), connections: 10, waits: true, again: 249 },
  ],
  [
    '100 connections at a time whose clients are gone after a million brackets, 500 in all',
    { ...brackets(bodyPath, 1_000_000), connections: 100, then: 'end', again: 4 },
  ],
  ['20 unread pipelines of large answers', pipeline('/openapi.json', 20)],
  ['100 unread pipelines of large answers', pipeline('/openapi.json', 100)],
  ['100 unread pipelines of small answers', pipeline('/health/live', 100)],
  ['100 unread pipelines of bad requests', pipeline('/%zz', 100)],
  ['200 clients that read nothing', { ...pipeline('/openapi.json', 200), times: 1 }],
  ...bodyTypes.flatMap((type) => bodies(bodyPath, type)),
  [
    '100 GET requests with 60,000 tiny chunks',
    { connections: 100, head: head('GET /health', CHUNKED), unit: TINY_CHUNK, times: 60_000 },
  ],
  [
    '2,000 held bodies of 65,000 bytes',
    {
      connections: 2_000,
      head: head(`POST ${bodyPath}`, 'content-type: application/json', HELD),
      unit: ' ',
      times: 65_000,
    },
  ],
];

/** Runs clients that take what they can get against the built service; it must not grow or stop answering others. */
export const testHostileClients = (suite: HostileClientsSuite): void => {
  it.each(clients(suite))('stays small and answers others: %s', async (_name, client) => {
    const { child, url, stop } = await suite.start({ MAX_CONNECTIONS });
    /** Asks once; gives the work of the service's main thread until the answer. What the machine delays does not count. */
    const live = async (): Promise<number> => {
      const began = mainThreadMilliseconds(child.pid);
      const answer = await fetch(`${url}/health/live`, { headers: { connection: 'close' } });
      expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
      return mainThreadMilliseconds(child.pid) - began;
    };
    // What is loaded for the first request of its kind.
    for (let count = 0; count < 3; count += 1) await (await fetch(`${url}/openapi.json`)).arrayBuffer();
    const atRest: number[] = [];
    for (let count = 0; count < 100; count += 1) atRest.push(await live());
    const medianAtRest = atRest.sort((a, b) => a - b)[50]!;
    // Sets the peak back to what is resident now.
    writeFileSync(`/proc/${child.pid}/clear_refs`, '5');
    const before = residentMegabytes(child.pid);

    const program = join(__dirname, 'hostile-client.ts');
    const args = ['--import', 'tsx', program, new URL(url).port, JSON.stringify(client)];
    if (client.waitsAtPort) child.kill('SIGSTOP');
    const attacker = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const lines = createInterface(attacker.stdout);
      await once(lines, 'line');
      // It ends when the service has closed all of its connections.
      const sentOrEnded = Promise.race([once(lines, 'line'), once(lines, 'close')]);
      const times: number[] = [];
      if (client.waitsAtPort) {
        const first = live();
        await sleep(PROBE_INTERVAL_MS);
        child.kill('SIGCONT');
        times.push(await first);
      }
      for (let probe = 0; probe < PROBES; probe += 1) {
        times.push(await live());
        await sleep(PROBE_INTERVAL_MS);
      }
      // It takes longer than the probes.
      if (client.again !== undefined) await sentOrEnded;
      expect(Math.max(...times)).toBeLessThan(Math.max(HEALTH_MS, HEALTH_TIMES_AT_REST * medianAtRest));
      expect(peakMegabytes(child.pid) - before).toBeLessThan(GROWTH_MB + (suite.heldBodiesMegabytes ?? 0));
      expect(await stop()).toBe(0);
    } finally {
      attacker.kill('SIGKILL');
      child.kill('SIGKILL');
    }
  });

  it('answers no request that is hidden in another one', async () => {
    const { child, url, stop } = await suite.start({});
    const { port } = new URL(url);
    try {
      const rows = smuggledRequests('localhost', suite.bodyPath, '/hidden');
      const statuses = await Promise.all(rows.map(({ bytes }) => statusesOf(Number(port), bytes)));
      // A hidden path would be 404.
      expect(rows.map(({ name }, index) => [name, ...statuses[index]!])).toEqual(
        rows.map(({ name }) => [
          name,
          expect.stringMatching(name.startsWith('a GET') ? /^(200|405)$/ : /^40[05]$/),
        ]),
      );
      expect(await stop()).toBe(0);
    } finally {
      child.kill('SIGKILL');
    }
  });
};

/** How long a hidden request has to be answered. A proxy drops what a client asks that has ended its direction already. */
const HIDDEN_MS = 500;

/** The statuses of all answers to what is sent on one connection. */
export const statusesOf = async (port: number, bytes: string): Promise<string[]> => {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes, 'latin1');
  const timer = setTimeout(() => socket.end(), HIDDEN_MS);
  const answers = await text(socket.setEncoding('latin1'));
  clearTimeout(timer);
  return [...answers.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => String(status));
};
