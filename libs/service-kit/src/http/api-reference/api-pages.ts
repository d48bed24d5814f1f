import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import fastifySwagger from '@fastify/swagger';
import fastifySwaggerUi from '@fastify/swagger-ui';
import { fastify } from 'fastify';
import { stringify } from 'yaml';
import type { Encoding } from '../accept-encoding.ts';
import { OPEN_API_JSON_TYPE, OPEN_API_YAML_TYPE } from './media-types.ts';

/** Nothing from elsewhere, nothing inline; Swagger UI draws its icons from `data:` addresses. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What a browser may keep of a page. Without a query or escapes, so that each file has one path. */
const PATH = /^(?:\/[\w.-]+)+\/?$/;

const brotli = promisify(brotliCompress);
const compress: Readonly<Record<Exclude<Encoding, 'identity'>, (body: Buffer) => Promise<Buffer>>> = {
  // A tenth of the time that the strongest level takes, and 5 % larger: the first client waits for it.
  br: (body) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: promisify(gzip),
};

/** A document or file of the reference, made once: the same bytes answer every request. */
export class ApiPage {
  readonly headers: Readonly<Record<string, string>>;
  readonly #digest: string;
  readonly #forms = new Map<Encoding, Promise<Buffer>>();

  constructor(body: Buffer, headers: Readonly<Record<string, string>>) {
    this.headers = headers;
    this.#digest = createHash('sha256').update(body).digest('base64url').slice(0, 22);
    this.#forms.set('identity', Promise.resolve(body));
  }

  /** strong: differs by encoding */
  etag(encoding: Encoding): string {
    return encoding === 'identity' ? `"${this.#digest}"` : `"${this.#digest}-${encoding}"`;
  }

  /** The body in one encoding, compressed for the first that asks. */
  body(encoding: Encoding): Promise<Buffer> {
    const known = this.#forms.get(encoding);
    if (known || encoding === 'identity') return known!;
    const form = this.#forms.get('identity')!.then(compress[encoding]);
    this.#forms.set(encoding, form);
    return form;
  }
}

/** Texts that YAML 1.1 reads as numbers or dates, such as 8_4_24, are quoted: many parsers are of 1.1. */
const YAML_1_1 = { compat: 'yaml-1.1' } as const;

/** The page at a path; undefined when there is none. */
export type ApiPages = (path: string) => Promise<ApiPage | undefined>;

/** `/openapi.json`, `/openapi.yaml` and `/docs` of this document. */
export const openApiPages = async (document: object, title: string): Promise<ApiPages> => {
  // It listens nowhere; requests are injected.
  const app = fastify({ exposeHeadRoutes: false });
  await app.register(fastifySwagger, { mode: 'static', specification: { document: document as never } });
  await app.register(fastifySwaggerUi, {
    routePrefix: '/docs',
    staticCSP: CONTENT_SECURITY_POLICY,
    theme: { title },
    uiConfig: {
      layout: 'BaseLayout',
      deepLinking: true,
      docExpansion: 'list',
      tryItOutEnabled: true,
      displayRequestDuration: true,
      defaultModelsExpandDepth: 0,
    },
  });
  const publish = (path: string, type: string, text: () => string) =>
    app.get(path, (_request, reply) =>
      // Bytes, because Fastify adds a charset to the type of texts, and JSON has no charset.
      reply.type(type).header('cache-control', 'public, max-age=300').send(Buffer.from(text())),
    );
  publish('/openapi.json', OPEN_API_JSON_TYPE, () => JSON.stringify(document, null, 2));
  publish('/openapi.yaml', OPEN_API_YAML_TYPE, () => stringify(document, YAML_1_1));
  await app.ready();

  const make = async (path: string): Promise<ApiPage | undefined> => {
    const { statusCode, headers, rawPayload } = await app.inject(path);
    if (statusCode !== 200) return undefined;
    const kept = ['content-type', 'cache-control', 'content-security-policy'].flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, String(value)]];
    });
    return new ApiPage(rawPayload, Object.fromEntries(kept) as Record<string, string>);
  };
  const pages = new Map<string, Promise<ApiPage | undefined>>();
  return (path) => {
    const known = pages.get(path);
    if (known) return known;
    if (!PATH.test(path) || posix.normalize(path) !== path) return Promise.resolve(undefined);
    const page = make(path);
    pages.set(path, page);
    // What does not exist is not remembered: there is no end of it.
    const forget = (): unknown => pages.delete(path);
    page.then((made) => made ?? forget(), forget);
    return page;
  };
};
