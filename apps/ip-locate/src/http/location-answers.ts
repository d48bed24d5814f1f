import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock, Reloadable } from '@workspace/service-kit';
import type { Address } from '@workspace/ip-addresses';
import { Doorkeeper } from '../domain/doorkeeper.ts';
import { type FieldName, type Finding, fieldOf, recordOf } from '../domain/fields.ts';
import type { Locator, OperatorFinder } from '../domain/locator.ts';
import { TwoGenerationCache } from '../domain/two-generation-cache.ts';
import { ATTRIBUTIONS } from '../views/attribution.ts';
import { FORMATS, type FormatName, SCRIPT_TYPE, TEXT_TYPE } from '../views/formats.ts';
import { DefaultJson, json } from '../views/json.ts';
import { jsonp } from '../views/jsonp.ts';
import { OPEN_HEADERS, PUBLIC_HEADERS } from '../views/headers.ts';
import { text } from '../views/text.ts';
import type { Lookup } from './lookup.ts';
import { callbackOf, fieldsOf, type Query } from './query.ts';

/** What is asked for: a record in a format, a script, or one field. */
export type View = FormatName | 'jsonp' | { field: FieldName };

export interface AnswersOptions {
  lookup: Lookup;
  operators?: Reloadable<OperatorFinder>;
  clock: Clock;
  version: string;
  cacheSeconds: number;
  cacheEntries: number;
}

interface Answer {
  readonly type: string;
  readonly body: string;
}

/** All that depends on which data is open; made anew, as a whole, when that changes. */
interface Edition {
  readonly locator: Locator;
  readonly operators: OperatorFinder | undefined;
  readonly tag: string;
  /** of an answer anybody may store, `etag` and `content-type` excepted */
  readonly headers: Readonly<Record<string, string>>;
  /** of a default JSON answer */
  readonly jsonHeaders: Readonly<Record<string, string>>;
  /** default JSON answers ready to send, by the address as it was written; those asked for twice */
  readonly ready: TwoGenerationCache<string, string>;
  readonly written: DefaultJson;
}

/** `utc_offset` follows the clock; zones change theirs on the quarter hour at the most often. */
const QUARTER_HOUR = 900_000;

/** Writes answers: body, caching and attribution headers. */
export class Answers {
  readonly #options: AnswersOptions;
  readonly #doorkeeper: Doorkeeper;
  #edition: Edition | undefined;

  constructor(options: AnswersOptions) {
    this.#options = options;
    this.#doorkeeper = new Doorkeeper(options.cacheEntries);
  }

  /** Answers for an address the request names: anybody may store it. */
  named(
    request: FastifyRequest<{ Querystring: Query }>,
    reply: FastifyReply,
    ip: string,
    view: View,
  ): FastifyReply {
    const edition = this.#current();
    const { query } = request;
    if (view === 'json' && query.fields === undefined && query.lang === undefined) {
      const body = this.#readyJson(edition, ip);
      return conditional(request, reply.headers(edition.jsonHeaders), edition.tag, body);
    }
    const { type, body } = this.#answer(this.#options.lookup.address(ip), view, query);
    const etag = this.#etag(edition, view, query);
    return conditional(
      request,
      reply.headers({ ...edition.headers, etag, 'content-type': type }),
      etag,
      body,
    );
  }

  /** Answers for whoever is asking: nobody may store it. */
  caller(request: FastifyRequest<{ Querystring: Query }>, reply: FastifyReply, view: View): FastifyReply {
    const { headers } = this.#current();
    const { type, body } = this.#answer(this.#options.lookup.caller(request), view, request.query);
    return send(
      reply.headers({ ...headers, 'cache-control': 'private, no-store', 'content-type': type }),
      body,
    );
  }

  #current(): Edition {
    const { lookup, operators } = this.#options;
    const { locator } = lookup;
    const known = this.#edition;
    if (known?.locator === locator && known.operators === operators?.current) return known;
    return (this.#edition = this.#newEdition(locator, operators?.current));
  }

  #newEdition(locator: Locator, operators: OperatorFinder | undefined): Edition {
    const { cacheEntries, cacheSeconds, version } = this.#options;
    const { builtAt, provider, fingerprint } = locator.info;
    const attribution = ATTRIBUTIONS[provider];
    const tag = etagOf([version, fingerprint, operators?.info.fingerprint]);
    const dataHeaders = {
      'cache-control': `public, max-age=${cacheSeconds}`,
      ...(builtAt && { 'x-database-date': builtAt.toISOString().slice(0, 10) }),
      ...(attribution && { link: `<${attribution.url}>; rel="license"` }),
    };
    return {
      locator,
      operators,
      tag,
      headers: { ...PUBLIC_HEADERS, ...dataHeaders },
      jsonHeaders: { ...OPEN_HEADERS, ...dataHeaders, etag: tag, 'content-type': FORMATS.json.type },
      ready: new TwoGenerationCache(cacheEntries),
      written: new DefaultJson(),
    };
  }

  #readyJson({ ready, written }: Edition, ip: string): string {
    const known = ready.get(ip);
    if (known !== undefined) return known;
    const { lookup } = this.#options;
    const address = lookup.address(ip);
    const body = written.of(lookup.find(address, 'en'));
    if (this.#doorkeeper.knows(numberOf(address))) ready.set(ip, body);
    return body;
  }

  #answer(address: Address, view: View, query: Query): Answer {
    const finding = this.#options.lookup.find(address, query.lang ?? 'en');
    return typeof view === 'object'
      ? { type: TEXT_TYPE, body: text(fieldOf(finding, view.field)) }
      : render(finding, view, query);
  }

  #etag({ locator, operators, tag }: Edition, view: View, query: Query): string {
    const followsClock = typeof view === 'object' ? view.field === 'utc_offset' : query.fields !== undefined;
    if (!followsClock) return tag;
    const { clock, version } = this.#options;
    const quarter = Math.floor(clock().getTime() / QUARTER_HOUR).toString(36);
    return etagOf([version, locator.info.fingerprint, operators?.info.fingerprint, quarter]);
  }
}

const numberOf = ({ bytes }: Address): number =>
  bytes.reduce((number, byte) => Math.imul(number, 31) + byte, 0);

const etagOf = (parts: readonly (string | undefined)[]): string => `W/"${parts.filter(Boolean).join('-')}"`;

function render(finding: Finding, view: FormatName | 'jsonp', query: Query): Answer {
  const record = recordOf(finding, fieldsOf(query));
  if (view === 'jsonp') return { type: SCRIPT_TYPE, body: jsonp(json(record), callbackOf(query)) };
  const { type, render: write } = FORMATS[view];
  return { type, body: write(record) };
}

/** The answer, or 304 when the client has it already. */
function conditional(request: FastifyRequest, reply: FastifyReply, etag: string, body: string): FastifyReply {
  if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send();
  return send(reply, body);
}

/** The body is final; without a serializer of its own Fastify would add a charset to `application/json`. */
const send = (reply: FastifyReply, body: string): FastifyReply => reply.serializer(identity).send(body);

const identity = (body: unknown): string => String(body);
