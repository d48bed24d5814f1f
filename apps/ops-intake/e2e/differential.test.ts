import { randomInt } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { Kafka as Binding } from 'cloudevents';
import { describeWith, pythonProgram, runTool } from '@workspace/testing';
import { type FuzzTarget, randomInputs } from '@workspace/testing/fuzz';
import { toRecord } from '../src/application/submission-record.ts';
import { decimalViolation, quantityViolation } from '../src/domain/decimal.ts';
import { submissionIdOf } from '../src/domain/submission-id.ts';
import { JsonSyntaxError, parseStrictJson } from '../src/http/submit/strict-json.ts';
import { idempotencyKey } from '../src/http/submit/submission-headers.ts';
import { decimals } from '../fuzz/decimals.ts';
import { isAmbiguous, json, referenceValue } from '../fuzz/json.ts';
import { keys } from '../fuzz/keys.ts';

/** DIFFERENTIAL_INPUTS=200000: nx differential ops-intake */
const INPUTS = Number(process.env['DIFFERENTIAL_INPUTS'] ?? 10_000);
const SEED = Number(process.env['SEED'] || randomInt(2 ** 31));
const REFERENCES = join(import.meta.dirname, 'references');
/** Those of the consumer's example, so that both use one environment. */
/** Texts that a line in hexadecimal can carry: UTF-8, and some. */
const textsFor = (target: FuzzTarget): string[] => {
  console.log(`${target.name}: seed ${SEED}`);
  return randomInputs(target, INPUTS, SEED)
    .filter((input) => isUtf8(input) && input.length > 0)
    .map((input) => input.toString());
};

/** What a program says of each text, a line each. */
const answersOf = async (texts: readonly string[], command: string, ...args: string[]): Promise<string[]> => {
  const lines = texts.map((text) => `${Buffer.from(text).toString('hex')}\n`).join('');
  const answers = (await runTool(command, args, lines)).trimEnd().split('\n');
  expect(answers).toHaveLength(texts.length);
  return answers;
};

describeWith(['java', 'python3'], 'decimals, compared with other languages', () => {
  const programs: [string, string, string][] = [
    ['decimal.Decimal of Python', 'python3', 'decimals.py'],
    ['BigDecimal of Java', 'java', 'Decimals.java'],
  ];
  it.each(programs)('are those of %s', async (_name, command, file) => {
    const texts = textsFor(decimals);
    const answers = await answersOf(texts, command, join(REFERENCES, file));
    const ours = texts.map((text) => {
      const isCost = decimalViolation(text, { fractionDigits: 8 }) === undefined;
      return `${isCost ? 1 : 0} ${quantityViolation(text) === undefined ? 1 : 0}`;
    });
    expect(texts.filter((_, at) => ours[at] !== answers[at])).toEqual([]);
    expect(answers.filter((answer) => answer !== '0 0').length).toBeGreaterThan(INPUTS / 50);
  });
});

describeWith(['go', 'php', 'python3'], 'JSON, compared with strict parsers', () => {
  const programs: [string, string, string[]][] = [
    ['Python', 'python3', ['strict_json.py']],
    ['PHP', 'php', ['strict_json.php']],
    ['Go', 'go', ['-C', 'strict-json', 'run', '.']],
  ];
  it.each(programs)('is what %s takes', async (name, command, args) => {
    const texts = textsFor(json);
    const files = args.map((arg) => (!/^strict/.test(arg) ? arg : join(REFERENCES, arg)));
    const answers = await answersOf(texts, command, ...files);
    const differing = texts.filter((text, at) => {
      const value = referenceValue(text);
      // Valid, and rejected here on purpose.
      if (value !== undefined && isAmbiguous(text, value)) return false;
      let isTaken = true;
      try {
        parseStrictJson(text);
      } catch (error) {
        if (!(error instanceof JsonSyntaxError)) throw error;
        isTaken = false;
      }
      return isTaken !== (answers[at] === '1');
    });
    expect({ name, differing }).toEqual({ name, differing: [] });
    expect(answers.filter((answer) => answer === '1').length).toBeGreaterThan(INPUTS / 100);
  });
});

describeWith(['python3'], 'records, compared with the packages of reference', () => {
  it('have the UUIDv5 of Python, and are CloudEvents to the SDKs of JavaScript and Python', async () => {
    const now = new Date('2026-11-21T12:00:00.123Z');
    const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    const value = Buffer.from('[{"operation":"buy","unit-cost":10.00,"quantity":100}]');
    const given = textsFor(keys)
      .map((header) => idempotencyKey(header))
      .filter((key) => key !== undefined)
      .slice(0, INPUTS / 4)
      .map((key, index) => {
        const principal = index % 2 ? 'desk-7' : undefined;
        const id = submissionIdOf(key, principal);
        const partitionKey = index % 3 ? key : undefined;
        const record = toRecord(id, { bytes: value, operations: 1 }, { now, trace, principal, partitionKey });
        return {
          id,
          name: principal === undefined ? key : JSON.stringify([principal, key]),
          principal,
          partitionKey,
          record,
        };
      });
    expect(given.length).toBeGreaterThan(INPUTS / 20);
    const lines = given.map(({ name, record }) => {
      const headers = Object.fromEntries(
        Object.entries(record.headers).map(([key, text]) => [key, String(text)]),
      );
      return JSON.stringify({ name, key: record.key, headers, value: value.toString('base64') });
    });
    const python = await pythonProgram('python', 'kafka-consumers');
    const answers = (await runTool(python, [join(REFERENCES, 'records.py')], `${lines.join('\n')}\n`))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; attributes: Record<string, string> });
    expect(answers).toHaveLength(given.length);
    for (const [at, { id, principal, partitionKey, record }] of given.entries()) {
      const attributes = {
        specversion: '1.0',
        id,
        source: '/operations-service',
        type: 'operations.submitted.v1',
        datacontenttype: 'application/json',
        ...(partitionKey !== undefined && { partitionkey: partitionKey }),
        ...(principal !== undefined && { authtype: 'unknown', authid: principal }),
      };
      // Python's SDK takes a record's key for the partition key where the event has none.
      const inPython = { partitionkey: id, ...attributes, time: '2026-11-21T12:00:00.123000+00:00' };
      expect(answers[at]).toEqual({ id, attributes: inPython });
      const headers = Object.fromEntries(
        Object.entries(record.headers).map(([key, text]) => [key, String(text)]),
      );
      const message = { ...record, headers, value: record.value } as unknown;
      const event = Binding.toEvent(message as Parameters<typeof Binding.toEvent>[0]);
      expect(event).toMatchObject({ ...attributes, time: now.toISOString() });
    }
  });
});
