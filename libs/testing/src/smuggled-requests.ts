/** A request that two readers could divide in different places, and so hide another one from the first of them. */
export interface SmuggledRequest {
  readonly name: string;
  readonly bytes: string;
}

const CHUNKED = 'Transfer-Encoding: chunked';

/**
 * Requests as smugglers send them. Whoever reads one rejects it or reads it whole; nobody answers what is hidden in it.
 *
 * @param host the Host header
 * @param path where bodies are sent to
 * @param hidden the path of the hidden request
 */
export const smuggledRequests = (host: string, path: string, hidden: string): SmuggledRequest[] => {
  const inner = `GET ${hidden} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  const length = `Content-Length: ${inner.length}`;
  const post = (fields: readonly string[], body: string): string =>
    [`POST ${path} HTTP/1.1`, `Host: ${host}`, 'Content-Type: application/json', ...fields, '', body].join(
      '\r\n',
    );
  const afterLastChunk = `0\r\n\r\n${inner}`;
  const inOneChunk = `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`;
  const rows: [string, string][] = [
    ['a length beside chunks', post([`Content-Length: ${afterLastChunk.length}`, CHUNKED], afterLastChunk)],
    ['chunks beside a length', post([CHUNKED, 'Content-Length: 4'], inOneChunk)],
    ['two lengths', post(['Content-Length: 0', length], inner)],
    ['two lengths in one field', post([`Content-Length: 0, ${inner.length}`], inner)],
    ['a length with a sign', post([`Content-Length: +${inner.length}`], inner)],
    ['a negative length', post(['Content-Length: -1'], inner)],
    ['a length in hexadecimal', post([`Content-Length: 0x${inner.length.toString(16)}`], inner)],
    ['a length after a space', post([`Content-Length : ${inner.length}`], inner)],
    ['a length in a folded line', post(['Content-Length: 0', ` ${inner.length}`], inner)],
    ['chunks after a space', post(['Transfer-Encoding : chunked', length], afterLastChunk)],
    ['chunks under another name', post(['Transfer-Encoding: xchunked', length], afterLastChunk)],
    [
      'chunks that are not the last coding',
      post(['Transfer-Encoding: chunked, identity', length], afterLastChunk),
    ],
    ['chunks after a vertical tab', post(['Transfer-Encoding:\x0bchunked', length], afterLastChunk)],
    ['chunks twice', post([CHUNKED, 'Transfer-Encoding: identity', length], afterLastChunk)],
    ['chunks in a folded line', post(['Transfer-Encoding:', ' chunked', length], afterLastChunk)],
    ['a chunk size in hexadecimal notation', post([CHUNKED], `0x0\r\n\r\n${inner}`)],
    ['a chunk size with a sign', post([CHUNKED], `-1\r\n\r\n${inner}`)],
    ['a chunk size that overflows', post([CHUNKED], `10000000000000000\r\n\r\n${inner}`)],
    ['a chunk extension with a line break', post([CHUNKED], `2;\n[]\r\n0\r\n\r\n${inner}`)],
    ['a chunk that is longer than its size', post([CHUNKED], `1\r\n[]\r\n0\r\n\r\n${inner}`)],
    ['lines that end with a line feed only', post([length.replace(': ', ':\n')], inner)],
    ['a carriage return in a field', post([`X: a\r${length}`, CHUNKED], afterLastChunk)],
    ['a field without a name', post([': chunked', length, CHUNKED], afterLastChunk)],
    ['a NUL in a field', post([`X: a\0`, length, CHUNKED], afterLastChunk)],
    ['two hosts', post(['Host: elsewhere.example', length, CHUNKED], afterLastChunk)],
    ['no host', `POST ${path} HTTP/1.1\r\n${length}\r\n${CHUNKED}\r\n\r\n${afterLastChunk}`],
    ['HTTP/1.0 with chunks', post([CHUNKED], afterLastChunk).replace('HTTP/1.1', 'HTTP/1.0')],
    ['a GET request with a body', post([length], inner).replace('POST', 'GET')],
  ];
  return rows.map(([name, bytes]) => ({ name, bytes }));
};
