// nx bench-neighbours docker: how long a client waits while another one keeps the same service busy. One asks the main path 200 times a
// second; the other, wrk with 64 connections, asks for something large without a pause.
//   BENCH_SECONDS   length of each measurement, 10 unless set
//   --write         puts the figures into docs/measurements.md
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker } from '@workspace/kafka-broker';
import { eventually } from '@workspace/testing';
import {
  milliseconds as ms,
  Report,
  runWrk,
  steadyRequests,
  type SteadyTimes,
  timeOfPart as at,
  whole,
} from '@workspace/testing/bench';
import { type App, startService } from '../e2e/support/service.ts';

const seconds = Number(process.env['BENCH_SECONDS'] || 10);
const CONNECTIONS = 64;
const SUBMISSION = '[{"operation":"buy","unit-cost":10.00,"quantity":100}]';

interface Neighbour {
  readonly what: string;
  readonly path: string;
  /** a body in Lua, of a POST; a GET without */
  readonly body?: string;
}
interface Subject {
  readonly app: App;
  readonly path: string;
  readonly body?: string;
  readonly neighbours: readonly Neighbour[];
}
const OPEN_API: Neighbour = { what: '`/openapi.json`', path: '/openapi.json' };
const SUBJECTS: readonly Subject[] = [
  { app: 'release-web', path: '/releases/branches.php', neighbours: [OPEN_API] },
  {
    app: 'ops-intake',
    path: '/operations',
    body: SUBMISSION,
    neighbours: [
      OPEN_API,
      {
        what: 'submissions of 1 MiB',
        path: '/operations',
        // 18,390 operations.
        body: `"[" .. string.rep('${SUBMISSION.slice(1, -1)},', 18389) .. '${SUBMISSION.slice(1)}'`,
      },
    ],
  },
  {
    app: 'ip-locate',
    path: '/8.8.8.8/json/',
    neighbours: [
      OPEN_API,
      {
        what: 'batches of 100 addresses',
        path: '/batch',
        body: `'[' .. string.rep('"8.8.8.8",', 99) .. '"1.1.1.1"]'`,
      },
    ],
  },
];

const times = (url: string, body?: string): Promise<SteadyTimes> =>
  steadyRequests({ url, body, perSecond: 200, seconds });

const report = new Report(
  'docker/docs/measurements.md',
  'neighbours',
  `200 requests a second for ${seconds} s beside wrk -c${CONNECTIONS}; wrk, the service and the broker on the same cores`,
);
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const broker = await startBroker({ optimized: true });
report.head('main path', 'beside', 'p50', 'p99', 'p99 by quiet', 'failed', 'the other’s requests a second');
for (const { app, path, body, neighbours } of SUBJECTS) {
  const instance = await startService(app, {
    port: 0,
    env: app === 'ops-intake' ? { KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers } : {},
  });
  const url = `${instance.url}${path}`;
  await eventually('health', async () => ((await fetch(`${instance.url}/health`)).ok ? true : undefined));
  await times(url, body);
  const quiet = await times(url, body);
  const quietP99 = at(quiet.sorted, 0.99);
  report.row(`\`${path}\``, 'nothing', ms(at(quiet.sorted, 0.5)), ms(quietP99), '', quiet.failed, '');
  for (const { what, path: other, body: lua } of neighbours) {
    const script = join(folder, 'neighbour.lua');
    const post = `wrk.method = "POST"\nwrk.headers["content-type"] = "application/json"\nwrk.body = ${lua}\n`;
    writeFileSync(script, lua === undefined ? '' : post);
    const busy = runWrk(`${instance.url}${other}`, {
      connections: CONNECTIONS,
      seconds: seconds + 2,
      script,
    });
    await sleep(1_000);
    const { sorted, failed } = await times(url, body);
    const p99 = at(sorted, 0.99);
    const ratio = (p99 / quietP99).toFixed(1);
    const { perSecond } = await busy;
    report.row(`\`${path}\``, ...[what, ms(at(sorted, 0.5)), ms(p99), ratio, failed, whole(perSecond)]);
  }
  await instance.stop();
}
await report.write();
await broker.stop();
rmSync(folder, { recursive: true });
