import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '@workspace/service-kit';
import type { Address } from '../domain/address.ts';
import { DEFAULT_FIELDS, type FieldName, type Finding, fieldOf, recordOf } from '../domain/fields.ts';
import type { Locator, OperatorFinder, Source } from '../domain/locator.ts';
import { TwoGenerationCache } from '../domain/two-generation-cache.ts';
import { ATTRIBUTIONS } from '../views/attribution.ts';
import { FORMATS, type FormatName, SCRIPT_TYPE, TEXT_TYPE } from '../views/formats.ts';
import { json } from '../views/json.ts';
import { jsonp } from '../views/jsonp.ts';
import { text } from '../views/text.ts';
import type { Lookup } from './lookup.ts';
import { callbackOf, fieldsOf, type Query } from './query.ts';

/** What is asked for: a record in a format, a script, or one field. */
export type View = FormatName | 'jsonp' | { field: FieldName };

export interface AnswersOptions {
  lookup: Lookup;
  operators?: Source<OperatorFinder>;
  clock: Clock;
  version: string;
  cacheSeconds: number;
  cacheEntries: number;
}

interface Answer {
  readonly type: string;
  readonly body: string;
}

const identity = (body: unknown): string => String(body);

/** `utc_offset` follows the clock; zones change theirs on the quarter hour at the most often. */
const QUARTER_HOUR = 900_000;

/** Writes answers: body, caching and attribution headers. */
export class Answers {
  readonly #options: AnswersOptions;
  /** default JSON answers, ready to send, by the address as it was written */
  #ready = new TwoGenerationCache<string, string>(1);
  #readyFor: Locator | undefined;
  #headers: Readonly<Record<string, string>> = {};

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  /** Answers for an address the request names: anybody may store it. */
  named(
    request: FastifyRequest<{ Querystring: Query }>,
    reply: FastifyReply,
    ip: string,
    view: View,
  ): FastifyReply {
    this.#follow(this.#options.lookup.locator);
    const { query } = request;
    const answer =
      view === 'json' && query.fields === undefined && query.lang === undefined
        ? { type: FORMATS.json.type, body: this.#readyJson(ip) }
        : this.#answer(this.#options.lookup.address(ip), view, query);
    const etag = this.#etag(view, query);
    reply.headers(this.#headers).header('etag', etag);
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send();
    return send(reply, answer);
  }

  /** Answers for whoever is asking: nobody may store it. */
  caller(request: FastifyRequest<{ Querystring: Query }>, reply: FastifyReply, view: View): FastifyReply {
    this.#follow(this.#options.lookup.locator);
    const answer = this.#answer(this.#options.lookup.caller(request), view, request.query);
    return send(reply.headers(this.#headers).header('cache-control', 'private, no-store'), answer);
  }

  /** New data: forget what was ready, and say so in the headers. */
  #follow(locator: Locator): void {
    if (locator === this.#readyFor) return;
    const { cacheEntries, cacheSeconds } = this.#options;
    const { builtAt, provider } = locator.info;
    const attribution = ATTRIBUTIONS[provider];
    this.#ready = new TwoGenerationCache(cacheEntries);
    this.#readyFor = locator;
    this.#headers = {
      'cache-control': `public, max-age=${cacheSeconds}`,
      ...(builtAt && { 'x-database-date': builtAt.toISOString().slice(0, 10) }),
      ...(attribution && { link: `<${attribution.url}>; rel="license"` }),
    };
  }

  #readyJson(ip: string): string {
    const ready = this.#ready.get(ip);
    if (ready !== undefined) return ready;
    const { lookup } = this.#options;
    const body = json(recordOf(lookup.find(lookup.address(ip), 'en'), DEFAULT_FIELDS));
    this.#ready.set(ip, body);
    return body;
  }

  #answer(address: Address, view: View, query: Query): Answer {
    const finding = this.#options.lookup.find(address, query.lang ?? 'en');
    return typeof view === 'object'
      ? { type: TEXT_TYPE, body: text(fieldOf(finding, view.field)) }
      : render(finding, view, query);
  }

  #etag(view: View, query: Query): string {
    const { operators, clock, version } = this.#options;
    const parts = [version, this.#readyFor?.info.fingerprint, operators?.current?.info.fingerprint];
    const followsClock = typeof view === 'object' ? view.field === 'utc_offset' : query.fields !== undefined;
    if (followsClock) parts.push(Math.floor(clock().getTime() / QUARTER_HOUR).toString(36));
    return `W/"${parts.filter(Boolean).join('-')}"`;
  }
}

function render(finding: Finding, view: FormatName | 'jsonp', query: Query): Answer {
  const record = recordOf(finding, fieldsOf(query));
  if (view === 'jsonp') return { type: SCRIPT_TYPE, body: jsonp(json(record), callbackOf(query)) };
  const { type, render: write } = FORMATS[view];
  return { type, body: write(record) };
}

/** The body is final; without a serializer of its own Fastify would add a charset to `application/json`. */
const send = (reply: FastifyReply, { type, body }: Answer): FastifyReply =>
  reply.header('content-type', type).serializer(identity).send(body);
