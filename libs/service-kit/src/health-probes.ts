import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Drain } from '@workspace/http-connections';
import { apiResponse } from './api-responses.ts';

/** Whether a service can answer requests, and if not, why. */
export type Readiness = { ready: true } | { ready: false; reason: string };

type Headers = Readonly<Record<string, string>>;

const tags = ['service'];
const json = (schema: ReturnType<typeof Type.Object>) => ({
  content: { 'application/json': schema },
  headers: { 'Cache-Control': Type.Literal('no-store') },
});

/**
 * The route of `GET /health/live`: whether the process runs. Restart a service that does not answer it; a missing
 * dependency does not change it, as a restart would not help.
 * @param status what it says; `up` in a service whose contract calls it so
 * @param headers of the answer besides those of every probe
 */
export const livenessProbe = (status: 'pass' | 'up' = 'pass', headers: Headers = {}) => ({
  schema: {
    operationId: 'live',
    tags,
    summary: 'Whether the process runs, whatever it depends on',
    response: {
      200: apiResponse('It does.', json(Type.Object({ status: Type.Literal(status) }, { $id: 'Live' }))),
    },
  },
  handler: (_request: FastifyRequest, reply: FastifyReply) =>
    reply.headers({ ...headers, 'cache-control': 'no-store' }).send({ status }),
});

/**
 * The route of `GET /health/ready`: whether requests may be sent here. Ready means that they are answered; an answer
 * may still be that a dependency is unavailable. A load balancer that stopped sending would replace that answer by one
 * of its own that says less.
 */
export const readinessProbe = (
  { drain, ready }: { drain: Drain; ready: () => Readiness },
  headers: Headers = {},
) => ({
  schema: {
    operationId: 'ready',
    tags,
    summary: 'Whether requests may be sent here',
    response: {
      200: apiResponse(
        'They may.',
        json(Type.Object({ ready: Type.Boolean({ examples: [true] }) }, { $id: 'Ready' })),
      ),
      503: apiResponse(
        'They may not: the service is starting or shutting down.',
        json(
          Type.Object(
            { ready: Type.Boolean({ examples: [false] }), reason: Type.String({ examples: ['draining'] }) },
            { $id: 'Unready' },
          ),
        ),
      ),
    },
  },
  handler: (_request: FastifyRequest, reply: FastifyReply) => {
    const readiness: Readiness = drain.draining ? { ready: false, reason: 'draining' } : ready();
    return reply
      .code(readiness.ready ? 200 : 503)
      .headers({ ...headers, 'cache-control': 'no-store' })
      .send(readiness);
  },
});
