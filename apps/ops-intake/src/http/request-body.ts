import { Transform, type TransformCallback } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { commonProblems, ProblemError, type Service } from '@workspace/service-kit';
import { problems } from '../problems.ts';

const DECODERS = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['br', createBrotliDecompress],
]);

const decoderOf = (request: FastifyRequest): Transform | undefined => {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase();
  if (encoding === undefined || encoding === 'identity') return undefined;
  const create = DECODERS.get(encoding);
  if (create) return create();
  throw new ProblemError(problems['unsupported-content-encoding'], {
    detail: 'Content-Encoding may be gzip or br.',
    headers: { 'accept-encoding': 'gzip, br' },
  });
};

export interface BodyOptions {
  /** most bytes of a body, compressed and uncompressed */
  limitBytes: number;
  budget: BodyBudget;
}

/** 413 for a body whose announced length is over the limit, 503 for one that does not fit into the budget now. */
export const admitBody = (request: FastifyRequest, { limitBytes, budget }: BodyOptions): void => {
  if (Number(request.headers['content-length']) > limitBytes) throw tooLarge();
  budget.admit(request);
};

/**
 * Bodies are JSON and stay bytes: the route parses them itself, so that a number is published as it was written.
 *
 * A compressed body is decompressed as it arrives. The limit applies to both its forms: a small body may decompress to
 * gigabytes, and an endless one to nothing at all.
 */
export const takeJsonAsBytes = (app: Service, options: BodyOptions): void => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  app.addHook('preParsing', (request, reply, payload, done) => {
    try {
      done(null, unpackedAndCounted(request, reply, payload, options));
    } catch (error) {
      done(error as ProblemError);
    }
  });
};

const tooLarge = (): ProblemError => new ProblemError(commonProblems['body-too-large']);

/** The stream Fastify reads the body from. It knows how many bytes came over the wire, which Content-Length counts. */
const unpackedAndCounted = (
  request: FastifyRequest,
  reply: FastifyReply,
  payload: RequestPayload,
  { limitBytes, budget }: BodyOptions,
): RequestPayload => {
  const decoder = decoderOf(request);
  const counter = budget.counter(request, reply);
  if (!counter) return payload;
  const body = Object.assign(counter, { receivedEncodedLength: 0 });
  const first = decoder ?? body;

  /** Fails the body. The rest of it is read and dropped until the connection is closed. */
  const fail = (error: Error): void => {
    payload.unpipe(first);
    payload.resume();
    decoder?.destroy();
    body.destroy(error);
  };
  payload.on('data', (chunk: Buffer) => {
    body.receivedEncodedLength += chunk.length;
    if (body.receivedEncodedLength > limitBytes && !body.destroyed) fail(tooLarge());
  });
  decoder?.on('error', fail).pipe(body);
  // Fastify stops listening once it has rejected a body; later errors still need a listener.
  body.on('error', fail);
  reply.raw.once('close', () => {
    decoder?.destroy();
    body.destroy();
  });
  payload.pipe(first);
  return body;
};

/** Bodies below this are too small to matter: hundreds of connections hold a few megabytes of them. */
const SMALL_BODY_BYTES = 65_536;

export interface BodyBudgetOptions {
  /** most bytes of large bodies, uncompressed, that are received or worked on at once */
  bytes: number;
  /** the problem of a body that the budget has no room for */
  full: (request: FastifyRequest) => ProblemError;
}

/** Limits the memory that large bodies take together, so that they cannot take more than the queue behind them may. */
export interface BodyBudget {
  /** Throws for a body whose announced length does not fit in now. Nothing is set aside for it: only bytes count. */
  admit(request: FastifyRequest): void;
  /** A stream that counts a body, uncompressed, as it arrives; undefined for one that is announced as small and plain. */
  counter(request: FastifyRequest, reply: FastifyReply): Transform | undefined;
}

export const createBodyBudget = ({ bytes, full }: BodyBudgetOptions): BodyBudget => {
  let held = 0;
  return {
    admit: (request) => {
      const length = announcedBytes(request);
      if (length !== undefined && length > SMALL_BODY_BYTES && held + length > bytes) throw full(request);
    },
    counter: (request, reply) => {
      if ((announcedBytes(request) ?? Infinity) <= SMALL_BODY_BYTES) return undefined;
      let received = 0;
      let counted = 0;
      reply.raw.once('close', () => {
        held -= counted;
      });
      return new Transform({
        transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback) {
          received += chunk.length;
          if (received > SMALL_BODY_BYTES) {
            const more = received - counted;
            if (held + more > bytes) {
              done(full(request));
              return;
            }
            held += more;
            counted = received;
          }
          done(null, chunk);
        },
      });
    },
  };
};

/** The length of a body before it has arrived; undefined when it is chunked, or compressed and of unknown size within. */
const announcedBytes = ({ headers }: FastifyRequest): number | undefined => {
  const { 'content-length': length, 'content-encoding': encoding } = headers;
  return length === undefined || encoding !== undefined ? undefined : Number(length);
};
