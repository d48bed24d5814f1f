import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { errorCodes, type FastifyReply, type FastifyRequest } from 'fastify';
import { ProblemError, type Service } from '@workspace/service-kit';
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
export const takeJsonAsBytes = (app: Service, { limitBytes, budget }: BodyOptions): void => {
  app.addHook('onRequest', (request, reply, done) => {
    budget.watch(request, reply);
    done();
  });
  app.removeAllContentTypeParsers();
  // Reading it here instead of having Fastify hand over a buffer saves every request a copy and a hook.
  app.addContentTypeParser('application/json', (request, payload: IncomingMessage, done) => {
    const decoder = decoderOf(request);
    const count = budget.counterOf(request);
    const chunks: Buffer[] = [];
    let length = 0;
    let encodedLength = 0;
    let isOver = false;

    const end = (error: Error | null, body?: Buffer): void => {
      if (isOver) return;
      isOver = true;
      done(error, body);
    };
    /** The rest of the body is read and dropped until the connection is closed. */
    const fail = (error: Error): void => {
      if (decoder) payload.unpipe(decoder);
      payload.resume();
      decoder?.destroy();
      end(error);
    };
    const source = decoder ? payload.pipe(decoder) : payload;
    source.on('data', (chunk: Buffer) => {
      if (isOver) return;
      length += chunk.length;
      if (length > limitBytes) fail(tooLarge());
      else if (count?.(chunk.length) === false) fail(budget.full(request));
      else chunks.push(chunk);
    });
    source.on('end', () => end(null, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length)));
    payload.on('error', (error) => fail(asClientError(error)));
    if (!decoder) return;
    decoder.on('error', (error) => fail(asClientError(error)));
    payload.on('data', (chunk: Buffer) => {
      encodedLength += chunk.length;
      if (!isOver && encodedLength > limitBytes) fail(tooLarge());
    });
  });
};

/** Fastify's own error: for an unknown path, the kit reports that path instead. */
const tooLarge = (): Error => new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();

/** A body that breaks off, or is not what its Content-Encoding says. */
const asClientError = (error: Error): Error => Object.assign(error, { statusCode: 400 });

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
  /** Lets a body be counted until the response is closed, unless it is announced as small and plain. */
  watch(request: FastifyRequest, reply: FastifyReply): void;
  /** Counts uncompressed bytes of a body as they arrive; false when there is no room. Undefined when it is not counted. */
  counterOf(request: FastifyRequest): ((bytes: number) => boolean) | undefined;
  /** the problem of a body that the budget has no room for */
  full(request: FastifyRequest): ProblemError;
}

export const createBodyBudget = ({ bytes, full }: BodyBudgetOptions): BodyBudget => {
  let held = 0;
  const counters = new WeakMap<IncomingMessage, (bytes: number) => boolean>();
  return {
    full,
    admit: (request) => {
      const length = announcedBytes(request);
      if (length !== undefined && length > SMALL_BODY_BYTES && held + length > bytes) throw full(request);
    },
    watch: (request, reply) => {
      if (!hasBody(request) || (announcedBytes(request) ?? Infinity) <= SMALL_BODY_BYTES) return;
      let received = 0;
      let counted = 0;
      let isClosed = false;
      reply.raw.once('close', () => {
        isClosed = true;
        held -= counted;
      });
      counters.set(request.raw, (more) => {
        received += more;
        if (received <= SMALL_BODY_BYTES) return true;
        const uncounted = received - counted;
        if (isClosed || held + uncounted > bytes) return false;
        held += uncounted;
        counted = received;
        return true;
      });
    },
    counterOf: ({ raw }) => counters.get(raw),
  };
};

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** The length of a body before it has arrived; undefined when it is chunked, or compressed and of unknown size within. */
const announcedBytes = ({ headers }: FastifyRequest): number | undefined => {
  const { 'content-length': length, 'content-encoding': encoding } = headers;
  return length === undefined || encoding !== undefined ? undefined : Number(length);
};
