import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { Static, TSchema } from '@sinclair/typebox';
import type { Service } from '@workspace/service-kit';
import { ProblemError } from '@workspace/service-kit/problems';
import type { Clock } from '@workspace/service-process';
import { type Catalogue, isoDate } from '@workspace/release-catalogue';
import { isStale } from '../../domain/utc-day.ts';
import type { Rendered, Snapshot, SnapshotStore } from '../../application/snapshot.ts';
import { problems } from '../../problems.ts';
import type { Site } from '../site.ts';
import { aliased } from './aliased.ts';
import type { Representation } from './representation.ts';
import { RepresentationCache } from './representation-cache.ts';
import { send, type Validity, validityOf, validityToday } from './send.ts';

/** What the routes have prepared from a snapshot, by the order in which they asked for it. */
interface Prepared {
  readonly validity: Validity;
  readonly values: readonly unknown[];
}
type Current = Rendered<Prepared>;

/** Makes what a route answers with while a snapshot holds. @param cache for answers that depend on parameters */
export type Prepare<T> = (snapshot: Snapshot, cache: RepresentationCache) => T;

/** For answers that depend on parameters. All releases of PHP, each alone and encoded in two ways, need 6 MB. */
const CACHE_BYTES = 16 * 1024 * 1024;

/** What routes prepare for every snapshot before it is served. Facts from which something cannot be made are never served. */
export class Preparations {
  readonly #preparations: Prepare<unknown>[] = [];
  #rendered:
    { readonly catalogue: Catalogue; readonly lastModified: Date; readonly raisedTo: Date } | undefined;

  /** @returns finds in the current snapshot what was prepared */
  add<T>(prepare: Prepare<T>): (current: Current) => T {
    const index = this.#preparations.push(prepare) - 1;
    return ({ responses }) => responses.values[index] as T;
  }

  /** Prepares everything. @throws what a preparation throws, which is a mistake in this service */
  render(snapshot: Snapshot): Prepared {
    const cache = new RepresentationCache(CACHE_BYTES);
    const values = this.#preparations.map((prepare) => prepare(snapshot, cache));
    const raisedTo = this.#raisedTo(snapshot);
    const lastModified = raisedTo > snapshot.lastModified ? raisedTo : snapshot.lastModified;
    this.#rendered = { catalogue: snapshot.catalogue, lastModified, raisedTo };
    return { validity: validityOf(lastModified, snapshot.nextTransition), values };
  }

  /**
   * The earliest `Last-Modified` that the facts may have. A merge can bring facts that are older than the newest ones served before: they do not raise the
   * revision, but they are new to clients.
   */
  #raisedTo({ catalogue, builtAt, lastModified }: Snapshot): Date {
    const before = this.#rendered;
    if (!before) return new Date(0);
    if (before.lastModified < lastModified || isSame(before.catalogue, catalogue)) return before.raisedTo;
    return new Date(Math.max(before.lastModified.getTime(), builtAt.getTime()) + 1000);
  }
}

const isSame = (a: Catalogue, b: Catalogue): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

/** Seconds after which a client may ask again: the data is checked every second. */
const RETRY_AFTER = '10';

export interface AnswersOptions {
  readonly clock: Clock;
  readonly preparations: Preparations;
  /** renders with these preparations */
  readonly store: SnapshotStore<Prepared>;
  readonly site: Site;
}

interface RouteSchema extends FastifySchema {
  readonly params?: TSchema;
  readonly querystring?: TSchema;
}

type ValueOf<T> = T extends TSchema ? Static<T> : unknown;

/** A request by the schema of its route. */
interface Asked<S extends RouteSchema> {
  readonly url: string;
  readonly params: ValueOf<S['params']>;
  readonly query: ValueOf<S['querystring']>;
}

/** An answer, or what chooses it when a request comes. @throws ProblemError when there is none */
type Answer<S extends RouteSchema> = Representation | ((asked: Asked<S>, now: Date) => Representation);

/** What routes that answer from the snapshot are made with. */
export class Answers {
  readonly site: Site;
  readonly #app: Service;
  readonly #options: AnswersOptions;

  constructor(app: Service, options: AnswersOptions) {
    this.site = options.site;
    this.#app = app;
    this.#options = options;
  }

  /**
   * Adds a route.
   * @param paths the documented one first
   * @param prepare called once for each snapshot, before its first request
   * @param withoutData sends what is answered before there is data; a problem when left out
   */
  route<const S extends RouteSchema>(
    paths: string | readonly string[],
    schema: S,
    prepare: Prepare<Answer<S>>,
    withoutData: (reply: FastifyReply) => FastifyReply = noData,
  ): void {
    const prepared = this.#options.preparations.add(prepare);
    for (const [path, ofPath] of aliased<FastifySchema>([paths].flat(), schema)) {
      this.#app.get(path, { schema: ofPath }, (request, reply) =>
        this.#respond(request as unknown as Asked<S> & FastifyRequest, reply, prepared, withoutData),
      );
    }
  }

  /** What holds now. @throws ProblemError when there is no data yet */
  get snapshot(): Snapshot {
    const { clock, store } = this.#options;
    return (store.at(clock()) ?? noData()).snapshot;
  }

  /** Answers a request with what was prepared for what holds when it comes; the clock is read once. */
  #respond<S extends RouteSchema>(
    request: Asked<S> & FastifyRequest,
    reply: FastifyReply,
    prepared: (current: Current) => Answer<S>,
    withoutData: (reply: FastifyReply) => FastifyReply,
  ): FastifyReply {
    const { clock, store } = this.#options;
    const now = clock();
    const current = store.at(now);
    if (!current) return withoutData(reply);
    const { revision } = current.snapshot.catalogue;
    const staleSince = isStale(revision, now, this.site.staleDays) ? isoDate(revision) : undefined;
    const answer = prepared(current);
    const representation = typeof answer === 'function' ? answer(request, now) : answer;
    const { validity } = current.responses;
    const validNow = representation.showsToday ? validityToday(validity, now) : validity;
    return send(request, reply, representation, validNow, now, staleSince);
  }
}

const noData = (): never => {
  throw new ProblemError(problems['no-data'], { headers: { 'retry-after': RETRY_AFTER } });
};
