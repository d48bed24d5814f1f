import type { FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import { yieldToEventLoop } from '@workspace/http-connections';
import { chooseEncoding, type Encoding, OPEN_HEADERS } from '@workspace/service-kit';
import { DAY_MS, midnightOf } from '../../domain/utc-day.ts';
import type { Representation } from './representation.ts';

/** Since when and until when a response is valid; a snapshot has the same times for all of its responses. */
export interface Validity {
  readonly lastModified: Date;
  /** the same as an HTTP date, written once and not for every request */
  readonly lastModifiedText: string;
  /** null: until the facts change */
  readonly nextTransition: Date | null;
}

export const validityOf = (lastModified: Date, nextTransition: Date | null): Validity => ({
  lastModified,
  lastModifiedText: lastModified.toUTCString(),
  nextTransition,
});

/** The validity of a response that shows today: it changes at midnight (UTC) too. */
export const validityToday = ({ lastModified, nextTransition }: Validity, now: Date): Validity => {
  const today = midnightOf(now);
  const tomorrow = new Date(today.getTime() + DAY_MS);
  return validityOf(
    lastModified > today ? lastModified : today,
    nextTransition && nextTransition < tomorrow ? nextTransition : tomorrow,
  );
};

const LONGEST_FRESH_SECONDS = 300;
const freshFor = (seconds: number): string => `public, max-age=${seconds}`;
/** The `Cache-Control` of what no transition changes. */
export const LONGEST_FRESH = freshFor(LONGEST_FRESH_SECONDS);

/** Larger bodies take turns of the event loop: writing one takes as long as several small responses. */
const AT_ONCE_BYTES = 65_536;

/** The facts are public: any page may read them. And browsers must not guess the type of a response. */
export const PUBLIC_HEADERS = { ...OPEN_HEADERS, 'x-content-type-options': 'nosniff' };

/**
 * Sends a representation in the encoding the client accepts, with validators; or 304 when the client has it already. It is
 * written past Fastify, whose `onSend` hooks do not see it. Fastify sends bytes as a buffer only, which Node writes beside the
 * head; text is written together with the head, for a tenth less CPU a request.
 *
 * Headers that hooks or routes have set on the reply are not sent: reading them takes longer than writing these.
 * @param staleSince the day of the last change, of data that may be out of date
 */
export const send = (
  request: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  representation: Representation,
  { lastModified, lastModifiedText, nextTransition }: Validity,
  now: Date,
  staleSince?: string,
): FastifyReply => {
  const encoding = encodingFor(request.headers['accept-encoding'] ?? 'identity');
  const { text, body, etag } = representation.variant(encoding);
  // Never later than the response itself: the publisher's clock may be ahead.
  const modified = lastModified.getTime() > now.getTime() ? now.toUTCString() : lastModifiedText;
  const isFresh = !representation.isUnconditional && clientHas(request.headers, etag, modified, now);
  // Names and values in turns: Node writes a list faster than an object. And one that need not grow.
  const headers = [
    'access-control-allow-origin',
    PUBLIC_HEADERS['access-control-allow-origin'],
    'access-control-expose-headers',
    PUBLIC_HEADERS['access-control-expose-headers'],
    'x-content-type-options',
    PUBLIC_HEADERS['x-content-type-options'],
    'etag',
    etag,
    'last-modified',
    modified,
    'vary',
    'Accept-Encoding',
    'cache-control',
    nextTransition === null ? LONGEST_FRESH : freshUntil(nextTransition, now),
  ];
  if (request.headers['x-request-id']) headers.push('x-request-id', reply.request.id);
  if (staleSince !== undefined) headers.push('x-stale-data', staleSince);
  if (representation.link) headers.push('link', representation.link);
  const { raw } = reply.hijack();
  if (isFresh) {
    raw.writeHead(304, headers).end();
    return reply;
  }
  if (representation.policy) headers.push('content-security-policy', representation.policy);
  if (encoding !== 'identity') headers.push('content-encoding', encoding);
  headers.push('content-type', representation.contentType, 'content-length', String(body.length));
  if (text !== undefined) raw.writeHead(200, headers).end(text, 'latin1');
  else if (body.length <= AT_ONCE_BYTES) raw.writeHead(200, headers).end(body);
  else void yieldToEventLoop(raw).then(() => raw.writeHead(200, headers).end(body));
  return reply;
};

/** Most conditional requests name this one ETag. */
const clientHas = (headers: FastifyRequest['headers'], etag: string, modified: string, now: Date): boolean =>
  (headers['if-none-match'] === etag && headers['cache-control'] === undefined) ||
  fresh(withPastDate(headers, now), { etag, 'last-modified': modified });

const withPastDate = (headers: FastifyRequest['headers'], now: Date): FastifyRequest['headers'] => {
  const since = headers['if-modified-since'];
  return since === undefined ? headers : { ...headers, 'if-modified-since': pastUtcDate(since, now) };
};

/**
 * No response is fresh beyond the moment at which it changes. Nor may a cache send it after that while it fetches the new one,
 * as Varnish does for ten seconds unless told otherwise.
 */
const freshUntil = (nextTransition: Date, now: Date): string => {
  const seconds = Math.floor((nextTransition.getTime() - now.getTime()) / 1000);
  if (seconds >= 2 * LONGEST_FRESH_SECONDS) return LONGEST_FRESH;
  return `${freshFor(Math.min(seconds, LONGEST_FRESH_SECONDS))}, stale-while-revalidate=0`;
};

/** The headers of browsers and HTTP libraries are short and few; parsing them again costs a tenth of a small request. */
const REMEMBERED_HEADERS = 64;
const REMEMBERED_LENGTH = 64;
const encodings = new Map<string, Encoding>();

const encodingFor = (header: string): Encoding => {
  const known = encodings.get(header);
  if (known) return known;
  const encoding = chooseEncoding(header);
  if (header.length <= REMEMBERED_LENGTH && encodings.size < REMEMBERED_HEADERS) {
    encodings.set(header, encoding);
  }
  return encoding;
};

const TIME = '\\d\\d:\\d\\d:\\d\\d';
const FIXED = new RegExp(`^[A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4} ${TIME} GMT$`);
const RFC_850 = new RegExp(`^[A-Z][a-z]+day, \\d\\d-[A-Z][a-z]{2}-\\d\\d ${TIME} GMT$`);
const ASCTIME = new RegExp(`^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \\d]\\d ${TIME} \\d{4}$`);

/**
 * An HTTP date as `Date.parse` reads it, whatever the time zone of the process is: all three forms are in UTC (RFC 9110, 5.6.7).
 * @returns undefined for other text, which recipients have to ignore, and for a date to come: a clock was ahead, or is behind
 */
export const pastUtcDate = (text: string, now: Date): string | undefined => {
  const date = ASCTIME.test(text) ? `${text} GMT` : text;
  const isDate = date !== text || FIXED.test(text) || RFC_850.test(text);
  return isDate && Date.parse(date) <= now.getTime() ? date : undefined;
};

/** Sends a client elsewhere. Caches may remember it as long as any answer, but no longer: facts may move it. */
export const redirect = (reply: FastifyReply, url: string, status: 301 | 302): FastifyReply =>
  reply.header('cache-control', LONGEST_FRESH).redirect(url, status);
