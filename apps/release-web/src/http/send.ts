import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from './representation.ts';
import { memoize } from './memoize.ts';
import { chooseEncoding } from './accept-encoding.ts';
import { isNotModified } from './not-modified.ts';

/** Since when and until when an answer holds; a snapshot says it for all of its answers. */
export interface Validity {
  /** null: not known, so that the ETag validates alone */
  readonly lastModified: Date | null;
  /** the same as an HTTP date, written once and not for every request */
  readonly lastModifiedText: string | null;
  /** null: until the facts change */
  readonly nextTransition: Date | null;
}

/** There are few kinds of clients: what they take is read once a kind. */
const encodingFor = memoize(256, chooseEncoding);

const LONGEST_FRESH_SECONDS = 300;
const freshFor = (seconds: number): string => `public, max-age=${seconds}`;
/** The `Cache-Control` of what no transition changes. */
export const LONGEST_FRESH = freshFor(LONGEST_FRESH_SECONDS);

/** Sends an answer in the form the client takes, with validators; or 304 when it has it already. */
export const sendAnswer = (
  request: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  answer: Answer,
  { lastModified, lastModifiedText, nextTransition }: Validity,
  now: Date,
): FastifyReply => {
  const encoding = encodingFor(request.headers['accept-encoding'] ?? 'identity');
  const { body, etag } = answer.variants[encoding];
  void reply.headers({
    etag,
    ...(lastModifiedText !== null && { 'last-modified': lastModifiedText }),
    'cache-control': nextTransition === null ? LONGEST_FRESH : freshFor(secondsUntil(nextTransition, now)),
    vary: 'Accept-Encoding',
  });
  if (!answer.isUnconditional && isNotModified(request.headers, { etag, lastModified })) {
    return reply.code(304).send();
  }
  if (encoding !== 'identity') void reply.header('content-encoding', encoding);
  return reply.header('content-type', answer.contentType).send(body);
};

/** No answer is fresh beyond the moment at which it changes. */
const secondsUntil = (nextTransition: Date, now: Date): number =>
  Math.min(LONGEST_FRESH_SECONDS, Math.floor((nextTransition.getTime() - now.getTime()) / 1000));
