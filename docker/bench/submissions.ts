// nx bench-submissions docker: whether the proxy sends a submission twice. 100,000 submissions without a key, on connections
// that end at random, and the records in Kafka.
//   BENCH_SUBMISSIONS  100,000 unless set
import { startBroker } from '@workspace/kafka-broker';
import { machine, printHead, printRow, whole } from '@workspace/testing/bench';
import {
  type Closing,
  keepConnectionsOfSubmissions,
  submitWhileClosing,
} from '../e2e/support/closing-connections.ts';
import { startProxiedServices } from '../e2e/support/proxied-services.ts';

const count = Number(process.env['BENCH_SUBMISSIONS'] || 100_000);
const CASES: readonly [kept: boolean, closing: Closing][] = [
  [false, 'idle'],
  [false, 'broken'],
  [true, 'idle'],
  [true, 'broken'],
];

console.log(`${machine()}; ${whole(count)} submissions without a key\n`);
printHead('connections for submissions', 'end', 'answers', 'records', 'written twice', 'untrue answers');
for (const [kept, closing] of CASES) {
  const around = await startProxiedServices();
  const broker = await startBroker({ optimized: true });
  if (kept) keepConnectionsOfSubmissions(around);
  const found = await submitWhileClosing(around, broker, { kinds: ['unkeyed'], closing, count });
  const answers = Object.entries(found.answers).map(([answer, times]) => `${whole(times)} × ${answer}`);
  printRow(
    kept ? 'kept' : 'a new one each, as shipped',
    closing === 'idle' ? 'after a response, within 3 ms' : 'also 1 in 10 by a reset',
    answers.join(', '),
    whole(found.records),
    whole(found.doubled.length),
    whole(found.belied.length),
  );
  await broker.stop();
  await around.close();
}
