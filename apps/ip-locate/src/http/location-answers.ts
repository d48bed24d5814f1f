import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { isNotModified } from '@workspace/service-kit';
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
  cacheEntries: number;
  /** told of each answer that was looked for in memory, and whether it was there */
  onCacheLookup?: (hit: boolean) => void;
}

/** An answer that may be stored by anyone. */
interface Answer {
  readonly body: string;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
  /** whether it contains a UTC offset, and so may only be stored until that can change */
  readonly dependsOnTime: boolean;
}

/** Everything that stays the same as long as the databases do. */
interface DatabaseVersion {
  readonly locations: LocationDatabase;
  readonly operators: AsnDatabase | undefined;
  /** the quarter hour its answers in memory are for; 0 when they do not depend on the time */
  readonly quarter: number;
  /** changes whenever the databases, the service or its settings do */
  readonly tag: string;
  readonly headers: Readonly<Record<string, string>>;
  /** default JSON answers by the address as the request writes it */
  readonly answers: LRUCache<string, Answer>;
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
    const version = this.#currentVersion(time);
    const { fields, lang } = request.query;
    const isDefault = view === 'json' && fields === undefined && lang === undefined;
    let answer = isDefault ? version.answers.get(ip) : undefined;
    if (isDefault) this.#deps.onCacheLookup?.(answer !== undefined);
    if (!answer) {
      const result = this.#deps.lookup.address(ip, lang, time);
      answer = this.#answer(version, result, view, request.query);
      if (isDefault) version.answers.set(ip, answer);
    }
    void reply.headers(answer.headers);
    if (answer.dependsOnTime) void reply.header('cache-control', this.#publicFor(secondsToNextQuarter(time)));
    return isNotModified(request.headers, answer) ? reply.code(304).send() : send(reply, answer.body);
  }

  /** Answers with the caller's location; caches must not store the answer. */
  sendCaller(request: Request, reply: FastifyReply, view: View, time: Date): FastifyReply {
    const { lookup, defaultFields } = this.#deps;
    const { headers } = this.#currentVersion(time);
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

  #answer(version: DatabaseVersion, result: LookupResult, view: View, query: Query): Answer {
    const fields = fieldsOf(query, this.#deps.defaultFields);
    const { contentType, body } = represent(result, view, fields, query);
    const timed = dependsOnTime(fieldsOfView(view, fields));
    const offset = timed ? `${fieldOf(result, 'utc_offset')}` : '';
    // One URL can have several representations (by Accept), so the view is part of the validator.
    const etag = `W/"${version.tag}-${view}${offset}"`;
    const headers = {
      ...version.headers,
      ...(view === 'json' ? {} : PUBLIC_HEADERS),
      etag,
      'content-type': contentType,
    };
    return { body, etag, headers, dependsOnTime: timed };
  }

  #currentVersion(time: Date): DatabaseVersion {
    const { defaultFields } = this.#deps;
    const locations = this.#deps.locations.current;
    if (!locations) throw problemOf(new NoDatabase('no database has been loaded'));
    const operators = this.#deps.operators?.current;
    const quarter = dependsOnTime(defaultFields) ? Math.floor(time.getTime() / QUARTER_HOUR_MS) : 0;
    const known = this.#version;
    if (known?.locations === locations && known.operators === operators && known.quarter === quarter) {
      return known;
    }
    const { version, cacheEntries, cacheSeconds } = this.#deps;
    const { builtAt, fingerprint } = locations.info;
    const link = licenseLinks(attributionsOf([locations, operators]));
    return (this.#version = {
      locations,
      operators,
      quarter,
      tag: digest([version, fingerprint, operators?.info.fingerprint ?? null, defaultFields]),
      headers: {
        ...OPEN_HEADERS,
        'cache-control': this.#publicFor(cacheSeconds),
        ...(builtAt && { 'x-database-date': builtAt.toISOString().slice(0, 10) }),
        ...(link !== undefined && { link }),
      },
      answers: new LRUCache({ max: cacheEntries }),
    });
  }

  #publicFor(seconds: number): string {
    return `public, max-age=${Math.min(seconds, this.#deps.cacheSeconds)}`;
  }
}

const secondsToNextQuarter = (time: Date): number =>
  Math.floor((QUARTER_HOUR_MS - (time.getTime() % QUARTER_HOUR_MS)) / 1000);

const digest = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 12);

/** The body is final; without a serializer of its own, Fastify would add a charset to `application/json`. */
const send = (reply: FastifyReply, body: string): FastifyReply => reply.serializer(identity).send(body);

const identity = (body: unknown): string => String(body);
