// nx run ops-intake:bench-bulk: how many records a second a stream of submissions takes, as a ratio to what the log itself takes:
// the same records, made before and appended straight to it in batches. The client of the stream is curl.
//   BENCH_ROUNDS  5 unless set; both take turns within a round
//   BENCH_LINES   100000 unless set: records in each turn
//   --write       puts the figures into docs/measurements.md
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBroker } from '@workspace/kafka-broker';
import { eventually, runTool, startBuiltService } from '@workspace/testing';
import { cpuMilliseconds, inTurns, medianOf, ratioOf, Report, whole } from '@workspace/testing/bench';
import { startServer } from './server-process.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] || 5);
const lines = Number(process.env['BENCH_LINES'] || 100_000);

/** How many accounts the lines with numbers belong to. As many lines are on their way at once: those of one account wait for each other. */
const ACCOUNTS = 1_000;

interface Figures {
  perSecond: number;
  /** CPU of the process that writes to Kafka, in microseconds for each record */
  cpuMicros: number;
}

const folder = await mkdtemp(join(tmpdir(), 'ops-intake-bulk-'));
const broker = await startBroker({ optimized: true });
const ends: (() => unknown)[] = [];
try {
  const partitions = 3;
  await broker.createTopic('bulk-raw', { partitions });
  await broker.createTopic('bulk-stream', { partitions });
  const env = { KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers, NODE_OPTIONS: '--max-semi-space-size=16' };
  const raw = await startServer('raw-batches', {
    ...env,
    KAFKA_TOPIC: 'bulk-raw',
    BENCH_LINES: String(lines),
  });
  ends.push(() => raw.stop());
  const service = await startBuiltService('ops-intake', {
    ...env,
    KAFKA_TOPIC: 'bulk-stream',
    BULK_STREAMS: '1',
    SEQUENCES: 'true',
    IDEMPOTENCY_ENTRIES: '100000',
  });
  ends.push(() => service.child.kill('SIGKILL'));
  await eventually('health', async () => (await fetch(`${service.url}/health`)).status === 200);

  const measured = async (work: () => Promise<unknown>, cpuMs: () => number): Promise<Figures> => {
    const [began, before] = [performance.now(), cpuMs()];
    await work();
    const seconds = (performance.now() - began) / 1_000;
    return { perSecond: lines / seconds, cpuMicros: ((cpuMs() - before) * 1_000) / lines };
  };
  let turns = 0;
  /** @param numberOf what a line has beside its key */
  const stream = async (numberOf: (at: number) => string): Promise<Figures> => {
    turns += 1;
    const [input, output] = [join(folder, 'lines'), join(folder, 'answers')];
    const operation = '{"operation":"buy","unit-cost":10.00,"quantity":100}';
    const array = `[${[operation, operation, operation].join()}]`;
    await writeFile(
      input,
      Array.from(
        { length: lines },
        (_, at) => `{"key":"${turns}-${at}",${numberOf(at)}"operations":${array}}\n`,
      ).join(''),
    );
    const header = ['-H', 'content-type: application/x-ndjson', '-H', 'expect:'];
    const arguments_ = ['-sSN', '-X', 'POST', ...header, '-T', input, '-o', output];
    const figures = await measured(
      () => runTool('curl', [...arguments_, `${service.url}/operations/batch`]),
      () => cpuMilliseconds(service.child.pid),
    );
    const accepted = Number(await runTool('grep', ['-c', '"status":202', output]));
    if (accepted !== lines) throw new Error(`${accepted} of ${lines} lines were accepted`);
    return figures;
  };
  /** The next number of each account in this turn. */
  const numberedOf = (at: number): string =>
    `"partitionKey":"${turns}-${at % ACCOUNTS}","sequence":${Math.floor(at / ACCOUNTS) + 1},`;
  const ways = [
    () => measured(() => fetch(raw.url), raw.cpuMs),
    () => stream(() => ''),
    () => stream(numberedOf),
  ] as const;
  for (const measure of ways) await measure();
  const [ofRaw, ofStream, ofNumbered] = (await inTurns(ways, rounds, (measure) => measure())) as [
    Figures[],
    Figures[],
    Figures[],
  ];
  const report = new Report(
    'apps/ops-intake/docs/measurements.md',
    'bulk',
    `medians of ${rounds} rounds of ${whole(lines)} records of three operations, ${partitions} partitions, acks=all; broker and client on the same cores`,
  );
  report.head('way', 'records/s', 'of the raw batches (least to greatest)', 'CPU each');
  const row = (name: string, of: Figures[]) =>
    report.row(
      name,
      whole(medianOf(of, 'perSecond')),
      ratioOf(
        of.map(({ perSecond }) => perSecond),
        ofRaw.map(({ perSecond }) => perSecond),
      ),
      `${medianOf(of, 'cpuMicros').toFixed(1)} µs`,
    );
  row('raw batches: the records, ready, appended to the log', ofRaw);
  row('**POST /operations/batch**, keys in memory', ofStream);
  row(`the same with numbers, ${whole(ACCOUNTS)} accounts in turns`, ofNumbered);
  await report.write();
} finally {
  for (const end of ends.reverse()) await end();
  await broker.stop();
  await rm(folder, { recursive: true });
}
