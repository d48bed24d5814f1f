// nx run ops-intake:bench-bodies: what reading a body costs, and how long large ones hold the event loop.
//   BENCH_SECONDS      length of the load of large bodies, 10 unless set
import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ajv } from 'ajv';
import { Agent, request } from 'undici';
import { machine, median } from '@workspace/testing/bench';
import { readSchemaFiles } from '../src/features/own-schemas/schema-files.ts';
import { countStrictly, submissionReader } from '../src/http/submit/submission-body.ts';
import { parseStrictJson, StrictJsonParser } from '../src/http/submit/strict-json.ts';
import { OPERATIONS } from '../src/domain/operation.ts';
import { SubmissionCheck } from '../src/domain/submission.ts';
import { startServer } from './server-process.ts';

const limits = { operations: 10_000, fractionDigits: 8, messageBytes: 900_000 };
const OPERATION = '{"operation":"buy","unit-cost":10.00,"quantity":10000}';
const MIB = 1_048_576;
const seconds = Number(process.env['BENCH_SECONDS'] || 10);
/** A server that has just started compiles its code, and takes longer. */
const WARM_SECONDS = 3;

const arrayOf = (count: number, element: string): Buffer =>
  Buffer.from(`[${Array(count).fill(element).join()}]`);
const filled = (element: string): Buffer => arrayOf(Math.floor((MIB - 2) / (element.length + 1)), element);

const isValid = new Ajv().compile({
  type: 'array',
  minItems: 1,
  maxItems: limits.operations,
  items: {
    type: 'object',
    required: ['operation', 'unit-cost', 'quantity'],
    additionalProperties: false,
    properties: {
      operation: { enum: OPERATIONS },
      'unit-cost': { type: 'number', minimum: 0 },
      quantity: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    },
  },
});

const viaJsonParse = (bytes: Buffer): void => {
  if (!isUtf8(bytes) || !isValid(JSON.parse(bytes.toString()))) throw new Error('invalid');
};
const viaStrictParser = (bytes: Buffer): void => {
  const check = new SubmissionCheck(limits);
  const parser = new StrictJsonParser(bytes.toString(), { onElement: (element) => check.element(element) });
  parser.advance();
  if (typeof check.result(parser.value) !== 'number') throw new Error('invalid');
};
const read = submissionReader(limits);
const [ownSchema] = await readSchemaFiles({
  files: [join(import.meta.dirname, '../examples/operations.v2.json')],
  builtIn: '',
  parse: (text) => parseStrictJson(text, 64),
  limits,
});
const viaOwnSchema = (bytes: Buffer): number => countStrictly(bytes, limits, ownSchema?.own?.rules);

/** Microseconds of CPU, the least of seven turns: what others do on the machine only adds. */
const microsOf = async (work: () => unknown, repeats: number): Promise<number> => {
  let least = Infinity;
  for (let iteration = 0; iteration < 7; iteration += 1) {
    const before = process.cpuUsage();
    for (let count = 0; count < repeats; count += 1) await work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / repeats);
  }
  return Number(least.toFixed(least < 10 ? 2 : 0));
};

console.log(machine());
const rows = [];
for (const operations of [3, 100, 1_000, 10_000]) {
  const bytes = arrayOf(operations, OPERATION);
  const repeats = Math.max(10, Math.ceil(100_000 / operations));
  rows.push({
    operations,
    'this service µs': await microsOf(() => read(bytes), repeats),
    'JSON.parse and ajv µs': await microsOf(() => viaJsonParse(bytes), repeats),
    'strict parser µs': await microsOf(() => viaStrictParser(bytes), repeats),
    'own schema µs': await microsOf(() => viaOwnSchema(bytes), repeats),
  });
}
console.log('\nreading a valid body, CPU');
console.table(rows);

const largeBodies: Record<string, Buffer> = {
  '10,000 operations': arrayOf(10_000, OPERATION),
  'too many operations': filled(OPERATION),
  'escapes in names': filled(OPERATION.replace('quantity', 'q\\u0075antity')),
  numbers: filled('1'),
  'empty strings': filled('""'),
  'empty objects': filled('{}'),
  'one string of escapes': Buffer.from(`["${'\\n'.repeat(MIB / 2 - 2)}"]`),
  'one string beyond ASCII': Buffer.from(`["${'é'.repeat(MIB / 2 - 2)}"]`),
  'one object of many members': Buffer.from(
    `[{${Array.from({ length: 90_000 }, (_, index) => `"n${index}":1`).join()}}]`,
  ),
  'white space': Buffer.from(' '.repeat(MIB)),
};

/** The longest that one turn of the event loop works, as CPU. */
const longestIteration = async (bytes: Buffer): Promise<number> => {
  let longest = 0;
  let isOver = false;
  let before = process.cpuUsage();
  const iteration = (): void => {
    const { user, system } = process.cpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.cpuUsage();
    if (!isOver) setImmediate(iteration);
  };
  iteration();
  const over = (): void => void (isOver = true);
  await Promise.resolve(read(bytes)).then(over, over);
  await new Promise(setImmediate);
  return longest;
};
console.log('\na body of up to 1 MiB: longest iteration of the event loop, CPU, median of nine');
const turns = [];
for (const [body, bytes] of Object.entries(largeBodies)) {
  const times = [];
  for (let count = 0; count < 9; count += 1) times.push(await longestIteration(bytes));
  turns.push({ body, 'longest iteration ms': Number(median(times).toFixed(1)) });
}
console.table(turns);

const server = await startServer('without-kafka', {});
const agent = new Agent({ connections: 64 });
const bodies = Object.values(largeBodies);
const headers = { 'content-type': 'application/json' };
const statuses: Record<string, number> = {};
const end = performance.now() + (WARM_SECONDS + seconds) * 1_000;
const client = async (number: number): Promise<void> => {
  for (let count = number; performance.now() < end; count += 1) {
    const body = bodies[count % bodies.length]!;
    // The connection of a client that continues to send after its 503 may be closed.
    const status = await request(server.url, { dispatcher: agent, method: 'POST', headers, body }).then(
      async (answer) => {
        await answer.body.dump();
        if (answer.headers['retry-after']) await sleep(Number(answer.headers['retry-after']) * 1_000);
        return String(answer.statusCode);
      },
      () => 'closed',
    );
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
};
setTimeout(() => void server.loopDelay(), WARM_SECONDS * 1_000);
await Promise.race([
  Promise.all(Array.from({ length: 64 }, (_, number) => client(number))),
  sleep((WARM_SECONDS + seconds) * 1_000 + 3_000),
]);
const delay = await server.loopDelay();
await agent.destroy();
await server.stop();
console.log(
  `\n64 clients that send these bodies for ${seconds} s: answers by status ${JSON.stringify(statuses)};`,
);
console.log(`event-loop delay of the service p50 ${delay.p50} ms, p99 ${delay.p99} ms, max ${delay.max} ms`);
process.exit();
