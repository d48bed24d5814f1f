import { commonProblems, ProblemError } from '@workspace/service-kit/problems';
import type { Submission } from '../../domain/submission.ts';
import type { ReadWithSchema } from '../../http/submit/operation-schemas.ts';
import type { AnsweredLine } from './bulk-answer.ts';
import { type BulkLine, type BulkMembers, readLine } from './bulk-line.ts';
import type { BulkText } from './line-splitter.ts';

export interface LineReaderOptions {
  readonly readSubmission: ReadWithSchema;
  readonly members: BulkMembers;
  /** name of the schema of the lines that name none */
  readonly schema: string | undefined;
}

/** A submission, or what is wrong with it. */
export type SubmissionLine =
  | { readonly line: BulkLine; readonly submission: Submission; readonly problem?: undefined }
  | { readonly line: AnsweredLine; readonly problem: ProblemError };

export const asProblem = (error: unknown): ProblemError => {
  if (error instanceof ProblemError) return error;
  throw error;
};

/** The violations of a submission, by their position in its line. */
const inLine = (error: unknown): ProblemError => {
  const problem = asProblem(error);
  const { errors } = problem.options;
  if (!errors) return problem;
  return new ProblemError(problem.type, {
    ...problem.options,
    errors: errors.map((one) => ({ ...one, pointer: one.pointer.replace('#', '#/operations') })),
  });
};

const lineOf = (
  { number, chunk, start, end }: BulkText,
  lineBytes: number,
  members: BulkMembers,
): SubmissionLine | BulkLine => {
  const bytes = chunk?.subarray(start, end);
  try {
    if (bytes) return readLine(number, bytes, members);
    const detail = `A line has at most ${lineBytes} bytes.`;
    return {
      line: { number, key: undefined },
      problem: new ProblemError(commonProblems['body-too-large'], { detail }),
    };
  } catch (error) {
    return { line: { number, key: undefined, bytes }, problem: asProblem(error) };
  }
};

/**
 * Reads any line. One that is written like nearly all is read faster by `readPlainLine`.
 * @param lineBytes most that a line may have
 */
export const readSubmissionLine = (
  text: BulkText,
  lineBytes: number,
  options: LineReaderOptions,
): SubmissionLine | Promise<SubmissionLine> => {
  const line = lineOf(text, lineBytes, options.members);
  if ('line' in line) return line;
  const refused = (error: unknown): SubmissionLine => ({ line, problem: inLine(error) });
  try {
    const read = options.readSubmission(line.bytes, line.schema ?? options.schema);
    if (!(read instanceof Promise)) return { line, submission: read };
    return read.then((submission) => ({ line, submission }), refused);
  } catch (error) {
    return refused(error);
  }
};
