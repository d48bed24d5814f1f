import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { errorCodes, type FastifyReply, type FastifyRequest } from 'fastify';
import { type ClientNetwork, ClientShares, detach } from '@workspace/http-connections';
import type { Service } from '@workspace/service-kit';
import { commonProblems, ProblemError } from '@workspace/service-kit/problems';
import { problems } from '../../problems.ts';

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

const NOT_ENCODED = 'The body is not what its Content-Encoding says.';
const NO_BYTES = Buffer.alloc(0);

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
export const takeJsonAsBytes = (app: Service, body: BodyOptions): void => {
  app.decorateRequest('countedBody', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    body.budget.watch(request, reply);
    done();
  });
  takeAsBytes(app, 'application/json', body);
};

/** Takes bodies of this media type, and of no other. */
export const takeAsBytes = (app: Service, mediaType: string, { limitBytes, budget }: BodyOptions): void => {
  app.removeAllContentTypeParsers();
  // Reading it here instead of having Fastify hand over a buffer saves every request a copy and a hook.
  app.addContentTypeParser(mediaType, (request, payload: IncomingMessage, done) => {
    const decoder = decoderOf(request);
    let bytes: Buffer = NO_BYTES;
    let length = 0;
    let encodedLength = 0;
    const mostBytes = Math.min(announcedBytes(request) || limitBytes, limitBytes);
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
      const whole = length + chunk.length;
      if (whole > limitBytes) {
        fail(tooLarge());
        return;
      }
      // Most bodies come as one chunk, which is kept as it is. Others are merged: a Buffer takes more than a few bytes.
      const capacity = Math.max(whole, length === 0 ? 0 : Math.min(2 * bytes.length, mostBytes));
      const grows = whole > bytes.length;
      if (grows && !budget.count(request, capacity - bytes.length)) {
        detach(chunk);
        fail(budget.full(request));
        return;
      }
      if (length === 0) bytes = chunk;
      else {
        if (grows) {
          const outgrown = bytes;
          outgrown.copy((bytes = Buffer.allocUnsafeSlow(capacity)), 0, 0, length);
          if (!decoder) detach(outgrown);
        }
        chunk.copy(bytes, length);
        // A decoder still uses the memory of its chunks.
        if (!decoder) detach(chunk);
      }
      length = whole;
    });
    source.on('end', () => end(null, bytes.length === length ? bytes : bytes.subarray(0, length)));
    payload.on('error', (error) => fail(Object.assign(error, { statusCode: 400 })));
    if (!decoder) return;
    decoder.on('error', (cause) =>
      fail(new ProblemError(commonProblems['bad-request'], { detail: NOT_ENCODED, cause })),
    );
    payload.on('data', (chunk: Buffer) => {
      encodedLength += chunk.length;
      if (!isOver && encodedLength > limitBytes) fail(tooLarge());
    });
  });
};

/**
 * Frees the memory of a large body that the log has: V8 collects all garbage after every 64 MB of such memory. It must not be
 * used any more.
 */
export const detachLargeBody = ({ body }: FastifyRequest): void => {
  if (Buffer.isBuffer(body) && body.length > SMALL_BODY_BYTES) detach(body);
};

/** Fastify's own error: for an unknown path, service-kit reports that path instead. */
const tooLarge = (): Error => new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();

/** What a request with a body holds of the budget. */
interface CountedBody {
  counted: number;
  /** who holds it; no one before it is admitted, and for streams, which have shares of their own */
  clients: readonly ClientNetwork[];
  isClosed: boolean;
  isWorkedOn: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    countedBody?: CountedBody | undefined;
  }
}

/** What a request with a body takes besides the body: objects of Node and of Fastify, headers, the answer. */
const REQUEST_BYTES = 8_192;

/** Most bodies are far smaller; larger ones leave a part of the budget to them. */
const SMALL_BODY_BYTES = 16_384;
const PART_OF_SMALL_BODIES = 1 / 8;

/** How many of the largest bodies one client may always hold, if there is room: one that arrives while another waits for Kafka. */
const BODIES_OF_CLIENT = 2;

export interface BodyBudgetOptions {
  /** most bytes of bodies, uncompressed, that are received or worked on at once */
  bytes: number;
  /** most bytes of one body */
  limitBytes: number;
  clientsOf: (request: FastifyRequest) => readonly ClientNetwork[];
  /** the problem of a body that the budget has no room for */
  full: (request: FastifyRequest) => ProblemError;
}

/**
 * Limits the memory that bodies take together, so that they cannot take more than the queue behind them may. Large bodies leave
 * an eighth of it to small ones, and each client as much as it takes itself, or two of the largest bodies, to others.
 */
export interface BodyBudget {
  /** Throws for a body whose announced length does not fit in now. Nothing is set aside for it: only bytes count. */
  admit(request: FastifyRequest): void;
  /** Counts a request with a body, and lets its body be counted, until the response is closed and the body is not worked on. */
  watch(request: FastifyRequest, reply: FastifyReply): void;
  /** Counts a body until the work on it has ended, also when its client has gone. @returns what the work results in */
  during<Result>(request: FastifyRequest, work: Promise<Result>): Promise<Result>;
  /** Counts more memory for a body that arrives. @returns false when there is no room */
  count(request: FastifyRequest, bytes: number): boolean;
  /** the problem of a body that the budget has no room for */
  full(request: FastifyRequest): ProblemError;
}

export const createBodyBudget = ({ bytes, limitBytes, clientsOf, full }: BodyBudgetOptions): BodyBudget => {
  // The largest body always has room when it is alone.
  const limit = bytes + REQUEST_BYTES;
  const limitOfLarge = Math.max(bytes * (1 - PART_OF_SMALL_BODIES), limitBytes) + REQUEST_BYTES;
  const shares = new ClientShares(limit);
  const floor = BODIES_OF_CLIENT * limitBytes;
  /** @param length of the whole body, as far as it is known */
  const hasRoom = (clients: readonly ClientNetwork[], more: number, length: number): boolean =>
    shares.hasRoom(clients, more, floor, length > SMALL_BODY_BYTES ? limit - limitOfLarge : 0);
  return {
    full,
    admit: (request) => {
      const length = announcedBytes(request);
      const clients = clientsOf(request);
      const one = request.countedBody;
      // Its client may have gone while the rate limit was asked for.
      if (one && !one.isClosed) {
        shares.add(one.clients, -one.counted);
        shares.add((one.clients = clients), one.counted);
      }
      if (!hasRoom(clients, length, length)) throw full(request);
    },
    watch: (request, reply) => {
      if (!hasBody(request)) return;
      const one: CountedBody = { counted: REQUEST_BYTES, clients: [], isClosed: false, isWorkedOn: false };
      shares.add(one.clients, one.counted);
      // `once` would make two more objects for each request, to the same effect: it closes once.
      reply.raw.on('close', () => {
        one.isClosed = true;
        if (!one.isWorkedOn) shares.add(one.clients, -one.counted);
      });
      request.countedBody = one;
    },
    during: async ({ countedBody: one }, work) => {
      if (!one) return work;
      one.isWorkedOn = true;
      try {
        return await work;
      } finally {
        one.isWorkedOn = false;
        if (one.isClosed) shares.add(one.clients, -one.counted);
      }
    },
    count: ({ countedBody: one }, more) => {
      if (!one) return true;
      if (one.isClosed || !hasRoom(one.clients, more, one.counted - REQUEST_BYTES + more)) return false;
      shares.add(one.clients, more);
      one.counted += more;
      return true;
    },
  };
};

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** The length of a body before it has arrived; 0 when it is chunked, or compressed and of unknown size within. */
const announcedBytes = ({ headers }: FastifyRequest): number => {
  const { 'content-length': length = 0, 'content-encoding': encoding } = headers;
  return encoding === undefined ? Number(length) : 0;
};
