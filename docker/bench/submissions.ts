// nx bench-submissions docker: whether the proxy sends a submission twice, and how many answers are lost. 100,000 submissions on
// connections that end at random, then submissions without a key while two instances end and start again; and the records in Kafka.
// Fails when a submission was written twice or lost, or its answer was not true.
//   BENCH_SUBMISSIONS  100,000 unless set
import { startBroker } from '@workspace/kafka-broker';
import { printHead, printRow, whole } from '@workspace/testing/bench';
import { type Closing, submitWhileClosing } from '../e2e/support/closing-connections.ts';
import { startProxiedServices } from '../e2e/support/proxied-services.ts';
import { submitWhileRestarting } from '../e2e/support/restarting-instances.ts';
import { faultsOf, keepNoConnections, type Submissions } from '../e2e/support/submissions.ts';

const count = Number(process.env['BENCH_SUBMISSIONS'] || 100_000);
type Connections = 'new' | 'kept';
interface Case {
  readonly kind: 'keyed' | 'unkeyed';
  readonly connections: Connections;
  readonly closing: Closing;
}
/** As shipped, connections for submissions are kept. */
const CASES: readonly Case[] = [
  { kind: 'unkeyed', connections: 'new', closing: 'idle' },
  { kind: 'unkeyed', connections: 'kept', closing: 'idle' },
  { kind: 'unkeyed', connections: 'kept', closing: 'broken' },
  { kind: 'keyed', connections: 'kept', closing: 'idle' },
  { kind: 'keyed', connections: 'kept', closing: 'broken' },
];
interface Restarts {
  readonly connections: Connections;
  readonly signal: 'SIGTERM' | 'SIGKILL';
  readonly env: Readonly<Record<string, string>>;
}
const AS_SHIPPED = { DRAIN_DELAY_MS: '0', DRAIN_IDLE_MS: '3000' };
const AS_BEFORE = { DRAIN_DELAY_MS: '250', DRAIN_IDLE_MS: '0' };
const RESTARTS: readonly Restarts[] = [
  { connections: 'new', signal: 'SIGTERM', env: AS_BEFORE },
  { connections: 'kept', signal: 'SIGTERM', env: AS_SHIPPED },
  { connections: 'kept', signal: 'SIGTERM', env: { ...AS_SHIPPED, DRAIN_DELAY_MS: '250' } },
  { connections: 'new', signal: 'SIGKILL', env: AS_BEFORE },
  { connections: 'kept', signal: 'SIGKILL', env: AS_SHIPPED },
];

const withProxy = async <Result>(
  connections: Connections,
  measure: (
    around: Awaited<ReturnType<typeof startProxiedServices>>,
    broker: Awaited<ReturnType<typeof startBroker>>,
  ) => Promise<Result>,
): Promise<Result> => {
  const around = await startProxiedServices();
  const broker = await startBroker({ optimized: true });
  if (connections === 'new') keepNoConnections(around);
  const found = await measure(around, broker);
  await broker.stop();
  await around.close();
  return found;
};
const ANSWERS = ['202', '409 unknown', '502 unknown'];
const faults: string[] = [];
/** The cells that all cases have, after their conditions. */
const cellsOf = (found: Submissions): string[] => {
  faults.push(...faultsOf(found));
  const answers = new Map(
    Object.entries(found.answers).map(([answer, times]) => [answer.replace('keyed ', ''), times]),
  );
  const others = [...answers].filter(([answer]) => !ANSWERS.includes(answer));
  return [
    ...ANSWERS.map((answer) => whole(answers.get(answer) ?? 0)),
    others.map(([answer, times]) => `${whole(times)} × ${answer}`).join(', '),
    whole(found.records),
  ];
};
const CELLS = [...ANSWERS, 'other answers', 'records'];

printHead('key', 'connections', 'end', ...CELLS);
for (const { kind, connections, closing } of CASES) {
  const found = await withProxy(connections, (around, broker) =>
    submitWhileClosing(around, broker, { kinds: [kind], closing, count }),
  );
  printRow(
    kind === 'keyed' ? 'yes' : 'no',
    connections,
    closing === 'idle' ? 'after a response, within 3 ms' : 'also 1 in 10 by a reset',
    ...cellsOf(found),
  );
}

printHead('connections', 'instances end by', 'ends', ...CELLS);
for (const { connections, signal, env } of RESTARTS) {
  const found = await withProxy(connections, (around, broker) =>
    submitWhileRestarting(around, broker, { signal, count: count / 5, restarts: 3, connections: 64, env }),
  );
  const isLate = signal === 'SIGTERM' && env['DRAIN_DELAY_MS'] !== '0';
  const end = isLate ? `${signal}, port closed after ${env['DRAIN_DELAY_MS']} ms` : signal;
  printRow(connections, end, whole(found.ends), ...cellsOf(found));
}

if (faults.length > 0) {
  console.error(`\n${faults.length} faults, the first of them:\n${faults.slice(0, 20).join('\n')}`);
  process.exitCode = 1;
}
