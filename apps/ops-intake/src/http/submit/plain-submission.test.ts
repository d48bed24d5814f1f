import { ProblemError } from '@workspace/service-kit/problems';
import { exampleOperation, MEMBERS } from '../../domain/operation.ts';
import { hostileBody, plainBody } from '../../../test/hostile-bodies.ts';
import { seededRandom } from '@workspace/testing/seeded-random';
import { PlainReader } from './plain-submission.ts';
import { countStrictly } from './submission-body.ts';

const limits = { operations: 1_000, fractionDigits: 8 };
const plain = new PlainReader(limits);
const operation = (members: string): string => `[{${members}}]`;
const VALID = '"operation":"buy","unit-cost":10.00,"quantity":100';

/** What the strict parser and the rules say: the oracle. */
const strictCount = (bytes: Buffer): number | undefined => {
  try {
    return countStrictly(bytes, limits);
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
};

describe('a reader of plain submissions', () => {
  it.each([
    operation(VALID),
    ` [ {"quantity": 100,\t"unit-cost": 10.00,\n"operation": "sell" } ,\r\n{${VALID}}]\n`,
    operation('"operation":"buy","unit-cost":0,"quantity":1'),
    operation('"operation":"buy","unit-cost":0.00000001,"quantity":999999999999999'),
    operation('"operation":"buy","unit-cost":1234567.12345678,"quantity":9007199254740991'),
    operation('"operation":"buy","unit-cost":0.01234567,"quantity":1'),
    operation('"operation":"buy","unit-cost":1.0E7,"quantity":1'),
    operation('"operation":"buy","unit-cost":1e-05,"quantity":1'),
  ])('counts %j without the strict parser', (text) => {
    const operations = text.split('{').length - 1;
    expect(plain.count(Buffer.from(text))).toBe(operations);
    expect(strictCount(Buffer.from(text))).toBe(operations);
  });

  // Written by hand for its speed; a member or a kind that only the table has fails here.
  it.each([...MEMBERS].flatMap(([name, { examples }]) => examples.map((value) => [name, value] as const)))(
    'counts an operation whose %s is %s',
    (name, value) => {
      const body = Buffer.from(`[${exampleOperation({ [name]: value })}]`);
      expect(strictCount(body)).toBe(1);
      expect(plain.count(body)).toBe(1);
    },
  );

  it.each([...MEMBERS.keys()])('leaves an operation without %s to the strict parser', (name) => {
    const members = Object.entries(JSON.parse(exampleOperation()) as object).filter(([one]) => one !== name);
    const body = Buffer.from(JSON.stringify([Object.fromEntries(members)]));
    expect(strictCount(body)).toBeUndefined();
    expect(plain.count(body)).toBeUndefined();
  });

  it('reads a body that is part of a larger buffer', () => {
    const pool = Buffer.from(`[${operation(VALID)}]`);
    expect(plain.count(pool.subarray(1, -1))).toBe(1);
    expect(plain.count(pool.subarray(1, -2))).toBeUndefined();
  });

  it.each([
    '',
    '[',
    ']',
    '[]',
    '{}',
    '[{}]',
    '[{',
    operation(`${VALID},"quantity":100`),
    operation(`${VALID},`),
    operation('"operation":"hold","unit-cost":10.00,"quantity":100'),
    operation('"operation":"buy","unit-cost":10.,"quantity":100'),
    operation('"operation":"buy","unit-cost":010,"quantity":100'),
    operation('"operation":"buy","unit-cost":1234567890123456,"quantity":100'),
    operation('"operation":"buy","unit-cost":0.123456789,"quantity":100'),
    operation('"operation":"buy","unit-cost":1e2e,"quantity":100'),
    operation('"operation":"buy","unit-cost":10.00,"quantity":0'),
    operation('"operation":"buy","unit-cost":10.00,"quantity":9007199254740992'),
    operation('"operation":"buy","unit-cost":10.00,"quantity":1e2'),
    `[{${VALID}},]`,
    `[{${VALID}}]x`,
    `[{${VALID}}`,
  ])('leaves %j to the strict parser, which rejects it', (text) => {
    expect(plain.count(Buffer.from(text))).toBeUndefined();
    expect(strictCount(Buffer.from(text))).toBeUndefined();
  });

  // BODIES=1000000: nx properties ops-intake
  const bodies = Number(process.env['BODIES'] || 10_000);
  it(`counts what the strict parser counts, and nothing else, in ${bodies} random and hostile bodies`, () => {
    const random = seededRandom(Number(process.env['SEED'] || 17));
    let accepted = 0;
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0; // most bodies are rejected, and a stack trace costs more than the reading
    for (let count = 0; count < bodies; count += 1) {
      const body = hostileBody(random);
      const strict = strictCount(body);
      const counted = plain.count(body);
      if (strict !== undefined) accepted += 1;
      if (counted !== undefined && counted !== strict)
        throw new Error(
          `${counted} instead of ${strict} operations: ${JSON.stringify(body.toString('latin1'))}`,
        );
    }
    Error.stackTraceLimit = stackTraceLimit;
    // Neither all nor none: the generator tries both sides of the border.
    expect(accepted).toBeGreaterThan(bodies / 20);
    expect(accepted).toBeLessThan(bodies / 2);
  });

  it('leaves no valid body that a serializer writes to the strict parser', () => {
    const random = seededRandom(18);
    for (let count = 0; count < 2_000; count += 1) {
      const body = plainBody(random);
      if (plain.count(body) === undefined) throw new Error(body.toString());
    }
  });
});
