import { Type } from '@sinclair/typebox';
import { ProblemError } from '@workspace/service-kit/problems';
import type { BranchFile } from '@workspace/release-catalogue';
import { problems } from '../../problems.ts';
import type { Snapshot } from '../../application/snapshot.ts';

/** A branch in a path or a query. */
export const BranchParameter = Type.String({ pattern: '^\\d{1,9}\\.\\d{1,9}$', examples: ['8.4'] });

/** A query that may name a branch. */
export const OptionalBranch = Type.Object({ branch: Type.Optional(BranchParameter) });

/**
 * The branch of that name.
 * @throws ProblemError when it is not on record
 */
export const knownBranch = ({ catalogue }: Snapshot, name: string): BranchFile => {
  const branch = catalogue.branches.find((candidate) => candidate.branch === name);
  if (branch) return branch;
  const names = catalogue.branches.map((candidate) => candidate.branch).join(', ');
  throw new ProblemError(problems['unknown-branch'], {
    detail: `There is no PHP ${name}. Branches: ${names}.`,
  });
};

/** The same where a query need not name one. @throws ProblemError when it names one that is not on record */
export const knownBranchOfQuery = (
  snapshot: Snapshot,
  { branch }: { branch?: string },
): BranchFile | undefined => (branch === undefined ? undefined : knownBranch(snapshot, branch));
