// nx run docker:bench-submissions: whether the proxy sends a submission twice. 100,000 submissions on connections that end at
// random, and the records in Kafka.
//   BENCH_SUBMISSIONS  100,000 unless set
import { startBroker } from '@workspace/kafka-broker';
import { machine, printHead, printRow, whole } from '@workspace/testing/bench';
import { type Closing, keepAllConnections, submitWhileClosing } from '../e2e/support/closing-connections.ts';
import { startProxiedServices } from '../e2e/support/proxied-services.ts';

const count = Number(process.env['BENCH_SUBMISSIONS'] || 100_000);
interface Case {
  readonly kind: 'keyed' | 'unkeyed';
  readonly connections: 'new' | 'kept';
  readonly closing: Closing;
}
/** As shipped, connections for submissions are new. */
const CASES: readonly Case[] = [
  { kind: 'unkeyed', connections: 'new', closing: 'idle' },
  { kind: 'unkeyed', connections: 'new', closing: 'broken' },
  { kind: 'unkeyed', connections: 'kept', closing: 'idle' },
  { kind: 'keyed', connections: 'new', closing: 'idle' },
  { kind: 'keyed', connections: 'new', closing: 'broken' },
];

console.log(`${machine()}; ${whole(count)} submissions\n`);
printHead('key', 'connections', 'end', 'answers', 'records', 'written twice', 'untrue answers');
for (const { kind, connections, closing } of CASES) {
  const around = await startProxiedServices();
  const broker = await startBroker({ optimized: true });
  if (connections === 'kept') keepAllConnections(around);
  const found = await submitWhileClosing(around, broker, { kinds: [kind], closing, count });
  const answers = Object.entries(found.answers).map(
    ([answer, times]) => `${whole(times)} × ${answer.replace('keyed ', '')}`,
  );
  printRow(
    kind === 'keyed' ? 'yes' : 'no',
    connections,
    closing === 'idle' ? 'after a response, within 3 ms' : 'also 1 in 10 by a reset',
    answers.join(', '),
    whole(found.records),
    whole(found.doubled.length),
    whole(found.wrong.length),
  );
  await broker.stop();
  await around.close();
}
