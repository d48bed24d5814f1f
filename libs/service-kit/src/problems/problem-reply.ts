import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Problem, PROBLEM_CONTENT_TYPE } from '@workspace/schemas';
import type { ProblemError } from './problem-error.ts';

export interface RenderedProblem {
  contentType: string;
  body: string;
  /** instead of the problem's own status */
  status?: number;
  /** beside the problem's own; on answers to unreadable HTTP too, which no hook sees */
  headers?: Readonly<Record<string, string>>;
}

/** How a service writes a problem; `request` is missing when HTTP itself could not be parsed. */
export type RenderProblem = (problem: Problem, request?: FastifyRequest) => RenderedProblem;

export const renderProblemJson: RenderProblem = (problem) => ({
  contentType: PROBLEM_CONTENT_TYPE,
  body: JSON.stringify(problem),
});

/** Answers a request with a problem. Errors are never stored by caches. */
export const replyWithProblem = (
  error: ProblemError,
  render: RenderProblem,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply => {
  const problem = error.toProblem(request.id);
  const { status = problem.status, contentType, body, headers } = render(problem, request);
  return reply
    .code(status)
    .headers({
      'cache-control': 'no-store',
      'x-request-id': request.id,
      ...headers,
      ...error.options.headers,
    })
    .type(contentType)
    .serializer(String)
    .send(body);
};
