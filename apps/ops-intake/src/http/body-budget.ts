import { Transform, type TransformCallback } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ProblemError } from '@workspace/service-kit';

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
