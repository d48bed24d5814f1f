import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { digestOfToken } from '@workspace/service-kit/access-tokens';
import { captureLogger } from '@workspace/testing';
import { jwtAuthenticator, jwtWarnings } from '../src/features/jwt/jwt-authenticator.ts';
import { createJwtVerifier } from '../src/features/jwt/jwt-verifier.ts';
import { tokenAuthenticator } from '../src/features/tokens/index.ts';
import { appUnderTest, ONE_BUY, post } from './app-under-test.ts';

const ISSUER = 'https://issuer.example/';
const AUDIENCE = 'ops-intake';
const KEY = { 'idempotency-key': 'k' };

type SigningKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

/** An issuer with an endpoint for its keys. */
class Issuer {
  readonly #server: Server;
  readonly #keys = new Map<string, SigningKey>();
  published: JWK[] = [];
  /** how often its keys were read */
  reads = 0;
  padding = '';
  /** what it answers instead of its keys */
  body: string | undefined;

  constructor() {
    this.#server = createServer((_request, response) => {
      this.reads += 1;
      response
        .setHeader('content-type', 'application/json')
        .end(this.body ?? JSON.stringify({ padding: this.padding, keys: this.published }));
    });
  }

  async listen(port = 0): Promise<string> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/jwks`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async addKey(kid: string, alg = 'ES256'): Promise<void> {
    const { publicKey, privateKey } = await generateKeyPair(alg);
    this.#keys.set(kid, privateKey);
    this.published = [...this.published, { ...(await exportJWK(publicKey)), kid, alg }];
  }

  async bearer(
    claims: JWTPayload & { kid?: string; alg?: string; named?: boolean } = {},
    typ?: string,
  ): Promise<{ authorization: string }> {
    const { kid = 'one', alg = 'ES256', named = true, ...payload } = claims;
    const now = Math.floor(Date.now() / 1_000);
    const token = await new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: 'alice', exp: now + 60, ...payload })
      .setProtectedHeader({ alg, ...(named && { kid }), ...(typ !== undefined && { typ }) })
      .sign(this.#keys.get(kid)!);
    return { authorization: `Bearer ${token}` };
  }
}

describe('JSON Web Tokens', () => {
  let issuer: Issuer;
  let jwksUrl: string;

  const start = async (env: Record<string, string> = {}) => {
    const { logger, lines } = captureLogger();
    const jwt = await createJwtVerifier({
      issuer: ISSUER,
      audience: AUDIENCE,
      jwksUrl,
      scope: env['AUTH_JWT_SCOPE'],
      principalClaim: 'sub',
      types: ['at+jwt', 'JWT'],
      clock: () => new Date(Date.now()),
      logger,
    });
    const authenticator = jwtAuthenticator(jwt, env['AUTH_JWT_SCOPE'] !== undefined);
    const opens = { jwt: { authenticator, warnings: jwtWarnings(jwt) } };
    return { ...appUnderTest(env, { opens }), keyLog: lines };
  };

  const later = async (milliseconds: number, check: () => Promise<void>): Promise<void> => {
    const realNow = Date.now;
    try {
      Date.now = () => realNow() + milliseconds;
      await check();
    } finally {
      Date.now = realNow;
    }
  };

  beforeEach(async () => {
    issuer = new Issuer();
    await issuer.addKey('one');
    jwksUrl = await issuer.listen();
  });
  afterEach(() => issuer.close());

  it('name the principal, who alone can read the outcome', async () => {
    const { app, log } = await start();
    const accepted = await post(app, ONE_BUY, { ...(await issuer.bearer()), ...KEY });
    expect(accepted.statusCode).toBe(202);
    expect(log.records[0]?.headers).toMatchObject({ ce_authid: 'alice', ce_authtype: 'unknown' });
    const read = async (sub: string) =>
      (await app.inject({ url: accepted.json().statusUrl, headers: await issuer.bearer({ sub }) })).json()
        .outcome;
    expect([await read('alice'), await read('bob')]).toEqual(['accepted', 'unknown']);
    expect(issuer.reads).toBe(1);
  });

  const seconds = () => Math.floor(Date.now() / 1_000);
  it.each<[string, () => JWTPayload, number]>([
    ['of another issuer', () => ({ iss: 'https://other.example/' }), 401],
    ['for another audience', () => ({ aud: 'someone-else' }), 401],
    ['without a principal', () => ({ sub: '' }), 401],
    ['whose principal has spaces', () => ({ sub: 'a b' }), 401],
    ['that expired a minute ago', () => ({ exp: seconds() - 60 }), 401],
    ['that expired within the tolerance', () => ({ exp: seconds() - 10 }), 202],
    ['not valid yet', () => ({ nbf: seconds() + 60 }), 401],
    ['valid within the tolerance', () => ({ nbf: seconds() + 10 }), 202],
  ])('%s', async (_what, claims, status) => {
    const { app, log } = await start();
    const answer = await post(app, ONE_BUY, await issuer.bearer(claims()));
    expect(answer.statusCode).toBe(status);
    if (status === 401) expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    expect(log.records).toHaveLength(status === 202 ? 1 : 0);
  });

  it('are rejected when they are altered, unsigned or signed with the public key', async () => {
    const { app } = await start();
    const { authorization } = await issuer.bearer();
    const [head, , signature] = authorization.split('.') as [string, string, string];
    const payload = Buffer.from(JSON.stringify({ sub: 'mallory' })).toString('base64url');
    const unsigned = Buffer.from('{"alg":"none"}').toString('base64url');
    const secret = new TextEncoder().encode(JSON.stringify(issuer.published[0]));
    const shared = await new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: 'mallory', exp: seconds() + 60 })
      .setProtectedHeader({ alg: 'HS256', kid: 'one' })
      .sign(secret);
    for (const token of [
      `${head}.${payload}.${signature}`,
      `Bearer ${unsigned}.${payload}.`,
      `Bearer ${shared}`,
    ]) {
      expect((await post(app, ONE_BUY, { authorization: token })).statusCode).toBe(401);
    }
  });

  it.each([
    [{ scope: 'read operations:submit' }, 202],
    [{ scp: ['operations:submit'] }, 202],
    [{ scope: 'operations:submitter' }, 403],
    [{}, 403],
  ])('must have the scope that is asked for: %j', async (claims, status) => {
    const { app } = await start({
      AUTH_JWT_SCOPE: 'operations:submit',
      AUTH_JWT_ISSUER: ISSUER,
      AUTH_JWT_AUDIENCE: AUDIENCE,
      AUTH_JWT_JWKS_URL: jwksUrl,
    });
    const answer = await post(app, ONE_BUY, await issuer.bearer(claims));
    expect(answer.statusCode).toBe(status);
    if (status === 403) {
      expect(answer.json()).toMatchObject({ type: 'urn:problem-type:forbidden' });
      expect(answer.headers['www-authenticate']).toBe(
        'Bearer error="insufficient_scope", scope="operations:submit"',
      );
    }
  });

  it('stay valid while the issuer is unavailable, and get 503 when its keys were never read', async () => {
    const { app } = await start();
    const token = await issuer.bearer();
    const accepted = await post(app, ONE_BUY, token);
    expect(accepted.statusCode).toBe(202);
    await issuer.close();
    expect((await post(app, ONE_BUY, token)).statusCode).toBe(202);
    expect((await app.inject('/health')).json().status).toBe('up');

    const late = await start({ BULK_STREAMS: '1' });
    for (const [headers, outcome] of [
      [{}, 'not-published'],
      [KEY, 'unknown'],
    ] as const) {
      const answer = await post(late.app, ONE_BUY, { ...token, ...headers });
      expect(answer.statusCode).toBe(503);
      expect(answer.headers['retry-after']).toBe('5');
      expect(answer.json()).toMatchObject({ type: 'urn:problem-type:token-issuer-unavailable', outcome });
    }
    // What was submitted before may be in the log: neither a question nor a stream, whose lines have the keys, can say that it is not.
    const { statusUrl } = accepted.json();
    for (const request of [
      { url: statusUrl },
      { method: 'POST', url: '/operations/batch', payload: '' } as const,
    ]) {
      const headers = { ...token, 'content-type': 'application/x-ndjson' };
      const answer = await late.app.inject({ ...request, headers });
      expect(answer.statusCode).toBe(503);
      expect(answer.json()).toMatchObject({ outcome: 'unknown' });
    }
    expect(late.keyLog.filter(({ msg }) => msg === 'keys of the token issuer cannot be read')).toHaveLength(
      1,
    );
    const down = await late.app.inject('/health');
    expect([down.statusCode, down.json().status, Object.keys(down.json().checks)]).toEqual([
      503,
      'down',
      ['kafka:connection', 'token-issuer:keys', 'service:authentication'],
    ]);
    await issuer.listen(Number(new URL(jwksUrl).port));
    await later(30_001, async () => expect((await post(late.app, ONE_BUY, token)).statusCode).toBe(202));
    expect((await late.app.inject('/health')).json().status).toBe('up');
  });

  it('are not checked by keys of an answer that may not end', async () => {
    issuer.padding = 'x'.repeat(1024 * 1024);
    const { app, keyLog } = await start();
    expect((await post(app, ONE_BUY, await issuer.bearer())).statusCode).toBe(503);
    expect(keyLog.map(({ reason }) => reason)).toContainEqual(
      expect.stringContaining('the answer is larger than 1 MiB'),
    );
  });

  it('follow a rotation of keys, at most every 30 s', async () => {
    const { app } = await start();
    expect((await post(app, ONE_BUY, await issuer.bearer())).statusCode).toBe(202);
    await issuer.addKey('two');
    const rotated = await issuer.bearer({ kid: 'two' });
    // The keys were read a moment ago.
    expect((await post(app, ONE_BUY, rotated)).statusCode).toBe(401);
    expect(issuer.reads).toBe(1);
    await later(30_001, async () => expect((await post(app, ONE_BUY, rotated)).statusCode).toBe(202));
    expect(issuer.reads).toBe(2);
  });

  it('may leave out which of several keys has signed them', async () => {
    await issuer.addKey('two');
    await issuer.addKey('unpublished');
    issuer.published.pop();
    const { app } = await start();
    const statusOf = async (kid: string) =>
      (await post(app, ONE_BUY, await issuer.bearer({ kid, named: false }))).statusCode;
    expect([await statusOf('one'), await statusOf('two'), await statusOf('unpublished')]).toEqual([
      202, 202, 401,
    ]);
    const expired = await issuer.bearer({ kid: 'two', named: false, exp: seconds() - 60 });
    expect((await post(app, ONE_BUY, expired)).statusCode).toBe(401);
  });

  it.each([
    [202, 'JWT', {}],
    [202, 'jwt', {}],
    [202, 'at+jwt', {}],
    [202, 'application/AT+JWT', {}],
    [202, undefined, {}],
    [202, 'JWT', { typ: 'Bearer', nonce: 'n' }],
    [202, undefined, { token_use: 'access' }],
    [401, 'logout+jwt', {}],
    [401, 'secevent+jwt', {}],
    [401, 'dpop+jwt', {}],
    [401, 'application/entity-statement+jwt', {}],
    [401, '', {}],
    [401, 'at+jwt ', {}],
    [401, 'at+jwt', { cnf: { jkt: 'x' } }],
    [401, 'JWT', { cnf: { 'x5t#S256': 'x' } }],
    [401, 'JWT', { nonce: 'n' }],
    [401, 'JWT', { at_hash: 'x' }],
    [401, 'JWT', { events: {} }],
    [401, 'JWT', { typ: 'ID' }],
    [401, 'JWT', { typ: 'Refresh' }],
    [401, undefined, { token_use: 'id' }],
  ])('get %i with the type %s and the claims %j', async (status, typ, claims) => {
    const { app } = await start();
    expect((await post(app, ONE_BUY, await issuer.bearer(claims, typ))).statusCode).toBe(status);
  });

  it.each([
    ['no keys', '{"keys":[]}'],
    ['no key set', '{}'],
    ['no JSON', '<html>'],
    ['keys that are none', '{"keys":[null]}'],
  ])('get 503, and the log a line, when the issuer publishes %s', async (_what, body) => {
    issuer.body = body;
    const { app, keyLog } = await start();
    for (let count = 0; count < 5; count++) {
      expect((await post(app, ONE_BUY, await issuer.bearer())).statusCode).toBe(503);
    }
    expect(keyLog.map(({ msg }) => msg)).toEqual(['keys of the token issuer cannot be read']);
    expect(issuer.reads).toBe(1);
  });

  it('ask an issuer that fails every 30 s', async () => {
    issuer.body = '';
    const { app } = await start();
    for (let count = 0; count < 20; count++) await post(app, ONE_BUY, await issuer.bearer());
    expect(issuer.reads).toBe(1);
    await later(30_001, async () => {
      for (let count = 0; count < 20; count++) await post(app, ONE_BUY, await issuer.bearer());
    });
    expect(issuer.reads).toBe(2);
  });

  it('are tried after static tokens', async () => {
    const { app, log } = await start({ AUTH_TOKENS: 'bob:fedcba9876543210' });
    expect((await post(app, ONE_BUY, { authorization: 'Bearer fedcba9876543210' })).statusCode).toBe(202);
    expect((await post(app, ONE_BUY, await issuer.bearer())).statusCode).toBe(202);
    expect((await post(app, ONE_BUY, { authorization: 'Bearer aaaaaaaaaaaaaaaa' })).statusCode).toBe(401);
    expect(log.records.map(({ headers }) => headers['ce_authid'])).toEqual(['bob', 'alice']);
  });
});

describe('a file of tokens', () => {
  it('is checked again for every request', async () => {
    let digests = new Map([['alice', digestOfToken('0123456789abcdef')]]);
    const { app } = appUnderTest(
      {},
      {
        opens: { tokens: { authenticator: tokenAuthenticator(() => digests) } },
      },
    );
    const submit = async () =>
      (await post(app, ONE_BUY, { authorization: 'Bearer 0123456789abcdef' })).statusCode;
    expect(await submit()).toBe(202);
    digests = new Map();
    expect(await submit()).toBe(401);
  });
});

describe('client certificates behind a proxy', () => {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const certificate = (subject: string, ...more: string[]): { pem: string; der: string } => {
    const [key, file] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key];
    execFileSync('openssl', ['req', '-x509', ...curve, '-subj', subject, '-out', file, ...more], {
      stdio: 'ignore',
    });
    const pem = readFileSync(file, 'utf8');
    return { pem: encodeURIComponent(pem), der: `:${pem.replaceAll(/-----.*-----|\n/g, '')}:` };
  };
  const env = { AUTH_CLIENT_CERT_HEADER: 'Client-Cert', TRUST_PROXY: 'loopback' };

  it.each(['pem', 'der'] as const)('name the principal by common name or URI: %s', async (form) => {
    const { app, log } = appUnderTest(env);
    const named = certificate('/O=Desk/CN=alice');
    const spiffe = certificate('/CN=ignored', '-addext', 'subjectAltName=URI:spiffe://bank/desk');
    for (const one of [named, named, spiffe]) {
      expect((await post(app, ONE_BUY, { 'client-cert': one[form] })).statusCode).toBe(202);
    }
    expect(log.records.map(({ headers }) => [headers['ce_authtype'], headers['ce_authid']])).toEqual([
      ['service_account', 'alice'],
      ['service_account', 'alice'],
      ['service_account', 'spiffe://bank/desk'],
    ]);
  });

  it('do not count when there is more than one', async () => {
    const { app } = appUnderTest(env);
    const [alice, bob] = [certificate('/CN=alice'), certificate('/CN=bob')];
    for (const header of [
      `${alice.pem}, ${bob.pem}`,
      `${alice.pem}${bob.pem}`,
      `${alice.pem},${bob.der}`,
      `${alice.der}, ${bob.der}`,
      `${alice.der}${bob.der}`,
      `x${alice.pem}`,
      `${alice.pem}x`,
      [alice.pem, bob.pem],
      [alice.der, bob.der],
    ]) {
      const answer = await app.inject({
        method: 'POST',
        url: '/operations',
        headers: { 'content-type': 'application/json', 'client-cert': header as string },
        payload: ONE_BUY,
      });
      expect(answer.statusCode).toBe(401);
    }
  });

  it.each([
    ['a header from a sender that is not a trusted proxy', { ...env, TRUST_PROXY: '192.0.2.1' }, undefined],
    ['what is no certificate', env, 'alice'],
    ['no certificate', env, ''],
  ])('do not count: %s', async (_what, settings, header) => {
    const { app, log } = appUnderTest(settings);
    const answer = await post(app, ONE_BUY, { 'client-cert': header ?? certificate('/CN=alice').der });
    expect(answer.statusCode).toBe(401);
    expect(log.records).toEqual([]);
  });
});
