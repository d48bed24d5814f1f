import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import { type LookupResult, NoDatabase } from '../application/locate.ts';
import type { AsnDatabase, Current, LocationDatabase } from '../application/location-database.ts';
import { OPEN_HEADERS, PUBLIC_HEADERS } from './headers.ts';
import { type Lookup, problemOf } from './lookup.ts';
import { attributionsOf, licenseLinks } from './representations/attribution.ts';
import { dependsOnTime, type FieldName, fieldOf } from './representations/fields.ts';
import { fieldsOfView, represent, type View } from './representations/view.ts';
import { fieldsOf, type Query } from './schemas/query.ts';

export interface LocationAnswersDeps {
  lookup: Lookup;
  locations: Current<LocationDatabase>;
  operators?: Current<AsnDatabase>;
  /** of the service: another version may answer differently */
  version: string;
  defaultFields: readonly FieldName[];
  cacheSeconds: number;
}

type Headers = Readonly<Record<string, string>>;

/** Everything that stays the same as long as the databases do. */
interface DatabaseVersion {
  readonly locations: LocationDatabase;
  readonly operators: AsnDatabase | undefined;
  /** changes whenever the databases, the service or its settings do */
  readonly tag: string;
  readonly headers: Headers;
  /** of answers that anyone may store and that do not depend on the time, with their validator, by view */
  readonly validated: Map<View, Headers>;
}

/** Time zones change their UTC offset on a quarter hour. */
const QUARTER_HOUR_MS = 900_000;

type Request = FastifyRequest<{ Querystring: Query }>;

/** Answers with locations, and says who may store them for how long. */
export class LocationAnswers {
  readonly #deps: LocationAnswersDeps;
  #version: DatabaseVersion | undefined;

  constructor(deps: LocationAnswersDeps) {
    this.#deps = deps;
  }

  /** Answers with the location of the address a request names; anyone may store the answer. */
  sendAddress(request: Request, reply: FastifyReply, ip: string, view: View, time: Date): FastifyReply {
    const { query } = request;
    const { lookup, defaultFields } = this.#deps;
    const version = this.#currentVersion();
    const result = lookup.address(ip, query.lang, time);
    const fields = fieldsOf(query, defaultFields);
    const { contentType, body } = represent(result, view, fields, query);
    const headers = dependsOnTime(fieldsOfView(view, fields))
      ? this.#validatedUntilNextQuarter(version, view, contentType, result)
      : this.#validated(version, view, contentType);
    void reply.headers(headers);
    return fresh(request.headers, headers) ? reply.code(304).send() : send(reply, body);
  }

  /** Answers with the caller's location; caches must not store the answer. */
  sendCaller(request: Request, reply: FastifyReply, view: View, time: Date): FastifyReply {
    const { lookup, defaultFields } = this.#deps;
    const { headers } = this.#currentVersion();
    const { query } = request;
    const result = lookup.caller(request, query.lang, time);
    const { contentType, body } = represent(result, view, fieldsOf(query, defaultFields), query);
    void reply.headers({
      ...headers,
      ...PUBLIC_HEADERS,
      'cache-control': 'private, no-store',
      'content-type': contentType,
    });
    return send(reply, body);
  }

  #validated(version: DatabaseVersion, view: View, contentType: string): Headers {
    let validated = version.validated.get(view);
    if (!validated) version.validated.set(view, (validated = validatedOf(version, view, contentType, view)));
    return validated;
  }

  /** An answer with a UTC offset may only be stored until that can change. */
  #validatedUntilNextQuarter(
    version: DatabaseVersion,
    view: View,
    contentType: string,
    result: LookupResult,
  ): Headers {
    const offset = `${fieldOf(result, 'utc_offset')}`;
    const cacheControl = this.#publicFor(secondsToNextQuarter(result.time));
    return {
      ...validatedOf(version, view, contentType, `${view}${offset}`),
      'cache-control': cacheControl,
    };
  }

  #currentVersion(): DatabaseVersion {
    const { defaultFields } = this.#deps;
    const locations = this.#deps.locations.current;
    if (!locations) throw problemOf(new NoDatabase('no database has been loaded'));
    const operators = this.#deps.operators?.current;
    const known = this.#version;
    if (known?.locations === locations && known.operators === operators) return known;
    const { version, cacheSeconds } = this.#deps;
    const { builtAt, fingerprint } = locations.info;
    const link = licenseLinks(attributionsOf([locations, operators]));
    return (this.#version = {
      locations,
      operators,
      tag: digest([version, fingerprint, operators?.info.fingerprint ?? null, defaultFields]),
      headers: {
        ...OPEN_HEADERS,
        'cache-control': this.#publicFor(cacheSeconds),
        ...(builtAt && { 'x-database-date': builtAt.toISOString().slice(0, 10) }),
        ...(link !== undefined && { link }),
      },
      validated: new Map(),
    });
  }

  #publicFor(seconds: number): string {
    return `public, max-age=${Math.min(seconds, this.#deps.cacheSeconds)}`;
  }
}

/** @param variant what tells the representations of one URL apart: it can have several, by Accept */
const validatedOf = (
  { tag, headers }: DatabaseVersion,
  view: View,
  contentType: string,
  variant: string,
): Headers => {
  const etag = `W/"${tag}-${variant}"`;
  const more = view === 'json' ? {} : PUBLIC_HEADERS;
  return { ...headers, ...more, etag, 'content-type': contentType };
};

const secondsToNextQuarter = (time: Date): number =>
  Math.floor((QUARTER_HOUR_MS - (time.getTime() % QUARTER_HOUR_MS)) / 1000);

const digest = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 12);

/** The body is final; without a serializer of its own, Fastify would add a charset to `application/json`. */
const send = (reply: FastifyReply, body: string): FastifyReply => reply.serializer(identity).send(body);

const identity = (body: unknown): string => String(body);
