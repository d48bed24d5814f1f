import type { FastifyReply, FastifyRequest } from 'fastify';
import { queueFull } from './admission.ts';

/** Bodies below this are too small to matter: hundreds of connections hold a few megabytes of them. */
const SMALL_BODY_BYTES = 65_536;

export interface BodyBudget {
  /** most bytes of large bodies that are received or worked on at once */
  bytes: number;
  /** counted for a body that does not say how large it is, or will be once unpacked */
  unknownBytes: number;
}

/**
 * Refuses large bodies beyond a budget before they are read, so that many large submissions at once cannot take more
 * memory than the queue behind them may. Hook it in before the body is parsed.
 */
export const bodyBudget = ({ bytes, unknownBytes }: BodyBudget) => {
  let held = 0;
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const { 'content-length': length, 'content-encoding': encoding } = request.headers;
    const size = length === undefined || encoding !== undefined ? unknownBytes : Number(length);
    if (size <= SMALL_BODY_BYTES) return;
    if (held + size > bytes) {
      throw queueFull();
    }
    held += size;
    reply.raw.once('close', () => {
      held -= size;
    });
  };
};
