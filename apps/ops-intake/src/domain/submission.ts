import { isUtf8 } from 'node:buffer';
import { decimalFault, type DecimalLimits, quantityFault } from './decimal.ts';
import { JsonFault, type JsonValue, NumberLexeme, parseStrictJson } from './strict-json.ts';

/** One POST's array of operations, checked whole. */
export interface Submission {
  /** the JSON array exactly as it came: every byte of the record was written by the client */
  readonly bytes: Buffer;
  readonly operations: number;
}

/** One thing wrong inside a submission, in the shape of a problem's `errors[]`. */
export interface Fault {
  /** JSON Pointer as a URI fragment, `#/3/unit-cost` */
  pointer: string;
  code: string;
  detail: string;
}

export type SubmissionError =
  | { kind: 'malformed'; detail: string }
  | { kind: 'too-many'; detail: string }
  | { kind: 'invalid'; faults: Fault[]; truncated: boolean };

export interface SubmissionLimits extends DecimalLimits {
  /** most operations in one submission */
  operations: number;
}

/** More faults than a person reads; the answer says that there were more. */
const MOST_FAULTS = 100;

/** What one may do. */
export const OPERATIONS = ['buy', 'sell'] as const;

type Check = (value: JsonValue) => Omit<Fault, 'pointer'> | undefined;

const checkOperation: Check = (value) =>
  (OPERATIONS as readonly JsonValue[]).includes(value)
    ? undefined
    : { code: 'enum', detail: 'must be "buy" or "sell"' };

const checkNumber =
  (faultOf: (lexeme: string) => string | undefined): Check =>
  (value) => {
    if (!(value instanceof NumberLexeme)) return { code: 'type', detail: 'must be a JSON number' };
    const detail = faultOf(value.text);
    return detail === undefined ? undefined : { code: 'format', detail };
  };

/** The members of an operation, all required, none other allowed. */
type MemberChecks = ReadonlyMap<string, Check>;

const memberChecks = (limits: SubmissionLimits): MemberChecks =>
  new Map([
    ['operation', checkOperation],
    ['unit-cost', checkNumber((lexeme) => decimalFault(lexeme, limits))],
    ['quantity', checkNumber(quantityFault)],
  ]);

const pointerStep = (name: string): string =>
  encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Yields the faults of one element of the array. */
function* operationFaults(element: JsonValue, index: number, checks: MemberChecks): Generator<Fault> {
  const pointer = `#/${index}`;
  if (!(element instanceof Map)) {
    yield { pointer, code: 'type', detail: 'must be an object' };
    return;
  }
  for (const [name, check] of checks) {
    const value = element.get(name);
    const fault = value === undefined ? { code: 'required', detail: `${name} is missing` } : check(value);
    if (fault) yield { pointer: `${pointer}/${name}`, ...fault };
  }
  for (const name of element.keys()) {
    if (checks.has(name)) continue;
    yield { pointer: `${pointer}/${pointerStep(name)}`, code: 'unknown', detail: 'no such member' };
  }
}

const isSound = (element: JsonValue, checks: MemberChecks): boolean => {
  if (!(element instanceof Map) || element.size !== checks.size) return false;
  for (const [name, check] of checks) {
    const value = element.get(name);
    if (value === undefined || check(value)) return false;
  }
  return true;
};

const invalid = (faults: Fault[], truncated = false): SubmissionError => ({
  kind: 'invalid',
  faults,
  truncated,
});

/** What is wrong with a parsed body, or the number of its operations. */
const checkArray = (
  value: JsonValue,
  limits: SubmissionLimits,
  checks: MemberChecks,
): SubmissionError | number => {
  if (!Array.isArray(value)) return invalid([{ pointer: '#', code: 'type', detail: 'must be an array' }]);
  if (value.length === 0) return invalid([{ pointer: '#', code: 'minItems', detail: 'must not be empty' }]);
  if (value.length > limits.operations) {
    return {
      kind: 'too-many',
      detail: `${value.length} operations; at most ${limits.operations} are taken.`,
    };
  }
  const faults: Fault[] = [];
  for (const [index, element] of value.entries()) {
    if (isSound(element, checks)) continue;
    for (const fault of operationFaults(element, index, checks)) {
      if (faults.length === MOST_FAULTS) return invalid(faults, true);
      faults.push(fault);
    }
  }
  return faults.length > 0 ? invalid(faults) : value.length;
};

/** Reads a request body; keeps a reference to it, not a copy. */
export type ParseSubmission = (bytes: Buffer) => { submission: Submission } | { error: SubmissionError };

/**
 * Makes the reader of request bodies: strict UTF-8, strict JSON, then the rules of an operation. It returns the
 * submission, or everything that is wrong with it.
 */
export const submissionParser = (limits: SubmissionLimits): ParseSubmission => {
  const checks = memberChecks(limits);
  return (bytes) => {
    if (!isUtf8(bytes)) return { error: { kind: 'malformed', detail: 'The body is not UTF-8.' } };
    let value: JsonValue;
    try {
      value = parseStrictJson(bytes.toString('utf8'));
    } catch (error) {
      if (!(error instanceof JsonFault)) throw error;
      return { error: { kind: 'malformed', detail: `Malformed JSON: ${error.message}.` } };
    }
    const result = checkArray(value, limits, checks);
    return typeof result === 'number' ? { submission: { bytes, operations: result } } : { error: result };
  };
};
