import { type TSchema, Type } from '@sinclair/typebox';
import type { Service } from '@workspace/service-kit';
import { commonProblems, ProblemError } from '@workspace/service-kit/problems';
import type { Snapshot } from '../../application/snapshot.ts';
import { envelope } from '../../http/api/envelope.ts';
import type { Answers } from '../../http/rendering/answers.ts';
import { json } from '../../http/rendering/cacheable.ts';
import { jsonRepresentation } from '../../http/rendering/checked-json.ts';
import type { Representation } from '../../http/rendering/representation.ts';
import { cycleRoute, productRoute, tags } from './product-route.ts';
import {
  CATEGORY,
  detailsOf,
  identifiersOf,
  identifierTypes,
  indexOf,
  labelsOf,
  namedRelease,
  summaryOf,
} from './products.ts';
import {
  EndoflifeDetails,
  EndoflifeIdentifier,
  EndoflifeMany,
  EndoflifeOne,
  EndoflifeRelease,
  EndoflifeSummary,
  EndoflifeUri,
} from './schemas.ts';

const NameParams = Type.Object({ name: Type.String({ examples: ['lang'] }) });

const Product = EndoflifeOne(EndoflifeDetails);
const Release = EndoflifeOne(EndoflifeRelease);
const Uris = EndoflifeMany(EndoflifeUri);
const Summaries = EndoflifeMany(EndoflifeSummary);
const Products = EndoflifeMany(EndoflifeDetails);
const Identifiers = EndoflifeMany(EndoflifeIdentifier);

const VERSION = { schema_version: '1.2.1' };

const one = (schema: TSchema, { lastModified }: Snapshot, result: unknown): Representation =>
  jsonRepresentation(schema, { ...envelope(lastModified), ...VERSION, result });

const many = (schema: TSchema, { lastModified }: Snapshot, result: readonly unknown[]): Representation => {
  const { generated_at } = envelope(lastModified);
  return jsonRepresentation(schema, { ...VERSION, generated_at, total: result.length, result });
};

interface ListRoute {
  readonly operationId: string;
  readonly summary: string;
  readonly schema: TSchema;
  readonly list: (snapshot: Snapshot, baseUrl: string) => readonly unknown[];
}

/** A list that has no parameter. */
const listRoute = (app: Service, path: string, answers: Answers, options: ListRoute): void => {
  const { operationId, summary, schema: answerSchema, list } = options;
  const answer = answers.prepare(
    (snapshot, cache) => () =>
      cache.get(`endoflife ${path}`, () =>
        many(answerSchema, snapshot, list(snapshot, answers.site.baseUrl)),
      ),
  );
  const route = { operationId, tags, summary, response: json(answerSchema) };
  app.get(path, { schema: route }, (request, reply) =>
    answers.respond(request, reply, (current) => answer(current)()),
  );
};

interface NamedListRoute extends Omit<ListRoute, 'list'> {
  /** undefined for a name that is not known */
  readonly list: (snapshot: Snapshot, name: string, baseUrl: string) => readonly unknown[] | undefined;
}

/** A list of what has a name in common. */
const namedListRoute = (
  app: Service,
  path: `${string}:name`,
  answers: Answers,
  options: NamedListRoute,
): void => {
  const { operationId, summary, schema: answerSchema, list } = options;
  const answer = answers.prepare(
    (snapshot, cache) => (name: string) =>
      cache.get(`endoflife ${path} ${name}`, () => {
        const found = list(snapshot, name, answers.site.baseUrl);
        return found && many(answerSchema, snapshot, found);
      }),
  );
  const route = {
    operationId,
    tags,
    summary,
    params: NameParams,
    problems: [commonProblems['not-found']],
    response: json(answerSchema),
  };
  app.get(path, { schema: route }, (request, reply) =>
    answers.respond(request, reply, (current, { params }) => {
      const found = answer(current)(params.name);
      if (found) return found;
      throw new ProblemError(commonProblems['not-found'], {
        detail: `There is no entry named ${params.name}.`,
      });
    }),
  );
};

/** Categories, or tags, and the products that have one. */
const labelRoutes = (app: Service, path: '/api/v1/categories' | '/api/v1/tags', answers: Answers): void => {
  const [all, each, what] =
    path === '/api/v1/tags'
      ? ['endoflifeTags', 'endoflifeTag', 'tag']
      : ['endoflifeCategories', 'endoflifeCategory', 'category'];
  listRoute(app, path, answers, {
    operationId: all,
    summary: `Each ${what}, in the shape of endoflife.date`,
    schema: Uris,
    list: (_snapshot, baseUrl) => labelsOf(path, baseUrl),
  });
  namedListRoute(app, `${path}/:name`, answers, {
    operationId: each,
    summary: `The products of a ${what}, in the shape of endoflife.date`,
    schema: Summaries,
    list: ({ catalogue }, name, baseUrl) => (name === CATEGORY ? [summaryOf(catalogue, baseUrl)] : undefined),
  });
};

/** API v1 of endoflife.date. */
export const apiV1 = (app: Service, answers: Answers): void => {
  listRoute(app, '/api/v1', answers, {
    operationId: 'endoflifeIndex',
    summary: 'The lists of API v1 of endoflife.date',
    schema: Uris,
    list: (_snapshot, baseUrl) => indexOf(baseUrl),
  });
  listRoute(app, '/api/v1/products', answers, {
    operationId: 'endoflifeProducts',
    summary: 'The products, which is one, in the shape of endoflife.date',
    schema: Summaries,
    list: ({ catalogue }, baseUrl) => [summaryOf(catalogue, baseUrl)],
  });
  listRoute(app, '/api/v1/products/full', answers, {
    operationId: 'endoflifeFullProducts',
    summary: 'The products with all that is known about them, in the shape of endoflife.date',
    schema: Products,
    list: ({ catalogue, builtAt }, baseUrl) => [detailsOf(catalogue, builtAt, baseUrl)],
  });
  const { baseUrl } = answers.site;
  productRoute(app, '/api/v1/products/:product', answers, {
    operationId: 'endoflifeProduct',
    summary: 'All branches in the shape of endoflife.date',
    schema: Product,
    make: (snapshot) => one(Product, snapshot, detailsOf(snapshot.catalogue, snapshot.builtAt, baseUrl)),
  });
  cycleRoute(app, '/api/v1/products/:product/releases/:release', answers, {
    operationId: 'endoflifeRelease',
    summary: 'One branch, or `latest`, in the shape of endoflife.date',
    schema: Release,
    parameter: { release: Type.String({ description: 'a branch, or `latest`', examples: ['8.4'] }) },
    make: (snapshot, name) => {
      const found = namedRelease(snapshot.catalogue, name, snapshot.builtAt, baseUrl);
      return found && one(Release, snapshot, found);
    },
  });
  labelRoutes(app, '/api/v1/categories', answers);
  labelRoutes(app, '/api/v1/tags', answers);
  const identifiers = '/api/v1/identifiers';
  listRoute(app, identifiers, answers, {
    operationId: 'endoflifeIdentifierTypes',
    summary: 'The types of identifiers, in the shape of endoflife.date',
    schema: Uris,
    list: ({ catalogue }) => identifierTypes(catalogue, identifiers, baseUrl),
  });
  namedListRoute(app, `${identifiers}/:name`, answers, {
    operationId: 'endoflifeIdentifiers',
    summary: 'The identifiers of a type, such as purl or cpe, in the shape of endoflife.date',
    schema: Identifiers,
    list: ({ catalogue }, name) => identifiersOf(catalogue, name, baseUrl),
  });
};
