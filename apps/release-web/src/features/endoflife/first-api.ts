import type { Answers } from '../../http/rendering/answers.ts';
import { jsonRepresentation } from '../../http/rendering/checked-json.ts';
import { BranchParameter } from '../../http/rendering/known-branch.ts';
import { cyclesOf, productSlug } from './cycles.ts';
import { cycleRoute, productRoute, schemaOf } from './product-route.ts';
import { EndoflifeCycleDetail, EndoflifeCycles, EndoflifeProductNames } from './schemas.ts';

/** endoflife.date's first API, which Renovate and older clients read. */
export const firstApi = (answers: Answers): void => {
  const { baseUrl } = answers.site;
  // Clients read it before anything else.
  answers.route(
    '/api/all.json',
    schemaOf({
      operationId: 'endoflifeProductNames',
      summary: 'The names of the products, which is one, for older clients of endoflife.date',
      schema: EndoflifeProductNames,
    }),
    ({ catalogue }) => jsonRepresentation(EndoflifeProductNames, [productSlug(catalogue)]).popular(),
  );
  productRoute(
    answers,
    '/api/:product(^[a-z0-9-]+).json',
    {
      operationId: 'endoflifeCycles',
      summary: 'All branches in the shape that Renovate and older clients of endoflife.date read',
      schema: EndoflifeCycles,
    },
    ({ catalogue, builtAt }) => jsonRepresentation(EndoflifeCycles, cyclesOf(catalogue, builtAt, baseUrl)),
  );
  cycleRoute(
    answers,
    '/api/:product/:branch(^\\d+\\.\\d+).json',
    {
      operationId: 'endoflifeCycle',
      summary: 'One branch in the shape that older clients of endoflife.date read',
      schema: EndoflifeCycleDetail,
    },
    { branch: BranchParameter },
    ({ catalogue, builtAt }, name) => {
      const found = cyclesOf(catalogue, builtAt, baseUrl).find(({ cycle }) => cycle === name);
      if (!found) return undefined;
      const { cycle: _, ...detail } = found;
      return jsonRepresentation(EndoflifeCycleDetail, detail);
    },
  );
};
