import type { LogRecord } from '@workspace/schemas';
import { readPlainLine } from '../src/features/bulk-streams/plain-line.ts';
import { type Random, seededRandom } from '@workspace/testing/seeded-random';
import { appUnderTest } from './app-under-test.ts';
import { hostileBody, plainBody } from './hostile-bodies.ts';

const LINES = 3_000;
const oneOf = <T>(random: Random, options: readonly T[]): T =>
  options[Math.floor(random() * options.length)] as T;

/** What a line may have beside its array, plainly written and not. */
const KEYS = [
  '"a-1"',
  '"a 2"',
  '"a\\u0033"',
  '"a\\"4"',
  '"ä"',
  '""',
  '7',
  `"${'k'.repeat(255)}"`,
  `"${'k'.repeat(256)}"`,
];
const PARTITION_KEYS = ['"p-1"', '"p 2"', '"\\t"', '""', 'null', '"p\u0001"'];
const MORE = ['', '', '', ',"key":"again"', ',"operations":[]', ',"other":1', '}', ' x'];
const SPACES = ['', '', '', ' ', '\t'];

const lineOf = (random: Random): Buffer => {
  const space = (): string => oneOf(random, SPACES);
  const body = random() < 0.6 ? plainBody(random) : hostileBody(random);
  const key = random() < 0.7 ? `"k-${Math.floor(random() * 200)}"` : oneOf(random, KEYS);
  const members = [`"key"${space()}:${space()}${key}`];
  if (random() < 0.4) members.push(`"partitionKey"${space()}:${space()}${oneOf(random, PARTITION_KEYS)}`);
  if (random() < 0.3) members.reverse();
  const end = Buffer.from(`${random() < 0.1 ? oneOf(random, MORE) : ''}}${random() < 0.1 ? '\r' : ''}`);
  const operations = Buffer.concat([Buffer.from(`"operations"${space()}:${space()}`), body]);
  const others = Buffer.from(members.join(`${space()},${space()}`));
  const parts =
    random() < 0.9
      ? [others, Buffer.from(`,${space()}`), operations]
      : [operations, Buffer.from(','), others];
  // A line feed would end the line.
  const line = Buffer.concat([Buffer.from(`{${space()}`), ...parts, end]);
  return Buffer.from(line.map((byte) => (byte === 0x0a ? 0x20 : byte)));
};

const withoutTrace = ({ key, value, timestamp, headers }: LogRecord) => {
  const { traceparent: _, ...others } = headers;
  return { key, value: value.toString('latin1'), timestamp, headers: others };
};

describe('the quick way of plainly written lines', () => {
  // A line that ends with a space is not plainly written, and a store without `sync` is asked with promises.
  const answersTo = async (lines: readonly Buffer[], isQuick: boolean) => {
    const { app, log, store } = appUnderTest({ BULK_STREAMS: '1' });
    if (!isQuick) Object.assign(store, { sync: undefined });
    const end = Buffer.from(isQuick ? '\n' : ' \n');
    const { body } = await app.inject({
      method: 'POST',
      url: '/operations/batch',
      headers: { 'content-type': 'application/x-ndjson' },
      payload: Buffer.concat(lines.flatMap((line) => [line, end])),
    });
    await app.close();
    for (const [, id, offset] of body.matchAll(/"submissionId":"([^"]+)".*"offset":(\d+)/g))
      expect(log.records[Number(offset)]!.headers['ce_id']).toBe(id);
    return {
      // Where the end of a line is missing, it is a byte later; lines of different keys may take turns.
      answers: body.replaceAll(/unexpected at byte \d+|"offset":\d+/g, ''),
      records: log.records.map(withoutTrace).sort((one, other) => one.key.localeCompare(other.key)),
    };
  };

  it('gives the answers and the records that the other way gives, for thousands of random lines', async () => {
    const random = seededRandom(Number(process.env['SEED'] || 30));
    const lines = Array.from({ length: LINES }, () => lineOf(random));
    // Some are sent again.
    for (let at = 1; at < LINES; at += 20) lines[at] = lines[Math.floor(random() * at)]!;
    const [quick, slow] = [await answersTo(lines, true), await answersTo(lines, false)];
    const [ofQuick, ofSlow] = [quick.answers.split('\n'), slow.answers.split('\n')];
    for (const [at, line] of lines.entries()) {
      const shown = `${line.toString('latin1')} → `;
      expect(shown + ofQuick[at]).toBe(shown + ofSlow[at]);
    }
    expect(quick.records).toEqual(slow.records);
    const statuses = ['"status":202', '"replayed":true', '"status":422', '"status":400'];
    for (const status of statuses) expect(quick.answers).toContain(status);
  });

  it('is taken for what serializers write', () => {
    const random = seededRandom(31);
    for (const [colon, comma] of [
      [':', ','],
      [': ', ', '],
    ])
      for (let count = 0; count < 100; count += 1) {
        const operations = plainBody(random).toString().trim();
        const text = `{"key"${colon}"a b"${comma}"partitionKey"${colon}"c"${comma}"operations"${colon}${operations}}`;
        for (const end of ['', '\r']) {
          const chunk = Buffer.from(`{}\n${text}${end}\n`);
          const place = { number: 2, chunk, start: 3, end: chunk.length - 1, taken: 0 };
          const { bytes, ...others } = readPlainLine(place)!;
          expect(bytes.toString()).toBe(operations);
          expect(others).toEqual({ number: 2, key: 'a b', partitionKey: 'c' });
        }
      }
  });
});
