import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections, RawResponse } from './connections.ts';
import { commonProblems, ProblemError, type ProblemType } from './problems/problem-error.ts';
import type { ProblemLog } from './problems/problem-log.ts';
import type { RenderProblem } from './problems/problem-reply.ts';

const problemTypes: Readonly<Record<string, ProblemType>> = {
  ERR_HTTP_REQUEST_TIMEOUT: commonProblems['request-timeout'],
  HPE_HEADER_OVERFLOW: commonProblems['headers-too-large'],
};

/** A whole HTTP/1.1 response for a problem where no request, and so no reply, exists. It announces the end of the connection. */
export const rawProblemResponse = (error: ProblemError, render: RenderProblem): RawResponse => {
  const problem = error.toProblem();
  const { status = problem.status, contentType, body, headers } = render(problem);
  const more = Object.entries({ ...headers, ...error.options.headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const text =
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: ${contentType}\r\n` +
    `${more.join('')}content-length: ${Buffer.byteLength(body)}\r\ncache-control: no-store\r\nconnection: close\r\n\r\n${body}`;
  return { status, text };
};

/**
 * Answers a request that Node could not read as HTTP, or not in time, and ends its connection: what may follow on it
 * cannot be trusted, and the service must not carry out a request that it has answered with 408.
 */
export const clientErrorHandler =
  (render: RenderProblem, connections: Connections, log: ProblemLog) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    if (connections.isStreaming(socket)) {
      // Such an answer may take long; the connection's own timeout ends it when it is idle. Without the rest of the request,
      // because the client is gone or sends nonsense, it can never be finished.
      if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT') socket.destroy();
      return;
    }
    const kind = problemTypes[error.code ?? ''] ?? commonProblems['bad-request'];
    log.unreadable(kind, error.code);
    connections.end(socket, rawProblemResponse(new ProblemError(kind), render));
  };
