import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Problem, PROBLEM_CONTENT_TYPE } from '@workspace/schemas';
import type { Refusal } from './refusal.ts';

export interface RenderedProblem {
  contentType: string;
  body: string;
  /** instead of the problem's own status */
  status?: number;
  /** beside the refusal's own; on answers to unreadable HTTP too, which no hook sees */
  headers?: Readonly<Record<string, string>>;
}

/** How a service writes a problem; `request` is missing when HTTP itself could not be parsed. */
export type RenderProblem = (problem: Problem, request?: FastifyRequest) => RenderedProblem;

export const renderProblemJson: RenderProblem = (problem) => ({
  contentType: PROBLEM_CONTENT_TYPE,
  body: JSON.stringify(problem),
});

/** Answers a request with a refusal. Errors are never stored by caches. */
export const replyWithRefusal = (
  refusal: Refusal,
  render: RenderProblem,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply => {
  const problem = refusal.toProblem(request.id);
  const { status = problem.status, contentType, body, headers } = render(problem, request);
  return reply
    .code(status)
    .headers({
      'cache-control': 'no-store',
      'x-request-id': request.id,
      ...headers,
      ...refusal.options.headers,
    })
    .type(contentType)
    .serializer(String)
    .send(body);
};
