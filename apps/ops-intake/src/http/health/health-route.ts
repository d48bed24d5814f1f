import { type TSchema, Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { apiResponse } from '@workspace/service-kit';
import type { Authentication } from '../admission/authentication.ts';
import { OperationsHealth } from './health-schema.ts';

const tags = ['service'];
const json = (description: string, body: TSchema): unknown =>
  apiResponse(description, {
    content: { 'application/json': body },
    headers: { 'Cache-Control': Type.Literal('no-store') },
  });

/** What everyone may know: names and addresses of brokers and stores, and errors that have them, are for those who authenticate. */
const withoutTopology = ({ kafka, checks, ...rest }: OperationsHealth): OperationsHealth => ({
  ...rest,
  kafka: { status: kafka.status },
  checks: Object.fromEntries(
    Object.entries(checks).map(([name, all]) => [name, all.map(({ output: _, ...check }) => check)]),
  ),
});

/**
 * GET /health: whether submissions are accepted; 503 when not.
 * @param current computed from what the background already knows, never by asking Kafka now
 * @param authentication where clients have to authenticate: others then get the answer without names and addresses
 */
export const health = (
  current: () => OperationsHealth,
  authentication?: Pick<Authentication, 'hook' | 'identityOf'>,
) => ({
  ...(authentication && {
    onRequest: (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void =>
      authentication.hook(request, reply, () => done()),
  }),
  schema: {
    operationId: 'health',
    tags,
    summary: 'Whether submissions are accepted',
    response: {
      200: json('They are.', OperationsHealth),
      503: json('They are not; `checks` says why.', OperationsHealth),
    },
  },
  handler: async (request: FastifyRequest, reply: FastifyReply): Promise<OperationsHealth> => {
    const body = current();
    void reply.code(body.status === 'down' ? 503 : 200).header('cache-control', 'no-store');
    return authentication && !authentication.identityOf(request.raw) ? withoutTopology(body) : body;
  },
});
