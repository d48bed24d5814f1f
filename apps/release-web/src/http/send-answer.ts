import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from '../snapshot/answer.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { chooseEncoding } from './accept-encoding.ts';
import { isNotModified } from './not-modified.ts';

const LONGEST_FRESH_SECONDS = 300;

/** Sends an answer of a snapshot: the form the client takes, with validators; or 304 when it has it already. */
export const sendAnswer = (
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  snapshot: Snapshot,
  now: Date,
): FastifyReply => {
  const encoding = chooseEncoding(request.headers['accept-encoding']);
  const { body, etag } = answer.variants[encoding];
  void reply.headers({
    etag,
    'last-modified': snapshot.lastModified.toUTCString(),
    'cache-control': `public, max-age=${freshSeconds(snapshot, now)}`,
    vary: 'Accept-Encoding',
  });
  if (isNotModified(request.headers, { etag, lastModified: snapshot.lastModified })) {
    return reply.code(304).send();
  }
  if (encoding !== 'identity') void reply.header('content-encoding', encoding);
  return reply.header('content-type', answer.contentType).send(body);
};

/** No answer is fresh beyond the moment at which it changes. */
const freshSeconds = ({ nextTransition }: Snapshot, now: Date): number =>
  nextTransition === null
    ? LONGEST_FRESH_SECONDS
    : Math.min(LONGEST_FRESH_SECONDS, Math.floor((nextTransition.getTime() - now.getTime()) / 1000));
