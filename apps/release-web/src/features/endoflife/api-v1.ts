import { type TSchema, Type } from '@sinclair/typebox';
import { commonProblems, ProblemError } from '@workspace/service-kit/problems';
import type { Snapshot } from '../../application/snapshot.ts';
import { envelope } from '../../http/api/envelope.ts';
import type { Answers } from '../../http/rendering/answers.ts';
import { jsonRepresentation } from '../../http/rendering/checked-json.ts';
import type { Representation } from '../../http/rendering/representation.ts';
import { cycleRoute, productRoute, type RouteDescription, schemaOf } from './product-route.ts';
import {
  CATEGORY,
  detailsOf,
  identifiersOf,
  identifierTypes,
  indexOf,
  labelsOf,
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

/** A list that has no parameter. */
const listRoute = (
  answers: Answers,
  path: string,
  description: RouteDescription,
  list: (snapshot: Snapshot) => readonly unknown[],
): void =>
  answers.route(
    path,
    schemaOf(description),
    (snapshot, cache) => () =>
      cache.get(`endoflife ${path}`, () => many(description.schema, snapshot, list(snapshot))),
  );

/** A list of what has a name in common. @param list undefined for a name that is not known */
const namedListRoute = (
  answers: Answers,
  path: `${string}:name`,
  description: RouteDescription,
  list: (snapshot: Snapshot, name: string) => readonly unknown[] | undefined,
): void =>
  answers.route(
    path,
    { ...schemaOf(description), params: NameParams, problems: [commonProblems['not-found']] },
    (snapshot, cache) =>
      ({ params: { name } }) => {
        const answer = cache.get(`endoflife ${path} ${name}`, () => {
          const found = list(snapshot, name);
          return found && many(description.schema, snapshot, found);
        });
        if (answer) return answer;
        throw new ProblemError(commonProblems['not-found'], {
          detail: `There is no entry named ${name}.`,
        });
      },
  );

/** Categories, or tags, and the products that have one. */
const labelRoutes = (
  answers: Answers,
  path: '/api/v1/categories' | '/api/v1/tags',
  [all, each, what]: readonly [all: string, each: string, what: string],
): void => {
  const { baseUrl } = answers.site;
  listRoute(
    answers,
    path,
    { operationId: all, summary: `Each ${what}, in the shape of endoflife.date`, schema: Uris },
    () => labelsOf(path, baseUrl),
  );
  namedListRoute(
    answers,
    `${path}/:name`,
    {
      operationId: each,
      summary: `The products of a ${what}, in the shape of endoflife.date`,
      schema: Summaries,
    },
    ({ catalogue }, name) => (name === CATEGORY ? [summaryOf(catalogue, baseUrl)] : undefined),
  );
};

/** API v1 of endoflife.date. */
export const apiV1 = (answers: Answers): void => {
  const { baseUrl } = answers.site;
  listRoute(
    answers,
    '/api/v1',
    { operationId: 'endoflifeIndex', summary: 'The lists of API v1 of endoflife.date', schema: Uris },
    () => indexOf(baseUrl),
  );
  listRoute(
    answers,
    '/api/v1/products',
    {
      operationId: 'endoflifeProducts',
      summary: 'The products, which is one, in the shape of endoflife.date',
      schema: Summaries,
    },
    ({ catalogue }) => [summaryOf(catalogue, baseUrl)],
  );
  listRoute(
    answers,
    '/api/v1/products/full',
    {
      operationId: 'endoflifeFullProducts',
      summary: 'The products with all that is known about them, in the shape of endoflife.date',
      schema: Products,
    },
    ({ catalogue, builtAt }) => [detailsOf(catalogue, builtAt, baseUrl)],
  );
  productRoute(
    answers,
    '/api/v1/products/:product',
    {
      operationId: 'endoflifeProduct',
      summary: 'All branches in the shape of endoflife.date',
      schema: Product,
    },
    (snapshot) => one(Product, snapshot, detailsOf(snapshot.catalogue, snapshot.builtAt, baseUrl)),
  );
  cycleRoute(
    answers,
    '/api/v1/products/:product/releases/:release',
    {
      operationId: 'endoflifeRelease',
      summary: 'One branch, or `latest`, in the shape of endoflife.date',
      schema: Release,
    },
    { release: Type.String({ description: 'a branch, or `latest`', examples: ['8.4'] }) },
    (snapshot, name) => {
      const { releases } = detailsOf(snapshot.catalogue, snapshot.builtAt, baseUrl);
      const found = name === 'latest' ? releases[0] : releases.find((release) => release.name === name);
      return found && one(Release, snapshot, found);
    },
  );
  labelRoutes(answers, '/api/v1/categories', ['endoflifeCategories', 'endoflifeCategory', 'category']);
  labelRoutes(answers, '/api/v1/tags', ['endoflifeTags', 'endoflifeTag', 'tag']);
  const identifiers = '/api/v1/identifiers';
  listRoute(
    answers,
    identifiers,
    {
      operationId: 'endoflifeIdentifierTypes',
      summary: 'The types of identifiers, in the shape of endoflife.date',
      schema: Uris,
    },
    ({ catalogue }) => identifierTypes(catalogue, identifiers, baseUrl),
  );
  namedListRoute(
    answers,
    `${identifiers}/:name`,
    {
      operationId: 'endoflifeIdentifiers',
      summary: 'The identifiers of a type, such as purl or cpe, in the shape of endoflife.date',
      schema: Identifiers,
    },
    ({ catalogue }, name) => identifiersOf(catalogue, name, baseUrl),
  );
};
