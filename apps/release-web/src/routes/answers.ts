import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '@workspace/service-kit';
import { sendAnswer, type Validity } from '../http/send-answer.ts';
import type { Answer } from '../snapshot/answer.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { SnapshotStore } from '../snapshot/snapshot-store.ts';

/** What every route that answers from the snapshot needs. */
export interface AnswerSource {
  readonly clock: Clock;
  readonly store: SnapshotStore;
}

/** A handler that picks an answer of the snapshot that holds when the request comes; the clock is read once. */
export const answers =
  (
    { clock, store }: AnswerSource,
    pick: (snapshot: Snapshot, request: FastifyRequest, now: Date) => Answer,
    validityOf: (snapshot: Snapshot, now: Date) => Validity = (snapshot) => snapshot,
  ) =>
  (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const now = clock();
    const snapshot = store.at(now);
    return sendAnswer(request, reply, pick(snapshot, request, now), validityOf(snapshot, now), now);
  };
