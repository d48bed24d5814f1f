import { commonProblems, ProblemError } from '@workspace/service-kit';
import { fragmentStep } from '@workspace/schemas';
import { problems } from '../../problems.ts';
import {
  BACKSLASH,
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COLON,
  COMMA,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
} from '../../http/submit/json-bytes.ts';
import { sequenceIn } from '../../http/submit/submission-headers.ts';
import type { AnsweredLine } from './bulk-answer.ts';

/** A line of a stream: a submission and what the headers say of one that is sent alone. */
export interface BulkLine extends AnsweredLine {
  readonly key: string;
  /** name of the schema that the operations follow; undefined: what the stream follows */
  readonly schema: string | undefined;
  /** the array, byte for byte */
  readonly bytes: Buffer;
}

/** Which members a line can have beside those that every one can have. */
export interface BulkMembers {
  /** whether a line can name its schema */
  readonly withSchemas: boolean;
  /** whether a line can have a number */
  readonly withSequences: boolean;
}

/** The keys that an `Idempotency-Key` or `Partition-Key` header can have, without the quotes. */
export const KEY = /^[\x20-\x7e]{1,255}$/;
const KEY_DETAIL = 'It must be a text of 1 to 255 printable ASCII characters.';

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const afterSpace = (bytes: Buffer, at: number): number => {
  while (isSpace(bytes[at])) at += 1;
  return at;
};

const malformed = (at: number): ProblemError =>
  new ProblemError(commonProblems['malformed-json'], {
    detail: `The line is not a JSON object: unexpected at byte ${at + 1}.`,
  });

const invalid = (member: string, code: string, detail: string): ProblemError =>
  new ProblemError(problems['invalid-submission'], {
    errors: [{ pointer: `#${fragmentStep(member)}`, code, detail }],
  });

/** @returns index after the string whose quote is at `at`. @throws ProblemError 400 */
const afterString = (bytes: Buffer, at: number): number => {
  for (let end = at + 1; end < bytes.length; end += 1) {
    const byte = bytes[end];
    if (byte === QUOTE) return end + 1;
    if (byte === BACKSLASH) end += 1;
  }
  throw malformed(bytes.length);
};

/** @returns index after the value at `at`, whose inside is not checked. @throws ProblemError 400 */
const afterValue = (bytes: Buffer, at: number): number => {
  let depth = 0;
  for (let end = at; end < bytes.length; end += 1) {
    const byte = bytes[end];
    if (byte === QUOTE) {
      end = afterString(bytes, end) - 1;
      if (depth === 0) return end + 1;
    } else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) depth += 1;
    else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) {
      if (depth === 0) return end;
      depth -= 1;
      if (depth === 0) return end + 1;
    } else if (depth === 0 && (byte === COMMA || isSpace(byte))) return end;
  }
  throw malformed(bytes.length);
};

/** The text of the string in these bytes. @throws ProblemError 400 */
const textOf = (bytes: Buffer, start: number, end: number): string => {
  const text = bytes.toString('latin1', start + 1, end - 1);
  if (/^[\x20-\x5b\x5d-\x7e]*$/.test(text)) return text;
  try {
    return JSON.parse(bytes.toString('utf8', start, end)) as string;
  } catch {
    throw malformed(start);
  }
};

/**
 * Reads the object around a submission. The array itself is only cut out: whether it is JSON, and valid, is judged like the
 * body of a submission that is sent alone.
 * @throws ProblemError 400 or 422
 */
export const readLine = (
  number: number,
  bytes: Buffer,
  { withSchemas, withSequences }: BulkMembers,
): BulkLine => {
  const given = new Map<string, Buffer | string>();
  let at = afterSpace(bytes, 0);
  if (bytes[at] !== OPENING_BRACE) throw malformed(at);
  do {
    at = afterSpace(bytes, at + 1);
    if (bytes[at] !== QUOTE) throw malformed(at);
    const nameEnd = afterString(bytes, at);
    const name = textOf(bytes, at, nameEnd);
    at = afterSpace(bytes, nameEnd);
    if (bytes[at] !== COLON) throw malformed(at);
    at = afterSpace(bytes, at + 1);
    const end = afterValue(bytes, at);
    if (end === at) throw malformed(at);
    if (given.has(name)) throw invalid(name, 'duplicate', 'must be given once');
    if (name === 'operations') given.set(name, bytes.subarray(at, end));
    else if (withSequences && name === 'sequence') given.set(name, bytes.toString('latin1', at, end));
    else if (name !== 'key' && name !== 'partitionKey' && !(withSchemas && name === 'schema'))
      throw invalid(name, 'unknown', 'no such member');
    else if (bytes[at] !== QUOTE) throw invalid(name, 'type', 'must be a text');
    else given.set(name, textOf(bytes, at, end));
    at = afterSpace(bytes, end);
  } while (bytes[at] === COMMA);
  if (bytes[at] !== CLOSING_BRACE || afterSpace(bytes, at + 1) < bytes.length) throw malformed(at);

  const key = given.get('key') as string | undefined;
  const partitionKey = given.get('partitionKey') as string | undefined;
  const schema = given.get('schema') as string | undefined;
  const operations = given.get('operations') as Buffer | undefined;
  if (key === undefined) throw new ProblemError(problems['idempotency-key-missing']);
  if (!KEY.test(key)) throw new ProblemError(problems['bad-idempotency-key'], { detail: KEY_DETAIL });
  if (partitionKey !== undefined && !KEY.test(partitionKey)) {
    throw new ProblemError(problems['bad-partition-key'], { detail: KEY_DETAIL });
  }
  const sequence = sequenceIn(given.get('sequence') as string | undefined, partitionKey);
  if (operations === undefined) throw invalid('operations', 'required', 'operations is missing');
  return { number, key, partitionKey, sequence, schema, bytes: operations };
};
