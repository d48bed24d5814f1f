import { type TSchema, type TString, Type } from '@sinclair/typebox';
import type { Service } from '@workspace/service-kit';
import { commonProblems, ProblemError } from '@workspace/service-kit/problems';
import type { Snapshot } from '../../application/snapshot.ts';
import type { Answers } from '../../http/rendering/answers.ts';
import { json } from '../../http/rendering/cacheable.ts';
import type { Representation } from '../../http/rendering/representation.ts';
import { problems } from '../../problems.ts';
import { productSlug } from './cycles.ts';
import { endoflifeProblems } from './problems.ts';

/** The tag of all routes. */
export const tags = ['endoflife.date'];

/** A product in a path. */
const product = Type.String({ pattern: '^[a-z0-9-]{1,100}$', examples: ['php'] });

/** @throws ProblemError when it is another product than the one here */
const requireProduct = ({ catalogue }: Snapshot, name: string): void => {
  const known = productSlug(catalogue);
  if (name === known) return;
  throw new ProblemError(endoflifeProblems['unknown-product'], {
    detail: `The only product here is ${known}.`,
  });
};

interface ProductRoute {
  readonly operationId: string;
  readonly summary: string;
  readonly schema: TSchema;
  readonly make: (snapshot: Snapshot) => Representation;
}

/** What is known about a product. */
export const productRoute = (
  app: Service,
  path: `${string}:product${string}`,
  answers: Answers,
  { operationId, summary, schema, make }: ProductRoute,
): void => {
  const answer = answers.prepare((snapshot) => make(snapshot).popular());
  const route = {
    operationId,
    tags,
    summary,
    params: Type.Object({ product }),
    problems: [endoflifeProblems['unknown-product'], commonProblems['not-found']],
    response: json(schema),
  };
  app.get(path, { schema: route }, (request, reply) =>
    answers.respond(request, reply, (current, { params }) => {
      requireProduct(current.snapshot, params.product);
      return answer(current);
    }),
  );
};

interface CycleRoute extends Omit<ProductRoute, 'make'> {
  /** that names the release cycle, as in the path */
  readonly parameter: Readonly<Record<string, TString>>;
  /** undefined for a release cycle that is not listed */
  readonly make: (snapshot: Snapshot, name: string) => Representation | undefined;
}

/** One release cycle of a product. */
export const cycleRoute = (
  app: Service,
  path: `${string}:product${string}`,
  answers: Answers,
  { operationId, summary, schema, parameter, make }: CycleRoute,
): void => {
  const answer = answers.prepare(
    (snapshot, cache) => (name: string) => cache.get(`${path} ${name}`, () => make(snapshot, name)),
  );
  const route = {
    operationId,
    tags,
    summary,
    params: Type.Object({ product, ...parameter }),
    problems: [endoflifeProblems['unknown-product'], problems['unknown-branch'], commonProblems['not-found']],
    response: json(schema),
  };
  app.get(path, { schema: route }, (request, reply) =>
    answers.respond(request, reply, (current, { params }) => {
      const { product: productName = '', ...others } = params as Record<string, string>;
      requireProduct(current.snapshot, productName);
      const [name = ''] = Object.values(others);
      const found = answer(current)(name);
      if (found) return found;
      throw new ProblemError(problems['unknown-branch'], { detail: `There is no PHP ${name}.` });
    }),
  );
};
