import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '@workspace/service-kit';
import type { Rendered, SnapshotStore } from '../../application/snapshot-store.ts';
import type { Representation } from '../representation.ts';
import type { Responses } from '../responses.ts';
import { send, type Validity, validityToday } from '../send.ts';

/** What every route that answers from the snapshot needs. */
export interface ResponseSource {
  readonly clock: Clock;
  readonly store: SnapshotStore<Responses>;
}

/** Answers a request with what `pick` takes from the responses that hold when it comes; the clock is read once. */
export const responder =
  ({ clock, store }: ResponseSource) =>
  <R extends Pick<FastifyRequest, 'headers'>>(
    request: R,
    reply: FastifyReply,
    pick: (current: Rendered<Responses>, request: R, now: Date) => Representation,
    validity: (current: Rendered<Responses>, now: Date) => Validity = ({ responses }) => responses.validity,
  ): FastifyReply => {
    const now = clock();
    const current = store.at(now);
    return send(request, reply, pick(current, request, now), validity(current, now), now);
  };

/** The validity of what shows today. */
export const showsToday = ({ responses }: Rendered<Responses>, now: Date): Validity =>
  validityToday(responses.validity, now);
