import { type TSchema, Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import fresh from 'fresh';
import {
  apiResponse,
  chooseEncoding,
  type Service,
  standardProblemFormat,
  yamlSchema,
} from '@workspace/service-kit';
import { yieldToEventLoop } from '@workspace/http-connections';
import { commonProblems, ProblemError } from '@workspace/service-kit/problems';
import type { ApiDescription, ApiRoute } from './api-document.ts';
import type { ApiPages } from './api-pages.ts';
import { OPEN_API_JSON_TYPE, OPEN_API_YAML_TYPE } from './media-types.ts';

export interface ApiReferenceOptions extends Omit<ApiDescription, 'problemFormat'> {
  /** RFC 9457 as it is when left out */
  readonly problemFormat?: ApiDescription['problemFormat'];
  /** on all answers of the reference */
  readonly headers?: Readonly<Record<string, string>>;
}

const ETag = Type.String({ description: 'of this text', examples: ['"VKXBl0KgxQg7FcGBYHhmYAjvFR0"'] });

const ROUTES = 'routes';

/** The routes of an app since its `apiReference`, aliases and hidden ones included, in the order in which they were added. */
export const routesOf = (app: Service): readonly RouteOptions[] => app.getDecorator(ROUTES);

/** Each GET has a HEAD, and OPTIONS is what browsers ask before a page may send a request: that is no news. */
const describedRoutes = ({ method, url, schema = {} }: RouteOptions): ApiRoute[] =>
  schema.hide === true
    ? []
    : [method]
        .flat()
        .filter((one) => one !== 'HEAD' && one !== 'OPTIONS')
        .map((one) => ({ method: one, url, schema }));

/**
 * Publishes a service's description of itself, made of the schemas of its routes: `/openapi.json`, `/openapi.yaml` and
 * `/docs`, a page to read it on and to try requests out. Call it before the routes are added.
 *
 * All of it is loaded when it is first asked for, by a Fastify of its own: the service starts no slower, and no route of
 * it gets another hook. Each document and compressed form is made once.
 */
export const apiReference = (app: Service, { headers: more = {}, ...api }: ApiReferenceOptions): void => {
  const added: RouteOptions[] = [];
  app.decorate(ROUTES, added);
  app.addHook('onRoute', (route) => void added.push(route));

  let pages: Promise<ApiPages> | undefined;
  const open = () =>
    (pages ??= openPages().catch((error: unknown) => {
      // As when the process could open no more files: the next request tries again.
      pages = undefined;
      throw error;
    }));
  const openPages = async () => {
    const { openApiDocument } = await import('./api-document.ts');
    const { openApiPages } = await import('./api-pages.ts');
    // Read now: hooks that were added later may have changed their schemas.
    const document = await openApiDocument(added.flatMap(describedRoutes), {
      problemFormat: standardProblemFormat,
      ...api,
    });
    return openApiPages(document);
  };
  const answer = async (
    url: string,
    { headers, method }: Pick<FastifyRequest, 'headers' | 'method'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const page = (await open())(url);
    if (!page) throw new ProblemError(commonProblems['not-found']);
    const encoding = chooseEncoding(headers['accept-encoding'] ?? 'identity');
    const etag = page.etag(encoding);
    void reply.headers({
      ...page.headers,
      etag,
      vary: 'Accept-Encoding',
      ...more,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    if (fresh(headers, { etag })) return reply.code(304).send();
    if (encoding !== 'identity') void reply.header('content-encoding', encoding);
    const body = await page.body(encoding);
    // Writing it takes as long as several small requests.
    if (method !== 'HEAD') await yieldToEventLoop(reply.raw);
    return reply.send(body);
  };

  const tags = api.tags.slice(-1).map(({ name }) => name);
  const publish = (path: string, operationId: string, summary: string, type: string, schema: TSchema) => {
    const response = {
      200: apiResponse(`${summary}.`, { content: { [type]: schema }, headers: { ETag } }),
      304: apiResponse('The client has it already (If-None-Match).', { headers: { ETag } }),
    };
    app.get(path, { schema: { operationId, summary, tags, response } }, (request, reply) =>
      answer(path, request, reply),
    );
  };
  publish(
    '/openapi.json',
    'openApiJson',
    'This description as OpenAPI 3.1 in JSON',
    OPEN_API_JSON_TYPE,
    Type.Object({}, { additionalProperties: true }),
  );
  publish(
    '/openapi.yaml',
    'openApiYaml',
    'This description as OpenAPI 3.1 in YAML',
    OPEN_API_YAML_TYPE,
    yamlSchema('the members of /openapi.json'),
  );
  publish(
    '/docs',
    'docs',
    'This description as a page on which requests can be tried out',
    'text/html',
    Type.String(),
  );
  const params = Type.Object({ '*': Type.String() });
  app.get(
    '/docs/*',
    { schema: { hide: true, params, problems: [commonProblems['not-found']] } },
    (request, reply) => answer(`/docs/${request.params['*']}`, request, reply),
  );
};
