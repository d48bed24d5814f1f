import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { Static, TSchema } from '@sinclair/typebox';
import { isoDate } from '@workspace/release-catalogue';
import type { Service } from '@workspace/service-kit';
import { ProblemError } from '@workspace/service-kit/problems';
import type { Clock } from '@workspace/service-process';
import type { Snapshot } from '../../application/snapshot.ts';
import { isStale } from '../../domain/utc-day.ts';
import { problems } from '../../problems.ts';
import type { Site } from '../site.ts';
import { aliased } from './aliased.ts';
import type { Representation } from './representation.ts';
import { send, validityToday } from './send.ts';
import type { Prepare, Prepared, SnapshotStore } from './snapshot-store.ts';

/** Seconds after which a client may ask again: the data is checked more often. */
const RETRY_AFTER = '10';

export interface AnswersOptions {
  readonly clock: Clock;
  readonly store: SnapshotStore;
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

/** A representation, or a function that picks one for a request. @throws ProblemError when none fits */
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
    const prepared = this.#options.store.prepare(prepare);
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
    prepared: (prepared: Prepared) => Answer<S>,
    withoutData: (reply: FastifyReply) => FastifyReply,
  ): FastifyReply {
    const { clock, store } = this.#options;
    const now = clock();
    const current = store.at(now);
    if (!current) return withoutData(reply);
    const { revision } = current.snapshot.catalogue;
    const staleSince = isStale(revision, now, this.site.settings.DATA_STALE_DAYS)
      ? isoDate(revision)
      : undefined;
    const answer = prepared(current);
    const representation = typeof answer === 'function' ? answer(request, now) : answer;
    const { validity } = current;
    const validNow = representation.showsToday ? validityToday(validity, now) : validity;
    return send(request, reply, representation, validNow, now, staleSince);
  }
}

const noData = (): never => {
  throw new ProblemError(problems['no-data'], { headers: { 'retry-after': RETRY_AFTER } });
};
