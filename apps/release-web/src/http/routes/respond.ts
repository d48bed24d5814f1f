import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Clock, ProblemError } from '@workspace/service-kit';
import type { Rendered, SnapshotStore } from '../../application/snapshot-store.ts';
import { problems } from '../../problems.ts';
import type { Representation } from '../representation.ts';
import type { Responses } from '../responses.ts';
import { send, type Validity, validityToday } from '../send.ts';

/** What every route that answers from the snapshot needs. */
export interface ResponseSource {
  readonly clock: Clock;
  readonly store: SnapshotStore<Responses>;
}

/** Seconds after which a client may ask again: the data is checked every second. */
const RETRY_AFTER = '10';

/**
 * What holds at an instant.
 * @throws ProblemError when there is no data yet
 */
export const currentResponses = ({ store }: ResponseSource, now: Date): Rendered<Responses> => {
  const current = store.at(now);
  if (current) return current;
  throw new ProblemError(problems['no-data'], { headers: { 'retry-after': RETRY_AFTER } });
};

/** Answers a request with what `pick` takes from the responses that hold when it comes; the clock is read once. */
export const responder =
  (source: ResponseSource) =>
  <R extends Pick<FastifyRequest, 'headers'>>(
    request: R,
    reply: FastifyReply,
    pick: (current: Rendered<Responses>, request: R, now: Date) => Representation,
    validity: (current: Rendered<Responses>, now: Date) => Validity = ({ responses }) => responses.validity,
  ): FastifyReply => {
    const now = source.clock();
    const current = currentResponses(source, now);
    return send(request, reply, pick(current, request, now), validity(current, now), now);
  };

/** The validity of what shows today. */
export const showsToday = ({ responses }: Rendered<Responses>, now: Date): Validity =>
  validityToday(responses.validity, now);
