import { Type } from '@sinclair/typebox';
import { commonProblems, ProblemError, type Service } from '@workspace/service-kit';
import { problems } from '../../problems.ts';
import { json } from '../cacheable.ts';
import { productSlug } from '../representations/endoflife.ts';
import {
  BranchSupport,
  EndoflifeCycleDetail,
  EndoflifeCycles,
  EndoflifeProduct,
} from '../schemas/endoflife.ts';
import type { Snapshot } from '../../application/snapshot.ts';
import { aliased } from './aliased.ts';
import { BranchParameter, knownBranch } from './known-branch.ts';
import { responder, type ResponseSource } from './respond.ts';

const tags = ['endoflife.date'];
const ProductParameter = Type.String({ pattern: '^[a-z0-9-]{1,100}$', examples: ['php'] });
const ProductParams = Type.Object({ product: ProductParameter });

const requireProduct = ({ catalogue }: Snapshot, name: string): void => {
  const known = productSlug(catalogue);
  if (name === known) return;
  throw new ProblemError(problems['unknown-product'], { detail: `The only product here is ${known}.` });
};

/** What a script asks of a branch. */
export const branchSupport = (
  app: Service,
  path: `${string}:branch${string}`,
  source: ResponseSource,
): void => {
  const respond = responder(source);
  const schema = {
    operationId: 'branchSupport',
    tags: ['api'],
    summary: 'Whether a branch is maintained, and its latest release, in one flat object',
    params: Type.Object({ branch: BranchParameter }),
    problems: [problems['unknown-branch'], commonProblems['not-found']],
    response: json(BranchSupport),
  };
  app.get(path, { schema }, (request, reply) =>
    respond(request, reply, ({ snapshot, responses }, { params }) =>
      responses.branchSupport(knownBranch(snapshot, params.branch)),
    ),
  );
};

/** endoflife.date's API v1, for one product. @param paths the documented one first */
export const endoflifeProduct = (
  app: Service,
  paths: readonly `${string}:product${string}`[],
  source: ResponseSource,
): void => {
  const respond = responder(source);
  const route = {
    operationId: 'endoflifeProduct',
    tags,
    summary: 'All branches in the shape of API v1 of endoflife.date',
    params: ProductParams,
    problems: [problems['unknown-product'], commonProblems['not-found']],
    response: json(EndoflifeProduct),
  };
  for (const [path, schema] of aliased(paths, route)) {
    app.get(path as `${string}:product`, { schema }, (request, reply) =>
      respond(request, reply, ({ snapshot, responses }, { params }) => {
        requireProduct(snapshot, params.product);
        return responses.endoflifeProduct;
      }),
    );
  }
};

/** endoflife.date's first API: all cycles of a product. */
export const endoflifeCycles = (
  app: Service,
  path: `${string}:product${string}`,
  source: ResponseSource,
): void => {
  const respond = responder(source);
  const schema = {
    operationId: 'endoflifeCycles',
    tags,
    summary: 'All branches in the shape that Renovate and older clients of endoflife.date read',
    params: ProductParams,
    problems: [problems['unknown-product'], commonProblems['not-found']],
    response: json(EndoflifeCycles),
  };
  app.get(path, { schema }, (request, reply) =>
    respond(request, reply, ({ snapshot, responses }, { params }) => {
      requireProduct(snapshot, params.product);
      return responses.endoflifeCycles;
    }),
  );
};

/** endoflife.date's first API: one cycle. */
export const endoflifeCycle = (
  app: Service,
  path: `${string}:product${string}:branch${string}`,
  source: ResponseSource,
): void => {
  const respond = responder(source);
  const schema = {
    operationId: 'endoflifeCycle',
    tags,
    summary: 'One branch in the shape that older clients of endoflife.date read',
    params: Type.Object({ product: ProductParameter, branch: BranchParameter }),
    problems: [problems['unknown-product'], problems['unknown-branch'], commonProblems['not-found']],
    response: json(EndoflifeCycleDetail),
  };
  app.get(path, { schema }, (request, reply) =>
    respond(request, reply, ({ snapshot, responses }, { params }) => {
      requireProduct(snapshot, params.product);
      const found = responses.endoflifeCycle(params.branch);
      if (found) return found;
      throw new ProblemError(problems['unknown-branch'], {
        detail: `Branch ${params.branch} is not on record.`,
      });
    }),
  );
};
