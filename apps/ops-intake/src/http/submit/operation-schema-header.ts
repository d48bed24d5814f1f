import { ProblemError } from '@workspace/service-kit';
import type { OperationSchema } from '../../application/operation-schema.ts';
import type { Submission } from '../../domain/submission.ts';
import { problems } from '../../problems.ts';
import { type ReadSubmission, type SubmissionBodyLimits, submissionReader } from './submission-body.ts';

/** Reads a body with the schema that the client named, or with the first one. */
export type ReadWithSchema = (bytes: Buffer, name: string | undefined) => Submission | Promise<Submission>;

/**
 * Makes a reader for each schema in use.
 * @param schemas undefined without OPERATION_SCHEMA_FILE: then the header means nothing
 * @throws ProblemError 400, when it reads, for a name that no schema has
 */
export const readerWithSchemas = (
  limits: SubmissionBodyLimits,
  schemas: readonly OperationSchema[] | undefined,
): ReadWithSchema => {
  const readers = (schemas ?? []).map(({ name, type, own }): [string, ReadSubmission] => [
    name,
    submissionReader(limits, own && { names: { type, dataSchema: own.dataSchema }, rules: own.rules }),
  ]);
  const [[, first] = []] = readers;
  if (first === undefined) return submissionReader(limits);
  const byName = new Map(readers);
  const detail = `Operation-Schema may be ${[...byName.keys()].join(', ')}.`;
  return (bytes, name) => {
    const read = name === undefined ? first : byName.get(name);
    if (read === undefined) throw new ProblemError(problems['unknown-operation-schema'], { detail });
    return read(bytes);
  };
};
