import type { Service } from '@workspace/service-kit';
import type { Answers } from '../../http/rendering/answers.ts';
import { json } from '../../http/rendering/cacheable.ts';
import { jsonRepresentation } from '../../http/rendering/checked-json.ts';
import { BranchParameter } from '../../http/rendering/known-branch.ts';
import { cycleOf, cyclesOf, productSlug } from './cycles.ts';
import { cycleRoute, productRoute, tags } from './product-route.ts';
import { EndoflifeCycleDetail, EndoflifeCycles, EndoflifeProductNames } from './schemas.ts';

/** endoflife.date's first API, which Renovate and older clients read. */
export const firstApi = (app: Service, answers: Answers): void => {
  const { baseUrl } = answers.site;
  const names = answers.prepare(({ catalogue }) =>
    jsonRepresentation(EndoflifeProductNames, [productSlug(catalogue)]).popular(),
  );
  const schema = {
    operationId: 'endoflifeProductNames',
    tags,
    summary: 'The names of the products, which is one, for older clients of endoflife.date',
    response: json(EndoflifeProductNames),
  };
  // Clients read it before anything else.
  app.get('/api/all.json', { schema }, (request, reply) => answers.respond(request, reply, names));
  productRoute(app, '/api/:product(^[a-z0-9-]+).json', answers, {
    operationId: 'endoflifeCycles',
    summary: 'All branches in the shape that Renovate and older clients of endoflife.date read',
    schema: EndoflifeCycles,
    make: ({ catalogue, builtAt }) =>
      jsonRepresentation(EndoflifeCycles, cyclesOf(catalogue, builtAt, baseUrl)),
  });
  cycleRoute(app, '/api/:product/:branch(^\\d+\\.\\d+).json', answers, {
    operationId: 'endoflifeCycle',
    summary: 'One branch in the shape that older clients of endoflife.date read',
    schema: EndoflifeCycleDetail,
    parameter: { branch: BranchParameter },
    make: ({ catalogue, builtAt }, name) => {
      const cycle = cycleOf(catalogue, name, builtAt, baseUrl);
      return cycle && jsonRepresentation(EndoflifeCycleDetail, cycle);
    },
  });
};
