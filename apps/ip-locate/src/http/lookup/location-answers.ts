import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import { FULL, type LookupResult, NoDatabase, type Precision } from '../../application/locate.ts';
import type { Current, Databases } from '../../application/location-database.ts';
import type { PrecisionOf } from '../rate-limit.ts';
import { OPEN_HEADERS } from '@workspace/service-kit';
import { PUBLIC_HEADERS } from '../headers.ts';
import { type Lookup, problemOf } from './lookup.ts';
import { attributionsOf, licenseLinks } from './attribution.ts';
import { dependsOnTime, type FieldName, fieldOf } from './fields.ts';
import { fieldsShown, represent, type FormatOrField } from './representation.ts';
import { FORMATS } from './formats/formats.ts';
import { RepeatedAnswers, type ValidatedAnswer } from './repeated-answers.ts';
import { type AnswerFields, fieldsOf, type Query } from './query.ts';

export interface LocationAnswersDeps extends AnswerFields, Databases {
  lookup: Lookup;
  precisionOf: PrecisionOf;
  /** answers to requests with keys are changed by a hook */
  withKeys: boolean;
  /** of the service: another version may answer differently */
  version: string;
  cacheSeconds: number;
}

type Headers = Readonly<Record<string, string>>;
type ValidatedHeaders = Omit<ValidatedAnswer, 'body'>;

/** What each database has. */
interface Versioned {
  readonly info: { readonly fingerprint: string };
}

/** Everything that stays the same as long as the databases do. */
interface DatabaseVersion {
  /** all of them, in one order; undefined: not loaded */
  readonly databases: readonly (Versioned | undefined)[];
  /** changes whenever the databases, the service or its settings do */
  readonly tag: string;
  readonly headers: Headers;
  /** of answers that anyone may store and that do not depend on the time, with their validator, by variant */
  readonly validated: Map<string, ValidatedHeaders>;
  /** answers like these that were asked for before */
  readonly repeated: RepeatedAnswers;
}

/** What a request for a named address asks for. */
interface AddressRequest {
  readonly version: DatabaseVersion;
  readonly formatOrField: FormatOrField;
  /** what distinguishes the answers that one URL has */
  readonly variant: string;
  readonly fields: readonly FieldName[];
  /** the answer is kept under this key; undefined when it is not kept */
  readonly key: string | undefined;
}

/** Time zones change their UTC offset on a quarter hour. */
const QUARTER_HOUR_MS = 900_000;

/** A promise only where a host name has to be waited for. */
type Answer = FastifyReply | Promise<FastifyReply>;

type Request = FastifyRequest<{ Querystring: Query }>;

/** Answers with locations, and says who may store them for how long. */
export class LocationAnswers {
  readonly #deps: LocationAnswersDeps;
  readonly #databases: readonly (Current<Versioned> | undefined)[];
  #version: DatabaseVersion | undefined;

  constructor(deps: LocationAnswersDeps) {
    this.#deps = deps;
    const { locations, operators, anonymous, overlay, further = [] } = deps;
    this.#databases = [locations, operators, anonymous, overlay, ...further];
  }

  /** Answers with the location of the address a request names; anyone may store the answer. */
  sendAddress(
    request: Request,
    reply: FastifyReply,
    ip: string,
    formatOrField: FormatOrField,
    time: Date,
  ): Answer {
    const { query } = request;
    const { lookup, precisionOf } = this.#deps;
    const version = this.#currentVersion();
    const precision = precisionOf(request);
    const variant = variantOf(formatOrField, precision);
    const key = version.repeated.keyOf(variant, request.raw.url as string);
    const known = key === undefined ? undefined : version.repeated.get(key);
    if (known) return this.#sendValidated(request, reply, known);
    const fields = fieldsOf(query, this.#deps);
    const result = lookup.withHostname(
      lookup.address(ip, query.lang, time, precision),
      fieldsShown(formatOrField, fields),
    );
    const sendResult = (found: LookupResult) =>
      this.#sendAddress(request, reply, { version, formatOrField, variant, fields, key }, found);
    return result instanceof Promise ? result.then(sendResult) : sendResult(result);
  }

  #sendAddress(
    request: Request,
    reply: FastifyReply,
    { version, formatOrField, variant, fields, key }: AddressRequest,
    result: LookupResult,
  ): FastifyReply {
    const { contentType, body } = represent(result, formatOrField, fields, request.query);
    const shown = fieldsShown(formatOrField, fields);
    if (dependsOnTime(shown) || shown.includes('hostname')) {
      const headers = withSource(
        this.#validatedByValue(version, variant, contentType, { result, shown }),
        result,
      );
      return this.#sendValidated(request, reply, { headers, list: listOf(headers), body });
    }
    const validated = this.#validated(version, variant, contentType);
    const headers = withSource(validated.headers, result);
    const answer = { headers, list: headers === validated.headers ? validated.list : listOf(headers), body };
    if (key !== undefined) version.repeated.set(key, answer);
    return this.#sendValidated(request, reply, answer);
  }

  #sendValidated(request: Request, reply: FastifyReply, answer: ValidatedAnswer): FastifyReply {
    return this.#deps.withKeys ? sendByFastify(request, reply, answer) : sendDirectly(request, reply, answer);
  }

  /** Answers with the caller's location; caches must not store the answer. */
  sendCaller(request: Request, reply: FastifyReply, formatOrField: FormatOrField, time: Date): Answer {
    const { lookup, precisionOf } = this.#deps;
    const { headers } = this.#currentVersion();
    const { query } = request;
    const fields = fieldsOf(query, this.#deps);
    const result = lookup.withHostname(
      lookup.caller(request, query.lang, time, precisionOf(request)),
      fieldsShown(formatOrField, fields),
    );
    const sendResult = (found: LookupResult): FastifyReply => {
      const { contentType, body } = represent(found, formatOrField, fields, query);
      void reply.headers({
        ...withSource(headers, found),
        ...PUBLIC_HEADERS,
        'cache-control': 'private, no-store',
        'content-type': contentType,
      });
      return send(reply, body);
    };
    return result instanceof Promise ? result.then(sendResult) : sendResult(result);
  }

  #validated(version: DatabaseVersion, variant: string, contentType: string): ValidatedHeaders {
    let validated = version.validated.get(variant);
    if (!validated) {
      const headers = validatedOf(version, contentType, variant);
      version.validated.set(variant, (validated = { headers, list: listOf(headers) }));
    }
    return validated;
  }

  /**
   * The validator of an answer with values that no database has. A UTC offset may only be stored until it can change, and
   * not at all a host name that could not be determined: the next answer may have it.
   */
  #validatedByValue(
    version: DatabaseVersion,
    variant: string,
    contentType: string,
    { result, shown }: { result: LookupResult; shown: readonly FieldName[] },
  ): Headers {
    const withOffset = dependsOnTime(shown);
    const hostname = shown.includes('hostname') ? result.hostname : null;
    const values = `${withOffset ? String(fieldOf(result, 'utc_offset')) : ''}${hostname ?? ''}`;
    const seconds = withOffset ? secondsToNextQuarter(result.time) : Infinity;
    return {
      ...validatedOf(version, contentType, `${variant}${values}`),
      'cache-control': hostname === undefined ? 'no-store' : this.#publicFor(seconds),
    };
  }

  #currentVersion(): DatabaseVersion {
    const known = this.#version;
    if (known && this.#databases.every((one, at) => one?.current === known.databases[at])) return known;
    const { defaultFields, allFields, version, cacheSeconds, locations } = this.#deps;
    if (!locations.current) throw problemOf(new NoDatabase('no database has been loaded'));
    const databases = this.#databases.map((one) => one?.current);
    const { builtAt } = locations.current.info;
    const link = licenseLinks(attributionsOf(this.#deps));
    return (this.#version = {
      databases,
      tag: digest([version, defaultFields, allFields, databases.map((one) => one?.info.fingerprint ?? null)]),
      headers: {
        ...OPEN_HEADERS,
        'cache-control': this.#publicFor(cacheSeconds),
        ...(builtAt && { 'x-database-date': builtAt.toISOString().slice(0, 10) }),
        ...(link !== undefined && { link }),
      },
      validated: new Map(),
      repeated: new RepeatedAnswers(),
    });
  }

  #publicFor(seconds: number): string {
    return `public, max-age=${Math.min(seconds, this.#deps.cacheSeconds)}`;
  }
}

/** Answers out of the operator's own data say so. */
const withSource = (headers: Headers, { source }: LookupResult): Headers =>
  source === 'overlay' ? { ...headers, 'x-location-source': source } : headers;

/** What distinguishes the answers that one URL has: several by Accept, and several by API key. */
const variantOf = (formatOrField: FormatOrField, precision: Precision): string =>
  precision === FULL ? formatOrField : `${formatOrField}-${precision.name}`;

const validatedOf = ({ tag, headers }: DatabaseVersion, contentType: string, variant: string): Headers => {
  const etag = `W/"${tag}-${variant}"`;
  const more = contentType === FORMATS.json.type ? {} : PUBLIC_HEADERS;
  return { ...headers, ...more, etag, 'content-type': contentType };
};

const secondsToNextQuarter = (time: Date): number =>
  Math.floor((QUARTER_HOUR_MS - (time.getTime() % QUARTER_HOUR_MS)) / 1000);

const digest = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 12);

/** Node writes a list of names and values faster than an object. */
const listOf = (headers: Headers): readonly string[] => Object.entries(headers).flat();

/** Fastify sends it, and its hooks may change the headers. */
const sendByFastify = (
  request: Request,
  reply: FastifyReply,
  { headers, body }: ValidatedAnswer,
): FastifyReply => {
  void reply.headers(headers);
  return fresh(request.headers, headers) ? reply.code(304).send() : send(reply, body);
};

/** It is written past Fastify, whose `onSend` hooks do not see it: a twentieth of a request. */
const sendDirectly = (
  request: Request,
  reply: FastifyReply,
  { headers, list, body }: ValidatedAnswer,
): FastifyReply => {
  const written = list.slice();
  for (const [name, value] of Object.entries(reply.getHeaders())) written.push(name, String(value));
  const { raw } = reply.hijack();
  if (fresh(request.headers, headers)) {
    raw.writeHead(304, written).end();
    return reply;
  }
  const bytes = Buffer.byteLength(body);
  written.push('content-length', String(bytes));
  // Node writes ASCII, which most answers are, faster when it need not search for other characters.
  raw.writeHead(200, written).end(body, bytes === body.length ? 'latin1' : 'utf8');
  return reply;
};

/** The body is final; without a serializer of its own, Fastify would add a charset to `application/json`. */
const send = (reply: FastifyReply, body: string): FastifyReply => reply.serializer(identity).send(body);

const identity = (body: unknown): string => String(body);
