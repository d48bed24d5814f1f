import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { fastify } from 'fastify';
import { parse } from 'yaml';
import { apiResponse, createService } from '@workspace/service-kit';
import { defineProblems } from '@workspace/service-kit/problems';
import { captureLogger } from '@workspace/testing';
import { apiReference } from '../src/index.ts';
import { referencePage } from '../src/reference-page.ts';

const problems = defineProblems({
  'no-such-thing': { status: 404, title: 'There is no such thing' },
  'no-such-shelf': { status: 404, title: 'There is no such shelf' },
  full: { status: 503, title: 'There is no room', advice: 'Retry after `Retry-After`' },
});
const Colour = Type.Union([Type.Literal('red'), Type.Literal('blue'), Type.Null()]);
const Part = Type.Object({ size: Type.Union([Type.Number(), Type.Null()]) }, { $id: 'Part' });
const Thing = Type.Object(
  { name: Type.String(), colour: Colour, part: Type.Union([Part, Type.Null()]) },
  { $id: 'Thing' },
);

const service = () => {
  const { logger } = captureLogger();
  const app = createService({ logger });
  apiReference(app, {
    title: 'things',
    version: '2025.4.1',
    softwareVersion: '1.2.3',
    description: 'Things.',
    tags: [
      { name: 'things', description: 'All things’ names 🎷.' },
      { name: 'service', description: 'The service itself.' },
    ],
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'of the operator' } },
  });
  app.get(
    '/things/:thing',
    {
      schema: {
        operationId: 'thing',
        tags: ['things'],
        summary: 'One thing',
        params: Type.Object({ thing: Type.String({ description: 'its name' }) }),
        querystring: Type.Object({ limit: Type.Integer({ default: 5 }) }),
        problems: Object.values(problems),
        response: {
          200: apiResponse('The thing.', {
            content: { 'application/json': Type.Array(Thing) },
            headers: { ETag: Type.String({ description: 'the validator' }) },
          }),
        },
      },
    },
    (request) => [{ name: request.params.thing, colour: null, part: { size: request.query.limit }, more: 1 }],
  );
  app.post(
    '/things/:thing',
    {
      schema: {
        operationId: 'change',
        tags: ['things'],
        summary: 'Change a thing',
        params: Type.Object({ thing: Type.String() }),
        described: {
          headers: Type.Object({
            'If-None-Match': Type.Optional(Type.String()),
            'If-Match': Type.String({ pattern: '^".+"$', description: 'an ETag, in quotes' }),
          }),
          body: Thing,
        },
        response: { 204: apiResponse('Changed.') },
        security: [{ bearer: [] }],
      },
    },
    (_request, reply) => reply.code(204).send(),
  );
  // A number in YAML 1.1.
  app.get('/plain', { schema: { operationId: 'plain', summary: '8_4_24' } }, () => 'x');
  app.get('/hidden', { schema: { hide: true } }, () => 'x');
  app.get('/any-method', { schema: { operationId: 'anyMethod' } }, () => 'x');
  app.options('/any-method', { schema: { hide: true } }, () => 'x');
  app.options('/*', (_request, reply) => reply.code(204).send());
  return app;
};

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a document is looked into at many depths
const described = async (): Promise<any> => (await service().inject('/openapi.json')).json();

describe('clients that ask for large documents', () => {
  /** @returns how many of 64 were answered in each turn of the event loop */
  const answeredByTurn = async (headers: Record<string, string>): Promise<number[]> => {
    const app = service();
    const ask = () => app.inject({ url: '/openapi.json', headers });
    await ask();
    let answered = 0;
    const all = Array.from({ length: 64 }, () => ask().then(() => (answered += 1)));
    const turns: number[] = [];
    for (let before = 0; answered < 64; before = answered) {
      await new Promise(setImmediate);
      turns.push(answered - before);
    }
    await Promise.all(all);
    await app.close();
    return turns;
  };

  it('delay others by one document in a turn of the event loop, however many are asked for', async () => {
    expect(Math.max(...(await answeredByTurn({})))).toBe(1);
    expect(Math.max(...(await answeredByTurn({ 'accept-encoding': 'br' })))).toBe(1);
  });

  it('need no turn for documents that they have', async () => {
    expect(Math.max(...(await answeredByTurn({ 'if-none-match': '*' })))).toBe(64);
  });
});

describe('apiReference', () => {
  it('describes the routes by their schemas', async () => {
    const { paths, info } = await described();
    expect(info).toMatchObject({ title: 'things', version: '2025.4.1', 'x-software-version': '1.2.3' });
    expect(Object.keys(paths)).toEqual([
      '/openapi.json',
      '/openapi.yaml',
      '/docs',
      '/things/{thing}',
      '/plain',
      '/any-method',
    ]);
    expect(Object.keys(paths['/things/{thing}'])).toEqual(['get', 'post']);
    const { get, post } = paths['/things/{thing}'];
    expect(get.parameters).toEqual([
      { name: 'limit', in: 'query', required: false, schema: { type: 'integer', default: 5 } },
      { name: 'thing', in: 'path', required: true, description: 'its name', schema: { type: 'string' } },
    ]);
    expect(post.parameters).toContainEqual(expect.objectContaining({ name: 'If-Match', in: 'header' }));
    expect(post.requestBody.content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/Thing',
    });
    expect(post.security).toEqual([{ bearer: [] }]);
    expect(post.responses[204]).toEqual({ description: 'Changed.' });
  });

  it('has each named schema once, unions in the form generators know', async () => {
    const { components } = await described();
    expect(Object.keys(components.schemas)).toEqual(['Problem', 'Part', 'Thing']);
    expect(components.schemas.Thing.properties).toEqual({
      name: { type: 'string' },
      colour: { type: ['string', 'null'], enum: ['red', 'blue', null] },
      part: { anyOf: [{ $ref: '#/components/schemas/Part' }, { type: 'null' }] },
    });
    expect(components.schemas.Part.properties.size.type).toEqual(['number', 'null']);
  });

  it('lists the problem types of a route by status, with an example each', async () => {
    const { paths, components } = await described();
    const { responses } = paths['/things/{thing}'].get;
    expect(Object.keys(responses)).toEqual(['200', '400', '404', '408', '414', '431', '500', '503']);
    const { content, description } = responses[404];
    expect(description).toBe(
      'There is no such thing (`no-such-thing`). There is no such shelf (`no-such-shelf`).',
    );
    expect(content['application/problem+json']).toEqual({
      schema: { $ref: '#/components/schemas/Problem' },
      examples: {
        'no-such-thing': {
          summary: 'There is no such thing',
          value: { type: 'urn:problem-type:no-such-thing', title: 'There is no such thing', status: 404 },
        },
        'no-such-shelf': {
          summary: 'There is no such shelf',
          value: { type: 'urn:problem-type:no-such-shelf', title: 'There is no such shelf', status: 404 },
        },
      },
    });
    expect(responses[503]).toEqual({ $ref: '#/components/responses/full' });
    expect(components.responses.full.headers).toHaveProperty('Retry-After');
    expect(Object.keys(paths['/things/{thing}'].post.responses)).toEqual(
      expect.arrayContaining(['413', '415']),
    );
  });

  it('leaves out HEAD and OPTIONS', async () => {
    const { paths } = await described();
    const methods = Object.values(paths).flatMap((path) => Object.keys(path as object));
    expect(new Set(methods)).toEqual(new Set(['get', 'post']));
  });

  it('changes nothing about the answers', async () => {
    const answer = await service().inject('/things/x');
    expect(answer.body).toBe('[{"name":"x","colour":null,"part":{"size":5},"more":1}]');
  });

  it('answers JSON, YAML and conditional requests', async () => {
    const app = service();
    const json = await app.inject('/openapi.json');
    expect(json.headers).toMatchObject({
      'content-type': 'application/vnd.oai.openapi+json;version=3.1',
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
    });
    // ISO-8859-1 would read it like UTF-8.
    expect(json.body).toMatch(/^[\n -~]+$/);
    expect(json.json()).toMatchObject({ tags: [{ description: 'All things’ names 🎷.' }, {}] });
    const yaml = await app.inject('/openapi.yaml');
    expect(yaml.headers['content-type']).toBe('application/yaml');
    for (const version of ['1.1', '1.2'] as const) expect(parse(yaml.body, { version })).toEqual(json.json());
    const headers = { 'if-none-match': String(json.headers['etag']) };
    expect((await app.inject({ url: '/openapi.json', headers })).statusCode).toBe(304);
    const head = await app.inject({ method: 'HEAD', url: '/openapi.json' });
    expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([
      200,
      '',
      json.headers['content-length'],
    ]);
  });

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('answers compressed as %s, with a validator of that form', async (encoding, decompress) => {
    const app = service();
    for (const url of ['/openapi.json', '/openapi.yaml', '/docs', '/docs/']) {
      const plain = await app.inject(url);
      const headers = { 'accept-encoding': encoding };
      const answer = await app.inject({ url, headers });
      expect(answer.headers).toMatchObject({
        'content-encoding': encoding,
        'content-type': plain.headers['content-type'],
        'content-length': String(answer.rawPayload.length),
        vary: 'Accept-Encoding',
      });
      expect(decompress(answer.rawPayload).equals(plain.rawPayload)).toBe(true);
      expect(answer.rawPayload.length).toBeLessThan(plain.rawPayload.length);
      const etag = String(answer.headers['etag']);
      expect(etag).toMatch(/^"[\w-]+"$/);
      expect(etag).not.toBe(plain.headers['etag']);
      const again = await app.inject({ url, headers: { ...headers, 'if-none-match': etag } });
      expect([again.statusCode, again.headers['etag'], again.headers['vary'], again.body]).toEqual([
        304,
        etag,
        'Accept-Encoding',
        '',
      ]);
      expect((await app.inject({ url, headers: { 'if-none-match': etag } })).statusCode).toBe(200);
    }
  });

  it('makes each form once', async () => {
    const app = service();
    const sent: unknown[] = [];
    app.addHook('onSend', (_request, _reply, payload, done) => {
      sent.push(payload);
      done();
    });
    for (const encoding of ['identity', 'br', 'gzip']) {
      const headers = { 'accept-encoding': encoding };
      await Promise.all([1, 2].map(() => app.inject({ url: '/openapi.json', headers })));
    }
    expect(sent.map((body) => sent.indexOf(body))).toEqual([0, 0, 2, 2, 4, 4]);
  });

  it.each([
    ['/docs', './'],
    ['/docs/', '../'],
  ])(
    'serves a page at %s that loads nothing, under a policy for its own style and script',
    async (path, root) => {
      const app = service();
      const page = await app.inject(path);
      const hashes = [...page.body.matchAll(/<(?:script|style)>([^]*?)<\/(?:script|style)>/g)].map(
        ([, text]) => `'sha256-${createHash('sha256').update(text!).digest('base64')}'`,
      );
      expect(hashes).toHaveLength(2);
      expect(page.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'public, max-age=300',
        'content-security-policy': `default-src 'none'; script-src ${hashes[1]}; style-src ${hashes[0]}; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      });
      const links = [...page.body.matchAll(/ (?:src|href)="([^"#][^"]*)"/g)].map(([, link]) => link);
      expect(links).toEqual([
        'data:,',
        ...['', 'docs', 'health', 'openapi.json', 'openapi.yaml'].map((path) => root + path),
      ]);
      expect(page.body).toContain('</a> <small class="muted">1.2.3</small>');
      expect(page.body).toContain(`<body data-root="${root}"`);
    },
  );

  it('has a section for each operation, problem type and schema, and a target for each link', async () => {
    const { body } = await service().inject('/docs');
    const ids = [...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(
      expect.arrayContaining([
        'thing',
        'change',
        'openApiJson',
        'problem-full',
        'schema-Thing',
        'tag-things',
        'tag-other',
      ]),
    );
    const targets = [...body.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
    expect(targets.filter((id) => !ids.includes(id))).toEqual([]);
  });

  /** The page from an anchor up to the next operation. */
  const sectionOf = (body: string, id: string): string =>
    body.slice(body.indexOf(` id="${id}"`)).split('<details class="operation">', 1)[0]!;

  it('shows what a request has and what may be answered', async () => {
    const { body } = await service().inject('/docs');
    const section = (id: string) => sectionOf(body, id);
    expect(section('thing')).toContain(
      '<b>404</b> <a href="#problem-no-such-thing">There is no such thing</a> · ',
    );
    expect(section('thing')).toContain('array of <a href="#schema-Thing">Thing</a>');
    expect(section('thing')).toContain('Headers: ETag');
    expect(section('thing')).toContain('name="limit" data-in="query" placeholder="5"');
    const change = section('change');
    expect(change).toContain(' data-method="POST" data-path="/things/{thing}"');
    expect(change).toContain('name="Authorization" data-in="header" data-prefix="Bearer " type="password"');
    expect(change).toContain('<b>204</b> Changed.');
    expect(change).toContain('--header &apos;Authorization: Bearer YOUR_KEY&apos;');
    expect(change).toContain('&quot;colour&quot;: &quot;red&quot;');
  });

  it('shows the required first, rules in words, and how to authenticate', async () => {
    const { body } = await service().inject('/docs');
    const change = sectionOf(body, 'change');
    const names = [
      ...change.matchAll(/<b><code>([\w-]+)<\/code><\/b> <span class="type">[^<]* · (?:header|path)/g),
    ];
    expect(names.map(([, name]) => name)).toEqual(['thing', 'If-Match', 'If-None-Match']);
    expect(change).toContain('an ETag, in quotes');
    expect(body).not.toContain('^&quot;');
    expect(change).toContain('<h4>Authentication <span class="soft">required</span></h4>');
    expect(change).toContain('<code>Authorization: Bearer …</code></b>: of the operator');
    expect(sectionOf(body, 'thing')).not.toContain('Authentication');
  });

  it('has what is wrong and what to do of each problem, and its headers, in one table', async () => {
    const { body } = await service().inject('/docs');
    const [row] = /<tr id="problem-full">.*<\/tr>/.exec(body)!;
    expect(row).toContain(
      '503 <code>full</code></th><td>There is no room<p>Retry after <code>Retry-After</code>',
    );
    expect(row).toContain('Headers: Retry-After');
    expect(body.match(/&quot;urn:problem-type:/g)).toHaveLength(1);
  });

  it('has the version of the software and that of the interface', async () => {
    const { body } = await service().inject('/docs');
    expect(body).toContain('Version 1.2.3 · interface 2025.4.1 · ');
  });

  it('shows a problem in full where it differs from the other of the same code', async () => {
    const problem = (detail: string) => ({
      description: 'No.',
      content: { 'application/problem+json': { schema: {}, examples: { no: { value: { detail } } } } },
    });
    const operation = (operationId: string, detail: string) => ({
      operationId,
      responses: { 409: problem(detail) },
    });
    const document = {
      info: { title: '<t>', version: '1' },
      paths: { '/a': { get: operation('a', 'first') }, '/b': { get: operation('b', 'second') } },
    };
    const html = referencePage(document, './');
    expect(html).toContain('<b>409</b> <a href="#problem-no">no</a>');
    expect(html).toContain('<summary><b>409</b> No.</summary>');
    expect(html).not.toContain('<t>');
  });

  it.each([
    '/docs/none',
    '/docs/json',
    '/docs/yaml',
    '/docs/static/swagger-ui.css',
    '/docs/static/%2e%2e/package.json',
    '/docs/__proto__',
    '/docs/constructor',
  ])('has nothing at %s', async (path) => {
    const missing = await service().inject(path);
    expect([missing.statusCode, missing.json().type]).toEqual([404, 'urn:problem-type:not-found']);
  });
});

it('needs a Fastify and its types, and no service-kit', async () => {
  const typed = fastify().withTypeProvider<TypeBoxTypeProvider>();
  apiReference(typed, {
    title: 'Bare',
    version: '1',
    description: 'Bare.',
    tags: [{ name: 'service', description: 'Itself.' }],
  });
  typed.get('/health/live', { schema: { operationId: 'live' } }, () => 'up');
  const { headers, json } = await typed.inject('/openapi.json');
  expect([headers['content-type'], Object.keys(json().paths)]).toEqual([
    'application/vnd.oai.openapi+json;version=3.1',
    expect.arrayContaining(['/health/live', '/openapi.json']),
  ]);
  expect((await typed.inject('/docs/nowhere')).statusCode).toBe(404);
});
