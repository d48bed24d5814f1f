import { isUtf8 } from 'node:buffer';
import assert from 'node:assert/strict';
import { ProblemError } from '@workspace/service-kit/problems';
import type { FuzzTarget } from '@workspace/testing/fuzz';
import { NumberLexeme } from '../src/domain/json-value.ts';
import { OPERATIONS } from '../src/domain/operation.ts';
import { PlainReader } from '../src/http/submit/plain-submission.ts';
import { countStrictly, submissionReader } from '../src/http/submit/submission-body.ts';
import { isQuantity, isUnitCost } from './decimals.ts';
import { referenceValue, repeatsMembers } from './json.ts';

const PLAIN = 'apps/ops-intake/src/http/submit/plain-submission.ts';
const SUBMISSION = 'apps/ops-intake/src/domain/submission.ts';
const LIMITS = { operations: 4, fractionDigits: 8, messageBytes: 1_000_000 };
const read = submissionReader(LIMITS);
const plain = new PlainReader(LIMITS);

/** The number of operations of a valid body, by JSON.parse and arithmetic. */
const referenceCount = (bytes: Buffer): number | undefined => {
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString();
  const value = referenceValue(text);
  if (!Array.isArray(value) || value.length === 0 || value.length > LIMITS.operations) return undefined;
  const isValid = value.every((element) => {
    if (!(element instanceof Map) || element.size !== 3) return false;
    const [cost, quantity] = [element.get('unit-cost'), element.get('quantity')];
    if (!(cost instanceof NumberLexeme && quantity instanceof NumberLexeme)) return false;
    if (!(OPERATIONS as readonly unknown[]).includes(element.get('operation'))) return false;
    return isUnitCost(cost.text, LIMITS.fractionDigits) && isQuantity(quantity.text);
  });
  return isValid && !repeatsMembers(text, value) ? value.length : undefined;
};

/** What a reader finds; undefined for a problem that the client is told about. */
const countOf = (readBody: () => number): number | undefined => {
  try {
    return readBody();
  } catch (error) {
    if (error instanceof ProblemError && [400, 413, 422].includes(error.type.status)) return undefined;
    throw error;
  }
};

const OPERATION = '{"operation":"buy","unit-cost":10.00,"quantity":100}';

export const body: FuzzTarget = {
  name: 'body',
  property: 'the byte-level reader, the strict parser and JSON.parse with arithmetic agree on every body',
  seeds: [
    `[${OPERATION}]`,
    ` [ {"quantity": 9007199254740991,\t"unit-cost": 1.0E7,\n"operation": "sell" } ,\r\n${OPERATION}]\n`,
    `[${[OPERATION, OPERATION, OPERATION, OPERATION].join()}]`,
    '[{"operation":"\\u0062uy","unit-cost" : 0.00000001,"quantity":1}]',
  ],
  dictionary: [
    ...[
      '"operation":"sell",',
      ',"unit-cost":1',
      '"quantity":1,',
      '"buy"',
      'e-05',
      '0.',
      '.00',
      '__proto__',
      'NaN',
    ],
    `,${OPERATION}`,
  ],
  branchesPerByte: 100,
  planted: [
    { file: PLAIN, from: '(members & member) !== 0', to: 'false' },
    { file: PLAIN, from: 'bytes[start] !== ZERO && at > start', to: 'at > start' },
    { file: PLAIN, from: 'return at === end', to: 'return at <= end' },
    {
      file: PLAIN,
      from: 'at - fraction > limits.fractionDigits',
      to: 'at - fraction > limits.fractionDigits + 1',
    },
    { file: SUBMISSION, from: 'element.size !== MEMBERS.size', to: 'element.size < MEMBERS.size' },
  ],
  check: (input) => {
    const expected = referenceCount(input);
    assert.equal(
      countOf(() => countStrictly(input, LIMITS)),
      expected,
    );
    const counted = plain.count(input);
    if (counted !== undefined) assert.equal(counted, expected);
    assert.equal(
      countOf(() => {
        const submission = read(input);
        assert(!(submission instanceof Promise));
        assert.equal(submission.bytes, input);
        return submission.operations;
      }),
      expected,
    );
  },
};
