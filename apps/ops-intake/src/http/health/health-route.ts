import { type TSchema, Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiResponse } from '@workspace/service-kit';
import { OperationsHealth } from './health-schema.ts';

const tags = ['service'];
const json = (description: string, body: TSchema): unknown =>
  apiResponse(description, {
    content: { 'application/json': body },
    headers: { 'Cache-Control': Type.Literal('no-store') },
  });

/**
 * GET /health: whether submissions are accepted; 503 when not.
 * @param current computed from what the background already knows, never by asking Kafka now
 */
export const health = (current: () => OperationsHealth) => ({
  schema: {
    operationId: 'health',
    tags,
    summary: 'Whether submissions are accepted',
    response: {
      200: json('They are.', OperationsHealth),
      503: json('They are not; `kafka.error` says why.', OperationsHealth),
    },
  },
  handler: async (_request: FastifyRequest, reply: FastifyReply): Promise<OperationsHealth> => {
    const body = current();
    void reply.code(body.status === 'down' ? 503 : 200).header('cache-control', 'no-store');
    return body;
  },
});
