import type { FastifyReply } from 'fastify';
import { LONGEST_FRESH } from './send.ts';

/** Sends a client elsewhere. Caches may remember it as long as any answer, but no longer: facts may move it. */
export const redirect = (reply: FastifyReply, url: string, status: 301 | 302): FastifyReply =>
  reply.header('cache-control', LONGEST_FRESH).redirect(url, status);
