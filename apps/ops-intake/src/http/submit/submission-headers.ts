import type { IncomingMessage } from 'node:http';
import { ProblemError, type ProblemType } from '@workspace/service-kit/problems';
import { SEQUENCE_PATTERN } from '../../domain/sequence.ts';
import { problems } from '../../problems.ts';

const QUOTED = '"((?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\["\\\\]){1,255})"';
const BARE = '[\\x21\\x23-\\x2b\\x2d-\\x7e]{1,255}';
/** What an `Idempotency-Key` or `Partition-Key` header may be, as a regular expression. */
export const KEY_PATTERN = `^(?:${QUOTED}|${BARE})$`;
const KEY = new RegExp(KEY_PATTERN);
/** What such a key is without the quotes, as bodies have it. */
export const KEY_TEXT = /^[\x20-\x7e]{1,255}$/;
const DETAIL = 'It must be 1 to 255 printable ASCII characters, in double quotes or without any.';

/**
 * The key inside an `Idempotency-Key` header: a structured-field string (draft-ietf-httpapi-idempotency-key-header-07),
 * or the same without quotes, as most clients send it. Undefined when it is neither, empty, or longer than 255.
 */
export const idempotencyKey = (header: string): string | undefined => {
  const match = KEY.exec(header);
  return match ? (match[1]?.replace(/\\(["\\])/g, '$1') ?? header) : undefined;
};

const ONE_SUBMISSION = /^\/operations(?:\?|$)/;

/** Whether a request is for a single submission, of which its headers say more. */
export const isForOne = ({ url = '' }: IncomingMessage): boolean => ONE_SUBMISSION.test(url);

/**
 * Whether nothing of a request is in the log when it is rejected before its key is looked up. An earlier request may have published
 * a submission with that key, lines of a stream, or what a status query asks about.
 */
export const isUnpublished = (request: IncomingMessage): boolean =>
  isForOne(request) && idempotencyKey(String(request.headers['idempotency-key'] ?? '')) === undefined;

const keyIn =
  (problem: ProblemType) =>
  (header: string | undefined): string | undefined => {
    if (header === undefined) return undefined;
    const key = idempotencyKey(header);
    if (key === undefined) throw new ProblemError(problem, { detail: DETAIL });
    return key;
  };

/**
 * The Idempotency-Key of a request; undefined when it has none.
 * @throws ProblemError 400 for a header that is not a key
 */
export const idempotencyKeyIn = keyIn(problems['bad-idempotency-key']);

/**
 * The Partition-Key of a request, written like an Idempotency-Key; undefined when it has none.
 * @throws ProblemError 400 for a header that is not a key
 */
export const partitionKeyIn = keyIn(problems['bad-partition-key']);

const SEQUENCE = new RegExp(SEQUENCE_PATTERN);

/** The number in a `Sequence` header; undefined when the header is not valid. */
export const sequenceNumber = (header: string): number | undefined =>
  SEQUENCE.test(header) ? Number(header) : undefined;

/**
 * The Sequence of a request; undefined when it has none.
 * @throws ProblemError 400 for a header that is not a number, or without a Partition-Key
 */
export const sequenceIn = (
  header: string | undefined,
  partitionKey: string | undefined,
): number | undefined => {
  if (header === undefined) return undefined;
  const sequence = sequenceNumber(header);
  if (sequence === undefined) {
    const detail = 'It must be a whole number of 0 or more, with up to 15 digits and no leading zeros.';
    throw new ProblemError(problems['bad-sequence'], { detail });
  }
  if (partitionKey === undefined) {
    const detail = 'A Sequence needs a Partition-Key, because each Partition-Key is numbered separately.';
    throw new ProblemError(problems['bad-sequence'], { detail });
  }
  return sequence;
};
