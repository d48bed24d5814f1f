import { seededRandom } from '@workspace/testing/seeded-random';
import { type BulkLine, lineText, sendLines } from '../../test/bulk-client.ts';
import { createAnswerLog, type Named, numberedBody, numberIn, violations } from '../support/answer-log.ts';
import { apiKeys } from '../support/frames.ts';
import { untilHealth } from '../support/health.ts';
import { startService } from '../support/service.ts';
import type { FaultScenario, ScenarioResult, TestBed } from './test-bed.ts';

/** How many accounts the lines with numbers belong to. */
const ACCOUNTS = 50;

/** Each line has its place in the series of its account, if it has a number. */
const lineOf = (number: number, isNumbered: boolean): BulkLine => ({
  key: `line-${number}`,
  ...(isNumbered && {
    partitionKey: `account-${number % ACCOUNTS}`,
    sequence: Math.floor(number / ACCOUNTS) + 1,
  }),
  operations: numberedBody(number),
});

const run = async (bed: TestBed, isNumbered: boolean): Promise<ScenarioResult> => {
  const count = bed.long ? 50_000 : 3_000;
  const cuts = bed.long ? 20 : 4;
  const random = seededRandom(17);
  const topic = await bed.topic('stream');
  const service = await startService({
    KAFKA_BOOTSTRAP_SERVERS: `127.0.0.1:${bed.proxy.port}`,
    KAFKA_TOPIC: topic,
    BULK_STREAMS: '4',
    SEQUENCES: String(isNumbered),
  });
  await untilHealth(service.url, 200);
  const { produce: apiKey } = apiKeys;
  bed.proxy.rules = [
    { kind: 'cut-before', apiKey, probability: 0.05 },
    { kind: 'cut-after', apiKey, probability: 0.05 },
  ];
  const log = createAnswerLog();
  const lines = Array.from({ length: count }, () => lineOf(log.next(), isNumbered));
  const numbers = new Map(lines.map(({ key }, number) => [key, number]));
  const bytes = Buffer.byteLength(lines.map(lineText).join(''));
  const port = Number(new URL(service.url).port);
  let replayed = 0;
  let open = lines;
  for (let attempt = 0; open.length > 0; attempt += 1) {
    if (attempt === cuts) bed.proxy.rules = [];
    const cut = { bytes: Math.floor(random() * bytes), answered: random() };
    const answers = await sendLines(port, lines, attempt < cuts ? cut : undefined);
    for (const [key, answer] of answers) {
      const { status, replayed: isReplayed } = answer;
      const what = status === 202 ? 'acknowledged' : (answer['outcome'] as 'unknown' | 'not-published');
      const number = numbers.get(key)!;
      // The key of a record is its id, or else its account.
      const { partitionKey } = lines[number]!;
      log.record(number, what, { ...(answer as Named), ...(partitionKey && { submissionId: partitionKey }) });
      if (isReplayed) replayed += 1;
    }
    open = open.filter(({ key }) => answers.get(key)?.status !== 202);
  }
  const exit = await service.stop();
  const audit = await log.audit(bed.broker, topic);
  const found = violations(audit);
  if (audit.records !== count) found.push(`${audit.records} records of ${count} lines`);
  if (exit !== 0) found.push(`exit code ${exit}`);
  const latest = new Map<string, number>();
  if (isNumbered) {
    await bed.broker.consumeEach(topic, ({ key, value }) => {
      const [before, number] = [latest.get(key ?? '') ?? -1, numberIn(value) ?? -1];
      if (number <= before) found.push(`line ${number} after line ${before} of ${key}`);
      latest.set(key ?? '', number);
    });
  }
  return { figures: { ...audit, cuts, replayed, accounts: latest.size }, violations: found };
};

/** B1: streams of submissions that break off, and are sent again whole, while connections to Kafka break, too. */
export const streamCut: FaultScenario = {
  id: 'B1',
  fault: 'stream cut in the middle and resumed, Produce cut before 5 %, after 5 %',
  run: (bed) => run(bed, false),
};

/** B2: the same with a number in each line. */
export const numberedStreamCut: FaultScenario = {
  id: 'B2',
  fault: 'the same with a number in each line of 50 accounts',
  run: (bed) => run(bed, true),
};
