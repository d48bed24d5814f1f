import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from '@workspace/service-kit/problems';
import type { Clock } from '@workspace/service-process';
import { type Catalogue, isoDate } from '@workspace/release-catalogue';
import { isStale } from '../../domain/data-age.ts';
import type { Snapshot } from '../../application/snapshot.ts';
import type { Rendered, SnapshotStore } from '../../application/snapshot-store.ts';
import { problems } from '../../problems.ts';
import type { Site } from '../site.ts';
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

/** What routes that answer from the snapshot are made with. */
export class Answers {
  readonly site: Site;
  readonly #options: AnswersOptions;

  constructor(options: AnswersOptions) {
    this.site = options.site;
    this.#options = options;
  }

  /** To be called once for each answer, before the first request. @returns finds it in the current snapshot */
  prepare<T>(prepare: Prepare<T>): (current: Current) => T {
    return this.#options.preparations.add(prepare);
  }

  /** Whether there is data to answer with. */
  get hasData(): boolean {
    const { clock, store } = this.#options;
    return store.at(clock()) !== null;
  }

  /** What holds now. @throws ProblemError when there is no data yet */
  get snapshot(): Snapshot {
    return this.#at(this.#options.clock()).snapshot;
  }

  /** Answers a request with what `pick` finds in what holds when it comes; the clock is read once. */
  respond<R extends Pick<FastifyRequest, 'headers'>>(
    request: R,
    reply: FastifyReply,
    pick: (current: Current, request: R, now: Date) => Representation,
    validity: (current: Current, now: Date) => Validity = ({ responses }) => responses.validity,
  ): FastifyReply {
    const now = this.#options.clock();
    const current = this.#at(now);
    const { revision } = current.snapshot.catalogue;
    const staleSince = isStale(revision, now, this.site.staleDays) ? isoDate(revision) : undefined;
    return send(request, reply, pick(current, request, now), validity(current, now), now, staleSince);
  }

  #at(now: Date): Current {
    const current = this.#options.store.at(now);
    if (current) return current;
    throw new ProblemError(problems['no-data'], { headers: { 'retry-after': RETRY_AFTER } });
  }
}

/** The validity of a response that shows today. */
export const showsToday = ({ responses }: Current, now: Date): Validity =>
  validityToday(responses.validity, now);
