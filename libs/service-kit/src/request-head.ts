import type { IncomingMessage } from 'node:http';
import { MAX_HEADER_FIELDS } from '@workspace/http-connections';
import { commonProblems, ProblemError } from './problems/problem-error.ts';

/** RFC 9112, 3.2 and RFC 3986, 3.2.2: a name, an IPv4 address or an IPv6 address in brackets, and perhaps a port. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::\d*)?$/;

/** Node itself keeps the first of several Host headers. */
const hostViolation = ({ rawHeaders, httpVersionMinor, headers }: IncomingMessage): string | undefined => {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 'host'.length && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) return 'There is more than one Host header.';
  if (hosts === 0) return httpVersionMinor > 0 ? 'The Host header is missing.' : undefined;
  return HOST.test(headers.host!) ? undefined : 'The Host header is no host with an optional port.';
};

const targetViolation = ({ method, url = '' }: IncomingMessage): string | undefined =>
  url.startsWith('/') || (url === '*' && method === 'OPTIONS')
    ? undefined
    : 'The request target is neither a path nor an absolute URL.';

/** RFC 9112, 6.1 and 7. A request whose length cannot be trusted must be the last on its connection. */
const codingViolation = ({ headers, httpVersionMinor }: IncomingMessage): ProblemError | undefined => {
  const coding = headers['transfer-encoding']?.toLowerCase();
  if (coding === undefined || (coding === 'chunked' && httpVersionMinor > 0)) return undefined;
  if (httpVersionMinor === 0) {
    const detail = 'HTTP/1.0 has no Transfer-Encoding. Send Content-Length.';
    return new ProblemError(commonProblems['bad-request'], { detail });
  }
  const codings = coding.split(',').map((one) => one.trim());
  if (codings.at(-1) !== 'chunked' || codings.every((one) => one === 'chunked')) {
    const detail = 'The last transfer coding, and no other, must be chunked.';
    return new ProblemError(commonProblems['bad-request'], { detail });
  }
  const detail =
    'The only transfer coding is chunked. Compress a body by Content-Encoding, where it is accepted.';
  return new ProblemError(commonProblems['transfer-coding-not-implemented'], { detail });
};

/**
 * What is wrong with the head of a request by RFC 9110 and 9112, where Node's parser accepts it.
 * @returns undefined when nothing is
 */
export const headViolation = (request: IncomingMessage): ProblemError | undefined => {
  if (request.httpVersionMajor !== 1) {
    return new ProblemError(commonProblems['http-version-not-supported'], { detail: 'Use HTTP/1.1.' });
  }
  // Names and values. Node may have dropped what is needed for all that follows.
  if (request.rawHeaders.length > 2 * MAX_HEADER_FIELDS) {
    const detail = `A request may have at most ${MAX_HEADER_FIELDS} header fields.`;
    return new ProblemError(commonProblems['headers-too-large'], { detail });
  }
  const detail = targetViolation(request) ?? hostViolation(request);
  if (detail !== undefined) return new ProblemError(commonProblems['bad-request'], { detail });
  const { expect } = request.headers;
  // RFC 9110, 10.1.1: HTTP/1.0 has no expectations.
  if (expect !== undefined && request.httpVersionMinor > 0 && expect.toLowerCase() !== '100-continue') {
    const detail = 'The only expectation is 100-continue.';
    return new ProblemError(commonProblems['expectation-failed'], { detail });
  }
  return codingViolation(request);
};
