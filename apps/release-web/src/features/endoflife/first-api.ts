import { Type } from '@sinclair/typebox';
import { commonProblems, type Service } from '@workspace/service-kit';
import { problems } from '../../problems.ts';
import type { Answers } from '../../http/rendering/answers.ts';
import { json } from '../../http/rendering/cacheable.ts';
import { jsonRepresentation } from '../../http/rendering/checked-json.ts';
import { BranchParameter } from '../../http/rendering/known-branch.ts';
import { cycleOf, cyclesOf, productSlug } from './cycles.ts';
import { endoflifeProblems } from './problems.ts';
import { ProductParameter, requireProduct, unknownCycle } from './product-parameter.ts';
import { EndoflifeCycleDetail, EndoflifeCycles, EndoflifeProductNames } from './schemas.ts';

const tags = ['endoflife.date'];
const ProductParams = Type.Object({ product: ProductParameter });

/** endoflife.date's first API: the names of all products, which clients read before anything else. */
export const endoflifeProductNames = (app: Service, path: string, answers: Answers): void => {
  const answer = answers.prepare(({ catalogue }) =>
    jsonRepresentation(EndoflifeProductNames, [productSlug(catalogue)]).popular(),
  );
  const schema = {
    operationId: 'endoflifeProductNames',
    tags,
    summary: 'The names of the products, which is one, for older clients of endoflife.date',
    response: json(EndoflifeProductNames),
  };
  app.get(path, { schema }, (request, reply) => answers.respond(request, reply, answer));
};

/** endoflife.date's first API: all cycles of a product. */
export const endoflifeCycles = (app: Service, path: `${string}:product${string}`, answers: Answers): void => {
  const answer = answers.prepare(({ catalogue, builtAt }) =>
    jsonRepresentation(EndoflifeCycles, cyclesOf(catalogue, builtAt, answers.site.baseUrl)).popular(),
  );
  const schema = {
    operationId: 'endoflifeCycles',
    tags,
    summary: 'All branches in the shape that Renovate and older clients of endoflife.date read',
    params: ProductParams,
    problems: [endoflifeProblems['unknown-product'], commonProblems['not-found']],
    response: json(EndoflifeCycles),
  };
  app.get(path, { schema }, (request, reply) =>
    answers.respond(request, reply, (current, { params }) => {
      requireProduct(current.snapshot, params.product);
      return answer(current);
    }),
  );
};

/** endoflife.date's first API: one cycle. */
export const endoflifeCycle = (
  app: Service,
  path: `${string}:product${string}:branch${string}`,
  answers: Answers,
): void => {
  const answer = answers.prepare(
    ({ catalogue, builtAt }, cache) =>
      (branch: string) =>
        cache.get(`endoflife ${branch}`, () => {
          const cycle = cycleOf(catalogue, branch, builtAt, answers.site.baseUrl);
          return cycle && jsonRepresentation(EndoflifeCycleDetail, cycle);
        }),
  );
  const schema = {
    operationId: 'endoflifeCycle',
    tags,
    summary: 'One branch in the shape that older clients of endoflife.date read',
    params: Type.Object({ product: ProductParameter, branch: BranchParameter }),
    problems: [endoflifeProblems['unknown-product'], problems['unknown-branch'], commonProblems['not-found']],
    response: json(EndoflifeCycleDetail),
  };
  app.get(path, { schema }, (request, reply) =>
    answers.respond(request, reply, (current, { params }) => {
      requireProduct(current.snapshot, params.product);
      const found = answer(current)(params.branch);
      if (found) return found;
      throw unknownCycle(params.branch);
    }),
  );
};
