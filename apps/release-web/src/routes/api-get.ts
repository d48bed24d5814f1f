import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { Operations } from '../http/operation.ts';
import type { Answer } from '../snapshot/answer.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { answers, type AnswerSource } from './answers.ts';

interface ApiOperation<P extends TObject, Q extends TObject> {
  /** below `/api/v1` */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly params?: P;
  readonly query?: Q;
  /** the shape of the answer */
  readonly answer: TSchema;
}

/** A path of `/api/v1` that answers JSON; what its schemas let through reaches `pick` with their types. */
export const apiGet = <P extends TObject, Q extends TObject>(
  operations: Operations,
  source: AnswerSource,
  { path, id, summary, params, query, answer }: ApiOperation<P, Q>,
  pick: (snapshot: Snapshot, request: { params: Static<P>; query: Static<Q> }) => Answer,
): void =>
  operations.get(
    {
      path: `/api/v1${path}`,
      id,
      tag: 'api',
      summary,
      answers: { 'application/json': answer },
      ...(params && { params }),
      ...(query && { query }),
    },
    // Fastify has judged both by these very schemas before it calls.
    answers(source, (snapshot, request) =>
      pick(snapshot, request as { params: Static<P>; query: Static<Q> }),
    ),
  );
