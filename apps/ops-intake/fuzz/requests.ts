import assert from 'node:assert/strict';
import { commonProblems } from '@workspace/service-kit/problems';
import type { FuzzTarget } from '@workspace/testing/fuzz';
import { problems } from '../src/problems.ts';
import { appUnderTest, ONE_BUY } from '../test/app-under-test.ts';

const SUBMIT = 'apps/ops-intake/src/http/submit';
const { app, log } = appUnderTest({ IDEMPOTENCY_ENTRIES: '1000' });

/** An input is a request as HTTP/1.1 writes it, without a version; what no header can have is left out. */
const requestOf = (input: Buffer) => {
  const text = input.toString('latin1');
  const end = text.indexOf('\n\n');
  const [first = '', ...fields] = (end < 0 ? text : text.slice(0, end)).split('\n');
  const [method = '', url = ''] = first.split(' ');
  const headers: Record<string, string> = {};
  for (const field of fields) {
    const [, name = '', value = ''] = /^([\w-]+): *([\t\x20-\x7e\x80-\xff]*)$/.exec(field) ?? [];
    if (name !== '' && !/^(content-length|transfer-encoding|expect|upgrade|connection)$/i.test(name))
      headers[name.toLowerCase()] = value.trim();
  }
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'] as const;
  return {
    method: methods.find((known) => known === method) ?? ('POST' as const),
    // `inject` parses URLs before the service does: only those that it takes as a path.
    url: /^\/(?![/\\])[\x21-\x7e]*$/.test(url) ? url : '/operations',
    headers,
    payload: end < 0 ? Buffer.of() : input.subarray(end + 2),
  };
};

const JSON_POST = 'POST /operations\ncontent-type: application/json';
const TYPES = new Set(
  Object.values({ ...problems, ...commonProblems }).map(({ code }) => `urn:problem-type:${code}`),
);

export const requests: FuzzTarget = {
  name: 'requests',
  property:
    'no request gets a 5xx, every 4xx is a problem of the catalogue, and what is accepted is in the log byte for byte',
  seeds: [
    `${JSON_POST}\n\n${ONE_BUY}`,
    `${JSON_POST}; charset=utf-8\nidempotency-key: "k"\npartition-key: p\naccept: application/json\n\n${ONE_BUY}`,
    `${JSON_POST}\ntraceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\ntracestate: a=1\n\n${ONE_BUY}`,
    `${JSON_POST}\ncontent-encoding: gzip\n\n\x1f\x8b`,
    'GET /operations/018f3c2e-7b1a-7c3d-9e4f-5a6b7c8d9e0f',
    'GET /health?x=%41',
    'OPTIONS /operations\norigin: http://a.example\naccess-control-request-method: POST',
  ],
  dictionary: [
    'content-encoding: br\n',
    'identity',
    '%2F',
    '%00',
    '%zz',
    '/..',
    '//',
    '?',
    'text/plain',
    'charset=utf-16',
    '\n\n',
  ],
  mostBytes: 1_024,
  planted: [
    { file: `${SUBMIT}/submit-route.ts`, from: 'idempotencyKeyIn(', to: 'decodeURIComponent(' },
    { file: `${SUBMIT}/request-body.ts`, from: 'Object.assign(error, { statusCode: 400 })', to: 'error' },
    {
      file: `${SUBMIT}/submission-body.ts`,
      from: 'error instanceof JsonSyntaxError ? malformed',
      to: 'false ? malformed',
    },
  ],
  check: async (input) => {
    const request = requestOf(input);
    const before = log.records.length;
    const answer = await app.inject(request);
    const { statusCode: status } = answer;
    assert(status < 500, `${status}: ${answer.body}`);
    if (status >= 400 && request.method !== 'HEAD') {
      assert.equal(answer.headers['content-type'], 'application/problem+json');
      const { type } = answer.json<{ type: string }>();
      assert(TYPES.has(type), type);
    }
    for (const { value } of log.records.slice(before)) {
      if (request.headers['content-encoding'] === undefined)
        assert.deepEqual(Buffer.from(value), request.payload);
    }
    log.records.length = 0;
  },
};
