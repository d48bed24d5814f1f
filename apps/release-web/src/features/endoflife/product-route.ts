import { type TSchema, type TString, Type } from '@sinclair/typebox';
import { commonProblems, defineProblems, ProblemError } from '@workspace/service-kit/problems';
import type { Snapshot } from '../../application/snapshot.ts';
import type { Answers } from '../../http/rendering/answers.ts';
import { json } from '../../http/rendering/cacheable.ts';
import type { Representation } from '../../http/rendering/representation.ts';
import { problems } from '../../problems.ts';
import { productSlug } from './cycles.ts';

export const endoflifeProblems = defineProblems({
  'unknown-product': { status: 404, title: 'Unknown product', advice: 'Use `php`' },
});

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

export interface RouteDescription {
  readonly operationId: string;
  readonly summary: string;
  readonly schema: TSchema;
}

/** What the schemas of all routes have in common. */
export const schemaOf = ({ operationId, summary, schema }: RouteDescription) => ({
  operationId,
  tags: ['endoflife.date'],
  summary,
  response: json(schema),
});

/** What is known about a product. */
export const productRoute = (
  answers: Answers,
  path: `${string}:product${string}`,
  description: RouteDescription,
  make: (snapshot: Snapshot) => Representation,
): void =>
  answers.route(
    path,
    {
      ...schemaOf(description),
      params: Type.Object({ product }),
      problems: [endoflifeProblems['unknown-product'], commonProblems['not-found']],
    },
    (snapshot) => {
      const answer = make(snapshot).popular();
      return ({ params }) => {
        requireProduct(snapshot, params.product);
        return answer;
      };
    },
  );

/**
 * One release cycle of a product.
 * @param parameter that names the release cycle, as in the path
 * @param make undefined for a release cycle that is not listed
 */
export const cycleRoute = (
  answers: Answers,
  path: `${string}:product${string}`,
  description: RouteDescription,
  parameter: Readonly<Record<string, TString>>,
  make: (snapshot: Snapshot, name: string) => Representation | undefined,
): void =>
  answers.route(
    path,
    {
      ...schemaOf(description),
      params: Type.Object({ product, ...parameter }),
      problems: [
        endoflifeProblems['unknown-product'],
        problems['unknown-branch'],
        commonProblems['not-found'],
      ],
    },
    (snapshot, cache) => (asked) => {
      const { product: productName = '', ...others } = asked.params as Record<string, string>;
      requireProduct(snapshot, productName);
      const [name = ''] = Object.values(others);
      const found = cache.get(`${path} ${name}`, () => make(snapshot, name));
      if (found) return found;
      throw new ProblemError(problems['unknown-branch'], { detail: `There is no PHP ${name}.` });
    },
  );
