import { ProblemError } from '@workspace/service-kit/problems';
import type { OperationSchema } from '../../application/operation-schema.ts';
import type { ReadWithSchema } from '../../http/submit/operation-schemas.ts';
import {
  type ReadSubmission,
  type SubmissionBodyLimits,
  submissionReader,
} from '../../http/submit/submission-body.ts';
import { ownSchemaProblems } from './problems.ts';

/**
 * Makes a reader for each schema in use.
 * @throws ProblemError 400, when it reads, for a name that no schema has
 */
export const readerWithSchemas = (
  limits: SubmissionBodyLimits,
  schemas: readonly OperationSchema[],
): ReadWithSchema => {
  const readers = schemas.map(({ name, type, own }): [string, ReadSubmission] => [
    name,
    submissionReader(limits, own && { names: { type, dataSchema: own.dataSchema }, rules: own.rules }),
  ]);
  const [[, first] = []] = readers;
  if (first === undefined) throw new Error('there must be a schema');
  const byName = new Map(readers);
  const detail = `Operation-Schema may be ${[...byName.keys()].join(', ')}.`;
  return (bytes, name) => {
    const read = name === undefined ? first : byName.get(name);
    if (read === undefined) throw new ProblemError(ownSchemaProblems['unknown-operation-schema'], { detail });
    return read(bytes);
  };
};
