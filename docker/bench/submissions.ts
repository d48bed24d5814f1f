// nx run docker:bench-submissions: whether the proxy sends a submission twice, and how many answers are lost. 100,000 submissions on
// connections that end at random, then submissions without a key while two instances end and start again; and the records in Kafka.
//   BENCH_SUBMISSIONS  100,000 unless set
import { startBroker } from '@workspace/kafka-broker';
import { machine, printHead, printRow, whole } from '@workspace/testing/bench';
import { type Closing, submitWhileClosing } from '../e2e/support/closing-connections.ts';
import { startProxiedServices } from '../e2e/support/proxied-services.ts';
import { submitWhileRestarting } from '../e2e/support/restarting-instances.ts';
import { keepNoConnections } from '../e2e/support/submissions.ts';

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
const listed = (answers: Readonly<Record<string, number>>): string =>
  Object.entries(answers)
    .map(([answer, times]) => `${whole(times)} × ${answer.replace('keyed ', '')}`)
    .join(', ');

console.log(`${machine()}; ${whole(count)} submissions\n`);
printHead('key', 'connections', 'end', 'answers', 'records', 'written twice', 'untrue answers');
for (const { kind, connections, closing } of CASES) {
  const found = await withProxy(connections, (around, broker) =>
    submitWhileClosing(around, broker, { kinds: [kind], closing, count }),
  );
  printRow(
    kind === 'keyed' ? 'yes' : 'no',
    connections,
    closing === 'idle' ? 'after a response, within 3 ms' : 'also 1 in 10 by a reset',
    listed(found.answers),
    whole(found.records),
    whole(found.doubled.length),
    whole(found.wrong.length),
  );
}
console.log('');
printHead('connections', 'instances end by', 'ends', 'answers', 'records', 'written twice', 'untrue answers');
for (const { connections, signal, env } of RESTARTS) {
  const found = await withProxy(connections, (around, broker) =>
    submitWhileRestarting(around, broker, { signal, count: count / 5, restarts: 3, connections: 64, env }),
  );
  printRow(
    connections,
    `${signal}, port closed after ${env['DRAIN_DELAY_MS']} ms, idle connections after ${env['DRAIN_IDLE_MS']} ms`,
    whole(found.ends),
    listed(found.answers),
    whole(found.records),
    whole(found.doubled.length),
    whole(found.wrong.length),
  );
}
