import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { stringify } from 'yaml';
import { asciiJson, type Encoding } from '@workspace/service-kit';
import { OPEN_API_JSON_TYPE, OPEN_API_YAML_TYPE } from './media-types.ts';
import type { OpenApi } from './open-api.ts';
import { REFERENCE_POLICY, referencePage } from './reference-page.ts';

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
export type ApiPages = (path: string) => ApiPage | undefined;

/** `/openapi.json`, `/openapi.yaml` and `/docs` of this document, each made when it is first asked for. */
export const openApiPages = (document: object): ApiPages => {
  const page = (type: string, text: string, headers: Readonly<Record<string, string>> = {}): ApiPage =>
    new ApiPage(Buffer.from(text), {
      'content-type': type,
      'cache-control': 'public, max-age=300',
      ...headers,
    });
  const reference = (root: string): ApiPage =>
    page('text/html; charset=utf-8', referencePage(document as OpenApi, root), {
      'content-security-policy': REFERENCE_POLICY,
    });
  const make: Readonly<Record<string, () => ApiPage>> = {
    '/openapi.json': () => page(OPEN_API_JSON_TYPE, asciiJson(JSON.stringify(document, null, 2))),
    '/openapi.yaml': () => page(OPEN_API_YAML_TYPE, stringify(document, YAML_1_1)),
    '/docs': () => reference('./'),
    '/docs/': () => reference('../'),
  };
  const pages = new Map<string, ApiPage>();
  return (path) => {
    const made = pages.get(path) ?? (Object.hasOwn(make, path) ? make[path]?.() : undefined);
    if (made) pages.set(path, made);
    return made;
  };
};
