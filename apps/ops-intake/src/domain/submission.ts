import { fragmentStep } from '@workspace/schemas';
import type { DecimalLimits } from './decimal.ts';
import type { JsonValue } from './json-value.ts';
import { MEMBERS } from './operation.ts';

/** The array of operations of one request, checked whole. */
export interface Submission {
  /** the JSON array exactly as it came: every byte of the record was written by the client */
  readonly bytes: Buffer;
  readonly operations: number;
  /** what was chosen from OPERATION_SCHEMA_FILE; undefined for the built-in schema */
  readonly schema?: SchemaNames | undefined;
}

/** What a record says of the schema of its value. */
export interface SchemaNames {
  /** `ce_type` of the records */
  readonly type: string;
  /** `ce_dataschema` of the records: a URI */
  readonly dataSchema: string;
}

/** One broken rule, in the shape of a problem's `errors[]`. */
export interface Violation {
  /** JSON Pointer as a URI fragment, `#/3/unit-cost` */
  pointer: string;
  code: string;
  detail: string;
}

export type SubmissionError =
  { type: 'too-many'; detail: string } | { type: 'invalid'; violations: Violation[]; truncated: boolean };

export interface SubmissionLimits extends DecimalLimits {
  /** most operations in one submission */
  operations: number;
}

/** More than a person reads; the answer says that there were more. */
const MAX_VIOLATIONS = 100;

/** What is wrong with the element of a submission that has this index. */
export type OperationRules = (element: JsonValue, index: number) => Iterable<Violation>;

export const NO_VIOLATIONS: readonly Violation[] = [];

/** The rules of the built-in schema, as `operation.ts` has them. */
const builtInRules =
  (limits: DecimalLimits): OperationRules =>
  (element, index) =>
    isSound(element, limits) ? NO_VIOLATIONS : operationViolations(element, `#/${index}`, limits);

/** Yields the violations of one element of the array. */
function* operationViolations(
  element: JsonValue,
  pointer: string,
  limits: DecimalLimits,
): Generator<Violation> {
  if (!(element instanceof Map)) {
    yield { pointer, code: 'type', detail: 'must be an object' };
    return;
  }
  for (const [name, { check }] of MEMBERS) {
    const value = element.get(name);
    const violation =
      value === undefined ? { code: 'required', detail: `${name} is missing` } : check(value, limits);
    if (violation) yield { pointer: `${pointer}/${name}`, ...violation };
  }
  for (const name of element.keys()) {
    if (MEMBERS.has(name)) continue;
    yield { pointer: pointer + fragmentStep(name), code: 'unknown', detail: 'no such member' };
  }
}

const isSound = (element: JsonValue, limits: DecimalLimits): boolean => {
  if (!(element instanceof Map) || element.size !== MEMBERS.size) return false;
  for (const [name, { check }] of MEMBERS) {
    const value = element.get(name);
    if (value === undefined || check(value, limits)) return false;
  }
  return true;
};

const invalid = (violations: Violation[], truncated = false): SubmissionError => ({
  type: 'invalid',
  violations,
  truncated,
});

/**
 * The rules of a submission: a non-empty array, within limits, of operations as its schema has them. It checks one element
 * after the other, so that a large array need not be kept.
 */
export class SubmissionCheck {
  #operations = 0;
  #truncated = false;
  readonly #violations: Violation[] = [];
  readonly #limits: SubmissionLimits;
  readonly #rules: OperationRules;

  constructor(limits: SubmissionLimits, rules = builtInRules(limits)) {
    this.#limits = limits;
    this.#rules = rules;
  }

  /** Checks the next element of the array. */
  element(element: JsonValue): void {
    const index = this.#operations;
    this.#operations += 1;
    if (index >= this.#limits.operations || this.#truncated) return;
    for (const violation of this.#rules(element, index)) {
      this.#truncated = this.#violations.length === MAX_VIOLATIONS;
      if (this.#truncated) return;
      this.#violations.push(violation);
    }
  }

  /**
   * @param body the parsed body; when it is an array, `element` was called with each of its elements
   * @returns the number of operations, or what is wrong
   */
  result(body: JsonValue): number | SubmissionError {
    const { operations: most } = this.#limits;
    if (!Array.isArray(body)) return invalid([{ pointer: '#', code: 'type', detail: 'must be an array' }]);
    if (this.#operations === 0)
      return invalid([{ pointer: '#', code: 'minItems', detail: 'must not be empty' }]);
    if (this.#operations > most)
      return { type: 'too-many', detail: `${this.#operations} operations; at most ${most} are taken.` };
    return this.#violations.length > 0 ? invalid(this.#violations, this.#truncated) : this.#operations;
  }
}
