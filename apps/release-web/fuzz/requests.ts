import assert from 'node:assert/strict';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { FuzzTarget } from '@workspace/testing/fuzz';
import { pastUtcDate } from '../src/http/rendering/send.ts';
import { testService } from '../test/service.ts';

const RENDERING = 'apps/release-web/src/http/rendering';
const NOW = new Date('2026-11-21T12:00:00Z');
const started = testService({}, { start: NOW.toISOString() });

/**
 * An input is a path with its query, then headers, each on a line; what no header can have is left out. In If-None-Match,
 * `"tag"` stands for the ETag of the answer.
 */
const requestOf = (input: Buffer) => {
  const [path = '', ...fields] = input.toString('latin1').split('\n');
  const headers: Record<string, string> = {};
  for (const field of fields) {
    const [, name = '', value = ''] = /^([\w-]+): *([\t\x20-\x7e\x80-\xff]*)$/.exec(field) ?? [];
    if (/^(accept|accept-encoding|if-none-match|if-modified-since)$/i.test(name))
      headers[name.toLowerCase()] = value.trim();
  }
  // `inject` parses URLs before the service does: only those that it takes as a path.
  return {
    method: 'GET' as const,
    url: /^\/(?![/\\])[\x21-\x7e]*$/.test(path) ? path : '/releases/branches.php',
    headers,
  };
};

const decoded = (bytes: Buffer, encoding: unknown): Buffer => {
  if (encoding === undefined) return bytes;
  return encoding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes);
};

/** Whether a list of entity tags names this one (RFC 9110, 13.1.2: weak comparison). The package `fresh` skips spaces only. */
const names = (list: string, etag: string): boolean =>
  list === '*' || list.split(',').some((one) => one.replace(/^ *(W\/)?| *$/g, '') === etag);

export const requests: FuzzTarget = {
  name: 'requests',
  property:
    'no request gets a 5xx, a body is the same in each encoding, and 304 is the answer exactly if the client has it',
  seeds: [
    '/releases/index.php?json&version=8.4&max=3\naccept-encoding: gzip, br',
    '/pre-release-builds.php?format=serialize&only=dev_versions\nif-none-match: "x", W/"tag"',
    '/api/v1/releases?branch=8.4&since=2026-01-01&limit=2',
    '/api/v1/support?version=2:8.2.7+dfsg',
    '/releases/8_4_24.php\naccept-encoding: identity;q=0',
    '/%zz\naccept: text/html',
    '/distributions/php-8.4.24.tar.xz',
    '/releases/8.4/\nif-modified-since: Thu, 13 Aug 2026 00:00:00 GMT',
    '/api/php/8.4.json',
    '/api/v1/events?branch=8.5',
  ],
  dictionary: [
    ...[
      '%2F',
      '%00',
      '%zz',
      '%ff',
      '/..',
      '?',
      '&',
      '=',
      '[]',
      'cursor=',
      'since=9999-12-31',
      'security=',
      'limit=',
      'state=eol',
      '8.5.0RC2',
    ],
    ...[
      'if-none-match: ',
      'W/"',
      '"tag"',
      'accept-encoding: br;q=0, *',
      'accept: text/html',
      'date=2026-02-30',
      '/api/v1/',
      '.php',
      '_',
    ],
  ],
  planted: [
    {
      file: `${RENDERING}/representation.ts`,
      from: '`"${this.#digest}-${encoding}"`',
      to: '`${this.#digest}-${encoding}`',
    },
    {
      file: `${RENDERING}/known-branch.ts`,
      from: 'if (branch) return branch;',
      to: 'return branch.branch && branch;',
    },
    { file: `${RENDERING}/send.ts`, from: 'raw.writeHead(304, ', to: 'raw.writeHead(200, ' },
  ],
  check: async (input) => {
    const { app } = await started;
    const request = requestOf(input);
    const {
      'if-none-match': given,
      'if-modified-since': since,
      'accept-encoding': accepted,
      ...others
    } = request.headers;
    const plain = await app.inject({ ...request, headers: others });
    assert(plain.statusCode < 500, `${plain.statusCode}: ${plain.body}`);
    if (plain.headers.etag === undefined) return;
    const encoding = accepted === undefined ? others : { ...others, 'accept-encoding': accepted };
    const whole = await app.inject({ ...request, headers: encoding });
    assert.equal(whole.statusCode, 200);
    assert.deepEqual(decoded(whole.rawPayload, whole.headers['content-encoding']), plain.rawPayload);
    const { etag = '' } = whole.headers;
    assert.match(etag, /^"[\x21\x23-\x7e]*"$/);
    const list = given?.replaceAll('"tag"', etag);
    const condition = {
      ...(list !== undefined && { 'if-none-match': list }),
      ...(since && { 'if-modified-since': since }),
    };
    const answer = await app.inject({ ...request, headers: { ...encoding, ...condition } });
    // It is always sent in full.
    const isUnconditional = request.url.startsWith('/mirror-info');
    const modified = Date.parse(whole.headers['last-modified'] ?? '');
    const isSame = list
      ? names(list, etag)
      : since !== undefined && modified <= Date.parse(pastUtcDate(since, NOW) ?? '');
    assert.equal(answer.statusCode, isSame && !isUnconditional ? 304 : 200);
  },
};
