import { isUtf8 } from 'node:buffer';
import { yieldToEventLoop } from '@workspace/http-connections';
import { commonProblems, ProblemError } from '@workspace/service-kit/problems';
import {
  type OperationRules,
  type SchemaNames,
  type Submission,
  SubmissionCheck,
  type SubmissionError,
  type SubmissionLimits,
} from '../../domain/submission.ts';
import { problems } from '../../problems.ts';
import { PlainReader } from './plain-submission.ts';
import { JsonSyntaxError, StrictJsonParser } from './strict-json.ts';

export interface SubmissionBodyLimits extends SubmissionLimits {
  /** most bytes of a submission that fit into one Kafka message */
  messageBytes: number;
}

/**
 * Reads the body of a request; keeps a reference to it, not a copy. A large body is read in later iterations of the event loop.
 * @throws ProblemError, or rejects with it: 400, 413 or 422
 */
export type ReadSubmission = (bytes: Buffer) => Submission | Promise<Submission>;

/** A schema of OPERATION_SCHEMA_FILE: the strict parser reads what its rules judge. */
export interface OwnRules {
  readonly names: SchemaNames;
  readonly rules: OperationRules;
}

/** Reads a submission that is written plainly; undefined for any other, and for what is not valid. */
export type ReadPlainSubmission = (bytes: Buffer) => Submission | undefined;

/** Larger bodies are read later, one after the other: that is a millisecond's work or more. */
const AT_ONCE_BYTES = 65_536;
/** Characters that the strict parser reads in one iteration of the event loop: one to two milliseconds. */
const CHARACTERS_AT_ONCE = 32_768;

/**
 * Makes the reader of request bodies. Nearly all are valid and written plainly, and are only walked through; the others get
 * strict UTF-8, strict JSON and the rules of a submission, which decide and say what is wrong.
 * @param own what operations must be like instead of what the built-in schema says
 */
export const submissionReader = (limits: SubmissionBodyLimits, own?: OwnRules): ReadSubmission => {
  const submission = (bytes: Buffer, operations: number): Submission => {
    if (bytes.length <= limits.messageBytes)
      return own ? { bytes, operations, schema: own.names } : { bytes, operations };
    const detail = `${bytes.length} bytes; at most ${limits.messageBytes} fit into one message.`;
    throw new ProblemError(problems['message-too-large'], { detail });
  };
  const plain = own ? undefined : new PlainReader(limits);

  const readLarge = async (bytes: Buffer): Promise<Submission> => {
    await yieldToEventLoop();
    let operations = plain?.count(bytes);
    if (operations === undefined) {
      await yieldToEventLoop();
      const strict = new StrictReader(bytes, limits, own?.rules);
      while (!strict.advance(CHARACTERS_AT_ONCE)) await yieldToEventLoop();
      operations = strict.operations();
    }
    return submission(bytes, operations);
  };

  return (bytes) => {
    if (bytes.length > AT_ONCE_BYTES) return readLarge(bytes);
    return submission(bytes, plain?.count(bytes) ?? countStrictly(bytes, limits, own?.rules));
  };
};

/** Makes a reader of most submissions of the built-in schema, at once and without a problem: what it does not read is for `submissionReader`. */
export const plainSubmissionReader = (limits: SubmissionBodyLimits): ReadPlainSubmission => {
  const plain = new PlainReader(limits);
  return (bytes) => {
    if (bytes.length > AT_ONCE_BYTES || bytes.length > limits.messageBytes) return undefined;
    const operations = plain.count(bytes);
    return operations === undefined ? undefined : { bytes, operations };
  };
};

/** Counts the operations of any body. @throws ProblemError 400, 413 or 422: the first thing that is wrong */
export const countStrictly = (bytes: Buffer, limits: SubmissionLimits, rules?: OperationRules): number => {
  const strict = new StrictReader(bytes, limits, rules);
  strict.advance(Infinity);
  return strict.operations();
};

/** Reads one body strictly, in parts. */
class StrictReader {
  readonly #parser: StrictJsonParser;
  readonly #check: SubmissionCheck;

  /** @throws ProblemError 400 for what is not UTF-8 */
  constructor(bytes: Buffer, limits: SubmissionLimits, rules?: OperationRules) {
    if (!isUtf8(bytes)) throw malformed('The body is not UTF-8.');
    const check = new SubmissionCheck(limits, rules);
    this.#check = check;
    this.#parser = new StrictJsonParser(bytes.toString('utf8'), {
      onElement: (element) => check.element(element),
    });
  }

  /** @returns whether the body is read to its end. @throws ProblemError 400 */
  advance(characters: number): boolean {
    try {
      return this.#parser.advance(this.#parser.at + characters);
    } catch (error) {
      throw error instanceof JsonSyntaxError ? malformed(`The body is not JSON: ${error.message}.`) : error;
    }
  }

  /** The number of operations, once the body is read. @throws ProblemError 413 or 422 */
  operations(): number {
    const result = this.#check.result(this.#parser.value);
    if (typeof result === 'number') return result;
    throw problemOfSubmission(result);
  }
}

const malformed = (detail: string): ProblemError =>
  new ProblemError(commonProblems['malformed-json'], { detail });

const problemOfSubmission = (error: SubmissionError): ProblemError => {
  if (error.type === 'too-many') {
    return new ProblemError(problems['too-many-operations'], { detail: error.detail });
  }
  return new ProblemError(problems['invalid-submission'], {
    errors: error.violations,
    ...(error.truncated && { members: { errorsTruncated: true } }),
  });
};
