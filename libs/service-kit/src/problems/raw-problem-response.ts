import { STATUS_CODES } from 'node:http';
import type { RawResponse } from '@workspace/http-connections';
import type { ProblemError } from './problem-error.ts';
import type { RenderProblem } from './problem-reply.ts';

/** A whole HTTP/1.1 response for a problem where no request, and so no reply, exists. It announces the end of the connection. */
export const rawProblemResponse = (error: ProblemError, render: RenderProblem): RawResponse => {
  const problem = error.toProblem();
  const { status = problem.status, contentType, body, headers } = render(problem);
  const more = Object.entries({ ...headers, ...error.options.headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const text =
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ndate: ${new Date().toUTCString()}\r\ncontent-type: ${contentType}\r\n` +
    `${more.join('')}content-length: ${Buffer.byteLength(body)}\r\ncache-control: no-store\r\nconnection: close\r\n\r\n${body}`;
  return { status, text };
};
