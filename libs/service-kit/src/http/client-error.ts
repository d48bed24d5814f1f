import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import type { RenderProblem } from './problem-reply.ts';
import { commonProblems, ProblemError, type ProblemType } from './problem-error.ts';

const kinds: Readonly<Record<string, ProblemType>> = {
  ERR_HTTP_REQUEST_TIMEOUT: commonProblems['request-timeout'],
  HPE_HEADER_OVERFLOW: commonProblems['headers-too-large'],
};

/**
 * Answers what Node's parser cannot read as HTTP: no request exists yet, so the bytes are written by hand. The
 * connection is closed after them, as nothing behind the fault can be trusted.
 */
export const clientErrorHandler = (render: RenderProblem) =>
  function (this: { log: FastifyBaseLogger }, error: Error & { code?: string }, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const kind = kinds[error.code ?? ''] ?? commonProblems['bad-request'];
    this.log.info({ code: kind.code, status: kind.status, reason: error.code }, 'request refused');
    const problem = new ProblemError(kind).toProblem();
    const { status = problem.status, contentType, body, headers = {} } = render(problem);
    const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: ${contentType}\r\n` +
        `${more.join('')}content-length: ${Buffer.byteLength(body)}\r\ncache-control: no-store\r\nconnection: close\r\n\r\n${body}`,
    );
  };
