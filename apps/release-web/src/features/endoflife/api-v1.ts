import { type TSchema, Type } from '@sinclair/typebox';
import { commonProblems, ProblemError, type ProblemType, type Service } from '@workspace/service-kit';
import type { Snapshot } from '../../application/snapshot.ts';
import { problems } from '../../problems.ts';
import { envelope } from '../../http/api/envelope.ts';
import type { Answers } from '../../http/rendering/answers.ts';
import { json } from '../../http/rendering/cacheable.ts';
import { jsonRepresentation } from '../../http/rendering/checked-json.ts';
import type { Representation } from '../../http/rendering/representation.ts';
import { endoflifeProblems } from './problems.ts';
import { ProductParameter, requireProduct, unknownCycle } from './product-parameter.ts';
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

const tags = ['endoflife.date'];
const ProductParams = Type.Object({ product: ProductParameter });
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

/** Where API v1 begins. */
export const endoflifeIndex = (app: Service, path: string, answers: Answers): void =>
  listRoute(app, path, answers, {
    operationId: 'endoflifeIndex',
    summary: 'The lists of API v1 of endoflife.date',
    schema: Uris,
    list: (_snapshot, baseUrl) => indexOf(baseUrl),
  });

export const endoflifeProducts = (app: Service, path: string, answers: Answers): void =>
  listRoute(app, path, answers, {
    operationId: 'endoflifeProducts',
    summary: 'The products, which is one, in the shape of endoflife.date',
    schema: Summaries,
    list: ({ catalogue }, baseUrl) => [summaryOf(catalogue, baseUrl)],
  });

export const endoflifeFullProducts = (app: Service, path: string, answers: Answers): void =>
  listRoute(app, path, answers, {
    operationId: 'endoflifeFullProducts',
    summary: 'The products with all that is known about them, in the shape of endoflife.date',
    schema: Products,
    list: ({ catalogue, builtAt }, baseUrl) => [detailsOf(catalogue, builtAt, baseUrl)],
  });

/** Categories, or tags, and the products that have one. */
export const endoflifeLabels = (
  app: Service,
  path: '/api/v1/categories' | '/api/v1/tags',
  answers: Answers,
): void => {
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

export const endoflifeIdentifiers = (app: Service, path: string, answers: Answers): void => {
  listRoute(app, path, answers, {
    operationId: 'endoflifeIdentifierTypes',
    summary: 'The types of identifiers, in the shape of endoflife.date',
    schema: Uris,
    list: ({ catalogue }, baseUrl) => identifierTypes(catalogue, path, baseUrl),
  });
  namedListRoute(app, `${path}/:name`, answers, {
    operationId: 'endoflifeIdentifiers',
    summary: 'The identifiers of a type, such as purl or cpe, in the shape of endoflife.date',
    schema: Identifiers,
    list: ({ catalogue }, name, baseUrl) => identifiersOf(catalogue, name, baseUrl),
  });
};

/** What the two answers about one product have in common. */
const productRoute = (
  operationId: string,
  summary: string,
  response: TSchema,
  more: readonly ProblemType[] = [],
) => ({
  operationId,
  tags,
  summary,
  problems: [endoflifeProblems['unknown-product'], ...more, commonProblems['not-found']],
  response: json(response),
});

export const endoflifeProduct = (app: Service, path: `${string}:product`, answers: Answers): void => {
  const answer = answers.prepare((snapshot) =>
    one(Product, snapshot, detailsOf(snapshot.catalogue, snapshot.builtAt, answers.site.baseUrl)).popular(),
  );
  const route = {
    ...productRoute('endoflifeProduct', 'All branches in the shape of endoflife.date', Product),
    params: ProductParams,
  };
  app.get(path, { schema: route }, (request, reply) =>
    answers.respond(request, reply, (current, { params }) => {
      requireProduct(current.snapshot, params.product);
      return answer(current);
    }),
  );
};

/** One release cycle by its name, or the newest one: `latest`. */
export const endoflifeRelease = (
  app: Service,
  path: `${string}:product${string}:release`,
  answers: Answers,
): void => {
  const answer = answers.prepare(
    (snapshot, cache) => (name: string) =>
      cache.get(`endoflife v1 ${name}`, () => {
        const { catalogue, builtAt } = snapshot;
        const found = namedRelease(catalogue, name, builtAt, answers.site.baseUrl);
        return found && one(Release, snapshot, found);
      }),
  );
  const route = {
    ...productRoute('endoflifeRelease', 'One branch, or `latest`, in the shape of endoflife.date', Release, [
      problems['unknown-branch'],
    ]),
    params: Type.Object({
      product: ProductParameter,
      release: Type.String({
        description: 'a branch, or `latest`',
        examples: ['8.4'],
      }),
    }),
  };
  app.get(path, { schema: route }, (request, reply) =>
    answers.respond(request, reply, (current, { params }) => {
      requireProduct(current.snapshot, params.product);
      const found = answer(current)(params.release);
      if (found) return found;
      throw unknownCycle(params.release);
    }),
  );
};
