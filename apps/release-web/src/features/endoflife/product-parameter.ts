import { Type } from '@sinclair/typebox';
import { ProblemError } from '@workspace/service-kit';
import type { Snapshot } from '../../application/snapshot.ts';
import { problems } from '../../problems.ts';
import { productSlug } from './cycles.ts';
import { endoflifeProblems } from './problems.ts';

/** A product in a path. */
export const ProductParameter = Type.String({ pattern: '^[a-z0-9-]{1,100}$', examples: ['php'] });

/** @throws ProblemError when it is another product than the one here */
export const requireProduct = ({ catalogue }: Snapshot, name: string): void => {
  const known = productSlug(catalogue);
  if (name === known) return;
  throw new ProblemError(endoflifeProblems['unknown-product'], {
    detail: `The only product here is ${known}.`,
  });
};

/** The problem of a release cycle that is not listed. */
export const unknownCycle = (name: string): ProblemError =>
  new ProblemError(problems['unknown-branch'], { detail: `Branch ${name} is not on record.` });
