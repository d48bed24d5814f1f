import { Type } from '@sinclair/typebox';
import { captureLogger } from '@workspace/testing';
import { createService, type ServiceOptions } from '../src/index.ts';
import { declareProblems, defineProblems, ProblemError } from '../src/problems/index.ts';

const problems = defineProblems({ 'queue-full': { status: 503, title: 'The queue is full' } });

/** Random bits of the process, and a count. */
const NEW_ID = /^[0-9a-f]{20}-[0-9a-z]+$/;

const build = (options: Partial<ServiceOptions> = {}) => {
  const { logger, lines } = captureLogger();
  const app = createService({ logger, strictProblems: true, fastify: { bodyLimit: 1000 }, ...options });
  app.get('/n', { schema: { querystring: Type.Object({ n: Type.Integer() }) } }, (request) => ({
    n: request.query.n,
  }));
  app.post(
    '/n',
    { schema: { body: Type.Object({ n: Type.Integer() }, { additionalProperties: false }) } },
    (request) => ({
      n: request.body.n,
    }),
  );
  const full = () => {
    throw new ProblemError(problems['queue-full'], {
      detail: 'later',
      headers: { 'retry-after': '1' },
      members: { outcome: 'no' },
    });
  };
  app.get('/full', { schema: { problems: [problems['queue-full']] } }, full);
  app.get('/full-undeclared', full);
  app.get('/broken', () => {
    throw new Error('the secret cause');
  });
  return { app, lines };
};

describe('createService', () => {
  it('coerces text and leaves JSON as it is', async () => {
    const { app } = build();
    expect((await app.inject('/n?n=12')).json()).toEqual({ n: 12 });
    expect((await app.inject({ method: 'POST', url: '/n', payload: { n: 12 } })).json()).toEqual({ n: 12 });
    for (const n of ['12', null, true, 1.5]) {
      const answer = await app.inject({ method: 'POST', url: '/n', payload: { n } });
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ errors: [{ pointer: '#/n', code: 'type' }] });
    }
    const extra = await app.inject({ method: 'POST', url: '/n', payload: { n: 1, 'a/b': 2 } });
    expect(extra.json()).toMatchObject({ errors: [{ pointer: '#/a~1b', code: 'additionalProperties' }] });
  });

  it.each([
    ['GET', '/nothing', {}, '', 404, 'not-found'],
    ['DELETE', '/n', {}, '', 405, 'method-not-allowed'],
    // The path and the method are judged before the body.
    ['PUT', '/n', { 'content-type': 'text/csv' }, '1', 405, 'method-not-allowed'],
    ['PUT', '/n', { 'content-type': 'application/json' }, '{', 405, 'method-not-allowed'],
    ['POST', '/nothing', { 'content-type': 'text/csv' }, '1', 404, 'not-found'],
    ['GET', '/%', {}, '', 400, 'bad-request'],
    ['GET', '/n?n=x', {}, '', 400, 'invalid-request'],
    ['POST', '/n', { 'content-type': 'application/json' }, '{', 400, 'malformed-json'],
    ['POST', '/n', { 'content-type': 'application/json' }, '', 400, 'malformed-json'],
    [
      'POST',
      '/n',
      { 'content-type': 'application/json' },
      JSON.stringify('x'.repeat(1000)),
      413,
      'body-too-large',
    ],
    ['POST', '/n', { 'content-type': 'text/csv' }, '1', 415, 'unsupported-media-type'],
    ['GET', '/full', {}, '', 503, 'queue-full'],
    ['GET', '/broken', {}, '', 500, 'internal-error'],
  ] as const)('%s %s answers a problem: %#', async (method, url, headers, payload, status, code) => {
    const { app } = build();
    const answer = await app.inject({ method, url, headers, ...(payload && { payload }) });
    expect(answer.statusCode).toBe(status);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.json()).toMatchObject({ type: `urn:problem-type:${code}`, status });
    expect(answer.json().requestId).toBe(answer.headers['x-request-id']);
  });

  it.each([
    [
      'answers 500, with the reason,',
      true,
      '/full-undeclared',
      500,
      'GET /full-undeclared does not declare queue-full in the `problems` of its schema.',
    ],
    ['answers it in production', false, '/full-undeclared', 503, 'later'],
    ['takes it after declareProblems', true, '/declared-later', 503, 'later'],
  ])(
    '%s where a route does not declare a problem itself',
    async (_what, strictProblems, url, status, detail) => {
      const { app } = build({ strictProblems });
      declareProblems(app, problems['queue-full']);
      app.get('/declared-later', () => {
        throw new ProblemError(problems['queue-full'], { detail: 'later' });
      });
      const answer = await app.inject(url);
      expect([answer.statusCode, answer.json().detail]).toEqual([status, detail]);
    },
  );

  it('names the methods of a path with 405, and has HEAD for every GET', async () => {
    const { app } = build();
    expect((await app.inject({ method: 'PUT', url: '/n?x' })).headers['allow']).toBe('GET, HEAD, POST');
    expect((await app.inject({ method: 'HEAD', url: '/n?n=1' })).statusCode).toBe(200);
    // QUERY without a body is a fault of its own to Fastify.
    expect((await app.inject({ method: 'QUERY' as 'GET', url: '/n' })).statusCode).toBe(405);
  });

  it('answers HEAD with 304 without a length, which would have to be that of the body', async () => {
    const { app } = build();
    app.get('/known', (_request, reply) => reply.code(304).send());
    for (const method of ['GET', 'HEAD'] as const) {
      const { statusCode, headers } = await app.inject({ method, url: '/known' });
      expect([statusCode, headers['content-length']]).toEqual([304, undefined]);
    }
    expect((await app.inject({ method: 'HEAD', url: '/n?n=7' })).headers['content-length']).toBe('7');
  });

  it('sends headers and members of a problem; logs a failure and does not reveal it', async () => {
    const { app, lines } = build();
    const full = await app.inject('/full');
    expect(full.headers['retry-after']).toBe('1');
    expect(full.json()).toMatchObject({ detail: 'later', outcome: 'no' });
    const broken = await app.inject('/broken');
    expect(broken.body).not.toContain('secret');
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        reqId: broken.headers['x-request-id'],
        err: expect.objectContaining({ message: 'the secret cause' }),
      }),
    );
    expect(lines).toContainEqual(expect.objectContaining({ level: 'warn', code: 'queue-full' }));
  });

  it('logs a flood of bad requests in a few lines, which count them all', async () => {
    const { app, lines } = build();
    for (let times = 0; times < 300; times += 1) await app.inject(`/nothing/${times}`);
    expect(lines.length).toBeLessThan(10);
    await app.close();
    const leftOut = lines.reduce((sum, line) => sum + Number(line['leftOut'] ?? 0), 0);
    expect(lines.length + leftOut).toBe(300);
  });

  it('writes the request id on every line of a request', async () => {
    const { logger, lines } = captureLogger();
    const app = createService({ logger });
    app.get('/loud', (request) => {
      request.log.child({ part: 'b' }).info('said');
      request.log.info('said more');
      return {};
    });
    await app.inject({ url: '/loud', headers: { 'x-request-id': 'abc' } });
    expect(lines).toEqual([
      expect.objectContaining({ reqId: 'abc', part: 'b', msg: 'said' }),
      expect.objectContaining({ reqId: 'abc', msg: 'said more' }),
    ]);
  });

  it('writes the request id on the line of a path that Fastify cannot read', async () => {
    const { app, lines } = build();
    const answer = await app.inject({ url: '/%', headers: { 'x-request-id': 'abc' } });
    expect(answer.statusCode).toBe(400);
    expect(lines).toEqual([expect.objectContaining({ reqId: 'abc', code: 'bad-request' })]);
  });

  it('accepts a well-formed request id and replaces any other', async () => {
    const { app } = build();
    const id = async (given: string) =>
      (await app.inject({ url: '/n?n=1', headers: { 'x-request-id': given } })).headers['x-request-id'];
    expect(await id('abc-123')).toBe('abc-123');
    const made = [await id('a b'), await id('a b'), await id('x'.repeat(129))];
    for (const one of made) expect(one).toMatch(NEW_ID);
    expect(new Set(made).size).toBe(3);
  });

  it('can send its own request ids in problems only', async () => {
    const { app } = build({ sendRequestIds: false });
    const id = async (url: string, headers = {}) =>
      (await app.inject({ url, headers })).headers['x-request-id'];
    expect(await id('/n?n=1')).toBeUndefined();
    expect(await id('/n?n=1', { 'x-request-id': 'abc-123' })).toBe('abc-123');
    expect(await id('/nowhere')).toMatch(NEW_ID);
  });

  it('lets a service choose the format of its problems', async () => {
    const renderProblem: ServiceOptions['renderProblem'] = ({ status }) => ({
      status: 200,
      contentType: 'text/plain',
      body: `no: ${status}`,
    });
    const { app } = build({ renderProblem });
    const answer = await app.inject('/nothing');
    expect([answer.statusCode, answer.headers['content-type'], answer.body]).toEqual([
      200,
      'text/plain',
      'no: 404',
    ]);
  });
});
