import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { ProblemError, type Service } from '@workspace/service-kit';
import { problems } from '../problems.ts';

const DECODERS = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['br', createBrotliDecompress],
]);

const decoderOf = (encoding: string) => {
  const create = DECODERS.get(encoding);
  if (create) return create();
  throw new ProblemError(problems['unsupported-content-encoding'], {
    detail: 'Content-Encoding may be gzip or br.',
    headers: { 'accept-encoding': 'gzip, br' },
  });
};

/**
 * Unpacks a compressed body on its way in. Fastify holds the unpacked bytes against the body limit as they come, so
 * a small body that would unpack to gigabytes is refused after one megabyte; what is not of its encoding gets 400.
 */
const unpack = (request: FastifyRequest, reply: FastifyReply, payload: RequestPayload): RequestPayload => {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase();
  if (encoding === undefined || encoding === 'identity') return payload;
  const decoder = Object.assign(decoderOf(encoding), { receivedEncodedLength: 0 });
  payload.on('data', (chunk: Buffer) => {
    decoder.receivedEncodedLength += chunk.length;
  });
  // Fastify stops listening once it has refused a body; what comes after is nobody's error, and no work worth doing.
  decoder.on('error', (error) => request.log.debug({ err: error }, 'unpacking a body'));
  reply.raw.once('close', () => decoder.destroy());
  return payload.pipe(decoder);
};

/** Bodies are JSON and stay bytes: the route parses them itself, so that a number is published as it was written. */
export const takeJsonAsBytes = (app: Service): void => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  app.addHook('preParsing', async (request, reply, payload) => unpack(request, reply, payload));
};
