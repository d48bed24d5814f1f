import { newAjv } from '@workspace/service-kit';
import { answersWithoutExample } from '@workspace/testing';
import { problems } from '../src/problems.ts';
import { submissionSchema } from '../src/http/submit/submission-schema.ts';
import { options } from '../src/features.ts';
import { givenSchemas } from '../src/features/own-schemas/index.ts';
import { jwtAuthenticator } from '../src/features/jwt/jwt-authenticator.ts';
import { appUnderTest, ONE_BUY, type OpensAs, post } from './app-under-test.ts';
import { exampleSchemas } from './own-schemas.ts';

const AUTH_TOKENS = 'alice:0123456789abcdef';

/** The description as a client gets it, with the part about submissions. */
const described = async (env: Record<string, string> = {}, parts: { opens?: OpensAs } = {}) => {
  const { app } = appUnderTest(env, parts);
  const answer = await app.inject('/openapi.json');
  await app.close();
  const document = answer.json();
  return { answer, document, submit: document.paths['/operations'].post };
};

describe('GET /openapi.json', () => {
  it('shows an example of every answer', async () => {
    const { document } = await described();
    const ownDescriptions = ['/openapi.', '/asyncapi.', '/schemas/', '/docs'];
    expect(answersWithoutExample(document, ownDescriptions)).toEqual([]);
  });

  it('is OpenAPI 3.1 with every reference resolved', async () => {
    const { answer, document } = await described();
    expect(answer.headers['content-type']).toBe('application/vnd.oai.openapi+json;version=3.1');
    expect(document.openapi).toBe('3.1.0');
    const references = [...answer.body.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
    expect(new Set(references)).toEqual(
      new Set([
        'Problem',
        'Submission',
        'Operation',
        'Accepted',
        'SubmissionOutcome',
        'OperationsHealth',
        'Live',
        'Ready',
        'Unready',
      ]),
    );
    for (const name of references) expect(document.components.schemas).toHaveProperty(name!);
  });

  it('has streams only where they are served', async () => {
    expect((await described()).document.paths).not.toHaveProperty('/operations/batch');
    const { document } = await described({ BULK_STREAMS: '1' });
    const { post: stream } = document.paths['/operations/batch'];
    expect(Object.keys(stream.requestBody.content)).toEqual(['application/x-ndjson']);
    expect(Object.keys(stream.responses['200'].content)).toEqual(['application/x-ndjson']);
    expect(answersWithoutExample(document, ['/openapi.', '/asyncapi.', '/schemas/', '/docs'])).toEqual([]);
  });

  it('has the limits of this instance', async () => {
    const { document } = await described({ MAX_OPERATIONS: '7', MAX_FRACTION_DIGITS: '2' });
    const { Submission, Operation } = document.components.schemas;
    expect(Submission.maxItems).toBe(7);
    expect(Operation.properties['unit-cost'].description).toContain('2 fraction digits');
  });

  it('writes numbers so that clients keep every digit', async () => {
    const { Operation, Accepted } = (await described()).document.components.schemas;
    expect(Operation.properties['unit-cost']).toMatchObject({ type: 'number', format: 'double' });
    expect(Operation.properties.quantity).toMatchObject({ type: 'integer', format: 'int64' });
    expect(Accepted.properties.offset).toMatchObject({ type: 'integer', format: 'int64' });
  });

  it('asks for a token, and has 429, only where that can happen', async () => {
    const open = await described();
    expect(open.submit.security).toBeUndefined();
    expect(Object.keys(open.submit.responses)).not.toContain('401');
    expect(Object.keys(open.submit.responses)).not.toContain('429');
    const guarded = await described({ AUTH_TOKENS, RATE_LIMIT: '5/second' });
    expect(guarded.submit.security).toEqual([{ bearer: [] }]);
    expect(guarded.document.components.securitySchemes.bearer).toMatchObject({
      type: 'http',
      scheme: 'bearer',
    });
    expect(Object.keys(guarded.submit.responses)).toEqual(expect.arrayContaining(['401', '429']));
  });

  it('asks for an Idempotency-Key only where one is needed', async () => {
    const required = async (env: Record<string, string>) =>
      (await described(env)).submit.parameters.find(
        ({ name }: { name: string }) => name === 'Idempotency-Key',
      ).required;
    expect(await required({})).toBe(false);
    expect(await required({ IDEMPOTENCY_KEY_REQUIRED: 'true' })).toBe(true);
  });

  it('says how clients authenticate: by any of the ways that are on', async () => {
    const jwt = { verify: () => Promise.reject(new Error('not asked')), hasKeys: () => true };
    const { submit, document } = await described(
      { AUTH_TOKENS, AUTH_CLIENT_CERT_HEADER: 'client-cert', TRUST_PROXY: 'loopback' },
      { opens: { jwt: { authenticator: jwtAuthenticator(jwt, true) } } },
    );
    const schemes = Object.entries(document.components.securitySchemes as Record<string, { type: string }>);
    expect(schemes.map(([name, { type }]) => [name, type])).toEqual([
      ['clientCertificate', 'mutualTLS'],
      ['bearer', 'http'],
      ['jwt', 'http'],
    ]);
    expect(submit.security).toEqual([{ clientCertificate: [] }, { bearer: [] }, { jwt: [] }]);
    expect((await described()).submit.security).toBeUndefined();
  });

  it('lists every problem of the catalogue', async () => {
    const all = {
      AUTH_TOKENS,
      AUTH_JWT_ISSUER: 'https://issuer.example/',
      AUTH_JWT_AUDIENCE: 'ops-intake',
      AUTH_JWT_JWKS_URL: 'https://issuer.example/jwks',
      AUTH_JWT_SCOPE: 'operations:submit',
      RATE_LIMIT: '5/second',
      IDEMPOTENCY_KEY_REQUIRED: 'true',
      SEQUENCES: 'true',
      BULK_STREAMS: '1',
    };
    const jwt = { verify: () => Promise.reject(new Error('not asked')), hasKeys: () => true };
    // Some occur only with authentication, some only without.
    const own = givenSchemas(await exampleSchemas('orders.v1.json'));
    const opens = { jwt: { authenticator: jwtAuthenticator(jwt, true) }, 'own-schemas': own };
    const text = [await described(all, { opens }), await described()].map(({ answer }) => answer.body).join();
    const codes = [problems, ...options.map((option) => option.problems ?? {})].flatMap((one) =>
      Object.keys(one),
    );
    for (const code of codes) expect(text).toContain(`"urn:problem-type:${code}"`);
  });
});

describe('the schema of a submission', () => {
  const judge = newAjv().compile(submissionSchema({ operations: 3, fractionDigits: 8 }));
  const operation = (members: string) => `[{"operation":"buy","unit-cost":10.00,"quantity":100${members}}]`;
  const accepted = async (body: string): Promise<boolean> => {
    const { app } = appUnderTest({ MAX_OPERATIONS: '3' });
    const { statusCode } = await post(app, body);
    await app.close();
    return statusCode === 202;
  };

  it.each([
    [true, ONE_BUY],
    [true, '[{"operation":"sell","unit-cost":0,"quantity":1}]'],
    [true, '[{"operation":"sell","unit-cost":1.0E7,"quantity":1}]'],
    [true, '[{"operation":"sell","unit-cost":999999999999999,"quantity":9007199254740991}]'],
    [true, `[${Array(3).fill(ONE_BUY.slice(1, -1)).join()}]`],
    [false, `[${Array(4).fill(ONE_BUY.slice(1, -1)).join()}]`],
    [false, '[]'],
    [false, '{}'],
    [false, '[7]'],
    [false, operation(',"more":1')],
    [false, '[{"operation":"hold","unit-cost":1,"quantity":1}]'],
    [false, '[{"operation":"buy","unit-cost":"1","quantity":1}]'],
    [false, '[{"operation":"buy","unit-cost":-1,"quantity":1}]'],
    [false, '[{"operation":"buy","unit-cost":1000000000000000,"quantity":1}]'],
    [false, '[{"operation":"buy","unit-cost":null,"quantity":1}]'],
    [false, '[{"operation":"buy","unit-cost":1,"quantity":0}]'],
    [false, '[{"operation":"buy","unit-cost":1,"quantity":1.5}]'],
    [false, '[{"operation":"buy","unit-cost":1,"quantity":9007199254740992}]'],
    [false, '[{"operation":"buy","unit-cost":1}]'],
    [false, '[{"operation":"buy","quantity":1}]'],
    [false, '[{"unit-cost":1,"quantity":1}]'],
  ])('says %s, as the service does, of %s', async (valid, body) => {
    expect([judge(JSON.parse(body)), await accepted(body)]).toEqual([valid, valid]);
  });

  it.each([
    ['a quantity with an exponent', '[{"operation":"buy","unit-cost":1,"quantity":1e2}]'],
    ['a point in a quantity', '[{"operation":"buy","unit-cost":1,"quantity":1.0}]'],
    ['too many digits', '[{"operation":"buy","unit-cost":1.000000000,"quantity":1}]'],
    ['a member given twice', operation(',"quantity":100')],
  ])('cannot say that %s is rejected', async (_what, body) => {
    expect([judge(JSON.parse(body)), await accepted(body)]).toEqual([true, false]);
  });
});
