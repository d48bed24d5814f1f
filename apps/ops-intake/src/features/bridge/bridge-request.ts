import { fragmentStep } from '@workspace/schemas';
import { commonProblems, ProblemError } from '@workspace/service-kit/problems';
import {
  afterSpace,
  eachItem,
  eachMember,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
  textOf,
  UnexpectedByte,
} from '../../http/submit/json-bytes.ts';
import { invalidSubmission } from '../../http/submit/problem-of-submission.ts';
import { KEY_TEXT } from '../../http/submit/submission-headers.ts';

/** One record of a request. */
export interface BridgeRecord {
  /** its `key` */
  readonly partitionKey: string | undefined;
  /** its `value`, byte for byte */
  readonly bytes: Buffer;
}

/** Each is a submission: as many are queued, looked up and answered at once. */
export const MAX_RECORDS = 1_000;

/** Takes the members of an object, each once, in any order. */
const membersOf = (
  bytes: Buffer,
  [start, end]: readonly [number, number],
  pointer: string,
  names: readonly string[],
): Map<string, readonly [number, number]> => {
  const found = new Map<string, readonly [number, number]>();
  if (bytes[start] !== OPENING_BRACE) throw invalidSubmission(pointer, 'type', 'must be an object');
  eachMember(bytes.subarray(0, end), start, (name, from, to) => {
    const at = `${pointer}${fragmentStep(name)}`;
    if (found.has(name)) throw invalidSubmission(at, 'duplicate', 'must be given once');
    if (!names.includes(name))
      throw invalidSubmission(at, 'unknown', `no such member; there are ${names.join(', ')}`);
    found.set(name, [from, to]);
  });
  return found;
};

const isNull = (bytes: Buffer, [start, end]: readonly [number, number]): boolean =>
  bytes.toString('latin1', start, end) === 'null';

const keyIn = (bytes: Buffer, range: readonly [number, number] | undefined, pointer: string) => {
  if (!range || isNull(bytes, range)) return undefined;
  const key = bytes[range[0]] === QUOTE ? textOf(bytes, ...range) : '';
  if (KEY_TEXT.test(key)) return key;
  throw invalidSubmission(
    `${pointer}/key`,
    'format',
    'must be a text of 1 to 255 printable ASCII characters, or null',
  );
};

/**
 * Reads the body of `POST /topics/{topic}` in version 2 of Confluent's API: `{"records":[{"key","value"}]}`. The values are only cut
 * out: whether they are submissions is judged like the body of one that is sent alone.
 * @throws ProblemError 400 or 422
 */
export const readRecords = (bytes: Buffer): readonly BridgeRecord[] => {
  try {
    const start = afterSpace(bytes, 0);
    if (start === bytes.length) throw new UnexpectedByte(start);
    const list = membersOf(bytes, [start, bytes.length], '#', ['records']).get('records');
    if (!list) throw invalidSubmission('#/records', 'required', 'records is missing');
    const [at, end] = list;
    // Nothing of an object is read behind its records, which are its only member.
    const rest = afterSpace(bytes, afterSpace(bytes, end) + 1);
    if (rest < bytes.length) throw new UnexpectedByte(rest);
    if (bytes[at] !== OPENING_BRACKET) throw invalidSubmission('#/records', 'type', 'must be an array');
    const records: BridgeRecord[] = [];
    eachItem(bytes, at, (from, to) => {
      if (records.length === MAX_RECORDS)
        throw invalidSubmission(
          '#/records',
          'size',
          `at most ${MAX_RECORDS} records; send the others in requests of their own`,
        );
      records.push(readRecord(bytes, [from, to], `#/records/${records.length}`));
    });
    if (records.length === 0) throw invalidSubmission('#/records', 'size', 'at least one record');
    return records;
  } catch (error) {
    if (!(error instanceof UnexpectedByte)) throw error;
    throw new ProblemError(commonProblems['malformed-json'], {
      detail: `The body is not a JSON object with records: ${error.message}.`,
    });
  }
};

const readRecord = (bytes: Buffer, range: readonly [number, number], pointer: string): BridgeRecord => {
  const members = membersOf(bytes, range, pointer, ['key', 'value', 'partition']);
  const partition = members.get('partition');
  if (partition && !isNull(bytes, partition))
    throw invalidSubmission(`${pointer}/partition`, 'value', 'must be null: the key decides the partition');
  const value = members.get('value');
  if (!value) throw invalidSubmission(`${pointer}/value`, 'required', 'value is missing');
  return { partitionKey: keyIn(bytes, members.get('key'), pointer), bytes: bytes.subarray(...value) };
};

/** The problem of one record's value, at its index in the request. */
export const inRecord = (error: unknown, index: number): unknown => {
  if (!(error instanceof ProblemError)) return error;
  const pointer = `#/records/${index}/value`;
  const { errors, detail = error.type.title } = error.options;
  return new ProblemError(error.type, {
    ...error.options,
    ...(errors
      ? { errors: errors.map((one) => ({ ...one, pointer: one.pointer.replace('#', pointer) })) }
      : { detail: `${pointer}: ${detail}` }),
  });
};
