import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '@workspace/service-kit';
import { sendAnswer, type Validity } from '../send.ts';
import type { Answer } from '../representation.ts';
import type { Snapshot } from '../responses.ts';
import type { SnapshotStore } from '../../application/snapshot-store.ts';

/** What every route that answers from the snapshot needs. */
export interface AnswerSource {
  readonly clock: Clock;
  readonly store: SnapshotStore;
}

/** Answers a request with what `pick` takes from the snapshot that holds when it comes; the clock is read once. */
export const answering =
  ({ clock, store }: AnswerSource) =>
  <R extends Pick<FastifyRequest, 'headers'>>(
    request: R,
    reply: FastifyReply,
    pick: (snapshot: Snapshot, request: R, now: Date) => Answer,
    validityOf: (snapshot: Snapshot, now: Date) => Validity = (snapshot) => snapshot,
  ): FastifyReply => {
    const now = clock();
    const snapshot = store.at(now);
    return sendAnswer(request, reply, pick(snapshot, request, now), validityOf(snapshot, now), now);
  };
