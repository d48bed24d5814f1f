import assert from 'node:assert/strict';
import { commonProblems } from '@workspace/service-kit/problems';
import type { FuzzTarget } from '@workspace/testing/fuzz';
import { problems } from '../src/problems.ts';
import { testApp } from '../test/app.ts';

const LOOKUP = 'apps/ip-locate/src/http/lookup';
// Not before it is needed: the branches that run meanwhile would be those of another target.
let started: ReturnType<typeof testApp> | undefined;
const TITLES = new Set(Object.values({ ...problems, ...commonProblems }).map(({ title }) => title));

/** An input is a path with its query, then headers, each on a line; what no header can have is left out. */
const requestOf = (input: Buffer) => {
  const [path = '', ...fields] = input.toString('latin1').split('\n');
  const headers: Record<string, string> = {};
  for (const field of fields) {
    const [, name = '', value = ''] = /^([\w-]+): *([\t\x20-\x7e\x80-\xff]*)$/.exec(field) ?? [];
    if (/^(accept|x-forwarded-for|if-none-match|x-api-key|authorization|origin)$/i.test(name))
      headers[name.toLowerCase()] = value.trim();
  }
  // `inject` parses URLs before the service does: only those that it takes as a path.
  return { method: 'GET' as const, url: /^\/(?![/\\])[\x21-\x7e]*$/.test(path) ? path : '/json/', headers };
};

export const requests: FuzzTarget = {
  name: 'requests',
  property:
    'no request gets a 5xx, JSON is JSON, each 4xx says what is wrong by a title of the catalogue, and an ETag is answered with 304',
  seeds: [
    '/80.1.2.3/json/?fields=ip,city&lang=de',
    '/80.1.2.3/csv/\naccept: text/csv',
    '/80.1.2.3/jsonp/?callback=show',
    '/80.1.2.3/city/\nx-api-key: k',
    '/json/\nx-forwarded-for: 80.1.2.3, 10.0.0.1',
    '/\naccept: text/html',
    '/%zz/json/\naccept: text/html',
    '/auth/x?y\nx-forwarded-for: 80.1.2.3',
    '/health/ready',
  ],
  dictionary: [
    ...[
      '/yaml/',
      '/xml/',
      '/latlong/',
      '/2a00::1/',
      '%2F',
      '%00',
      '%zz',
      '%ff',
      '/..',
      '//',
      '?fields=all',
      '&fields=',
      'lang=ja,de;q=0.5',
    ],
    ...[
      'callback=a.b',
      'key=',
      'key=1&key=2',
      '?x[]=1',
      'if-none-match: *',
      'accept: application/yaml',
      'accept: */*;q=0',
    ],
  ],
  planted: [
    { file: `${LOOKUP}/lookup.ts`, from: 'if (!address) {', to: "if (!address && text !== 'json') {" },
    {
      file: `${LOOKUP}/query.ts`,
      from: "if ('fields' in parsed) return parsed.fields;",
      to: 'return parsed.fields;',
    },
    { file: `${LOOKUP}/formats/jsonp.ts`, from: '(${json.replaceAll', to: '${json.replaceAll' },
  ],
  check: async (input) => {
    const { app } = await (started ??= testApp());
    const request = requestOf(input);
    const answer = await app.inject(request);
    const { statusCode: status, body } = answer;
    assert(status < 500, `${status}: ${body}`);
    const type = answer.headers['content-type'] ?? '';
    if (/json/.test(type)) assert.doesNotThrow(() => JSON.parse(body));
    if (/javascript/.test(type)) assert.match(body, /^\/\*\*\/[\w$.]+\(\{.*\}\);$/s);
    if (status >= 400 && /json/.test(type)) {
      const { title, reason } = JSON.parse(body) as { title?: string; reason?: string };
      assert(TITLES.has(title ?? reason ?? ''), body);
    }
    const { etag } = answer.headers;
    if (status !== 200 || etag === undefined) return;
    const headers = { ...request.headers, 'if-none-match': String(etag) };
    assert.equal((await app.inject({ ...request, headers })).statusCode, 304);
  },
};
