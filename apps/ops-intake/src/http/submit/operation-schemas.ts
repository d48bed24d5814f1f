import type { TSchema } from '@sinclair/typebox';
import type { OperationSchema } from '../../application/operation-schema.ts';
import type { Submission, SubmissionLimits } from '../../domain/submission.ts';
import type { SubmissionBodyLimits } from './submission-body.ts';

/** Reads a body with the schema that the client named, or with the first one. @throws ProblemError */
export type ReadWithSchema = (bytes: Buffer, name: string | undefined) => Submission | Promise<Submission>;

/** Schemas of which clients choose one for their operations, instead of the built-in one alone. */
export interface OperationSchemas {
  /** in the order of preference, at least one */
  readonly all: readonly OperationSchema[];
  /** describes the header that names one */
  readonly header: TSchema;
  /** describes a body that follows one of them */
  bodyOf(limits: SubmissionLimits): TSchema;
  readerOf(limits: SubmissionBodyLimits): ReadWithSchema;
}
