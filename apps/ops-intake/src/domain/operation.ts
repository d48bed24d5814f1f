import {
  type DecimalLimits,
  decimalViolation,
  LARGEST_QUANTITY,
  MOST_DIGITS,
  quantityViolation,
} from './decimal.ts';
import { type JsonValue, NumberLexeme } from './json-value.ts';

/** The kinds of operations that can be submitted. */
export const OPERATIONS = ['buy', 'sell'] as const;

/** What is wrong with the value of a member. */
export interface MemberViolation {
  code: string;
  detail: string;
}

/** One member of an operation. */
export interface Member {
  /** @returns what is wrong; undefined when nothing is */
  check(value: JsonValue, limits: DecimalLimits): MemberViolation | undefined;
  /** JSON Schema, as far as it can say the same: how a number is written is no business of a schema */
  schema(limits: DecimalLimits): object;
  /** valid values as clients write them; the first is the one of the documentation */
  readonly examples: readonly [string, ...string[]];
}

const checkNumber = (value: JsonValue, violationOf: (lexeme: string) => string | undefined) => {
  if (!(value instanceof NumberLexeme)) return { code: 'type', detail: 'must be a JSON number' };
  const detail = violationOf(value.text);
  return detail === undefined ? undefined : { code: 'format', detail };
};

/** As a list in a sentence: `"a", "b" or "c"`. */
const alternatives = OPERATIONS.map((kind) => `"${kind}"`)
  .join(', ')
  .replace(/, ([^,]*)$/, ' or $1');

export const UNKNOWN_OPERATION: MemberViolation = { code: 'enum', detail: `must be ${alternatives}` };

/**
 * The members of an operation, all required, no other allowed. Rules, JSON Schema, AsyncAPI and the examples of all documents
 * follow from this table; the byte-level reader (`plain-submission.ts`) and the consumers in `examples/` are tested against it.
 */
export const MEMBERS: ReadonlyMap<string, Member> = new Map<string, Member>([
  [
    'operation',
    {
      check: (value) =>
        (OPERATIONS as readonly JsonValue[]).includes(value) ? undefined : UNKNOWN_OPERATION,
      schema: () => ({ type: 'string', enum: OPERATIONS }),
      examples: OPERATIONS.map((kind) => JSON.stringify(kind)) as [string, ...string[]],
    },
  ],
  [
    'unit-cost',
    {
      check: (value, limits) => checkNumber(value, (lexeme) => decimalViolation(lexeme, limits)),
      schema: ({ fractionDigits }) => ({
        type: 'number',
        format: 'double',
        minimum: 0,
        maximum: Number('9'.repeat(MOST_DIGITS)),
        description: `without sign, at most ${MOST_DIGITS} significant and ${fractionDigits} fraction digits; kept as it is written`,
        examples: [10.25, 25.75],
      }),
      examples: ['10.25', '25.5', '0', '1e-05'],
    },
  ],
  [
    'quantity',
    {
      check: (value) => checkNumber(value, quantityViolation),
      schema: () => ({
        type: 'integer',
        format: 'int64',
        minimum: 1,
        maximum: Number(LARGEST_QUANTITY),
        description: 'written without point or exponent',
        examples: [100],
      }),
      examples: ['100', '1', LARGEST_QUANTITY],
    },
  ],
]);

/** An operation as JSON text. @param values of the members that are not as in the documentation, as they are written */
export const exampleOperation = (values: Readonly<Record<string, string>> = {}): string =>
  `{${[...MEMBERS].map(([name, { examples }]) => `"${name}":${values[name] ?? examples[0]}`).join(',')}}`;
