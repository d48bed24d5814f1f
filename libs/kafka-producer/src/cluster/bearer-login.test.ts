import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SASLOptions } from '../wire/kafkajs-protocol.ts';
import { eventually, freePort } from '@workspace/testing';
import { awsLogin, oauthLogin } from './bearer-login.ts';

const tokenOf = async (newLogin: () => Promise<SASLOptions>): Promise<string> => {
  const login = await newLogin();
  if (login.mechanism !== 'oauthbearer') throw new Error(login.mechanism);
  return (await login.oauthBearerProvider()).value;
};

describe('client credentials', () => {
  let server: Server;
  let tokenUrl: string;
  let asked: { headers: IncomingMessage['headers']; body: string }[];
  let answer: { status: number; body: object };
  let isSilent: boolean;
  /** answered instead of JSON */
  let raw: string | undefined;

  beforeEach(async () => {
    asked = [];
    isSilent = false;
    raw = undefined;
    answer = { status: 200, body: {} };
    server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        asked.push({ headers: request.headers, body });
        if (isSilent) return;
        response
          .writeHead(answer.status)
          .end(raw ?? JSON.stringify({ access_token: `t${asked.length}`, ...answer.body }));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    tokenUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  it('are exchanged for a token, which all connections share until it is nearly over', async () => {
    answer.body = { expires_in: 100 };
    const login = oauthLogin(async () => ({
      tokenUrl,
      clientId: 'in:take',
      clientSecret: 's p',
      scope: 'kafka write',
    }));
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now);
    expect(await Promise.all([tokenOf(login), tokenOf(login)])).toEqual(['t1', 't1']);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.body).toBe('grant_type=client_credentials&scope=kafka+write');
    expect(asked[0]?.headers.accept).toBe('application/json');
    const basic = String(asked[0]?.headers.authorization).replace('Basic ', '');
    expect(Buffer.from(basic, 'base64').toString()).toBe('in%3Atake:s+p');

    clock.mockReturnValue(now + 79_000);
    try {
      expect(await tokenOf(login)).toBe('t1');
      clock.mockReturnValue(now + 81_000);
      await eventually('next token', async () => (await tokenOf(login)) === 't2');
      expect(asked).toHaveLength(2);
    } finally {
      clock.mockRestore();
    }
  });

  it('are exchanged again when the token is nearly over, although the wall clock was set back meanwhile', async () => {
    answer.body = { expires_in: 100 };
    const login = oauthLogin(async () => ({ tokenUrl, clientId: 'intake', clientSecret: 's' }));
    expect(await tokenOf(login)).toBe('t1');
    // eslint-disable-next-line no-restricted-syntax -- where the clocks below begin
    const [wall, monotonic] = [Date.now(), performance.now()];
    const spies = [
      jest.spyOn(Date, 'now').mockReturnValue(wall - 3_600_000),
      jest.spyOn(performance, 'now').mockReturnValue(monotonic + 79_000),
    ];
    try {
      expect(await tokenOf(login)).toBe('t1');
      spies[1]!.mockReturnValue(monotonic + 81_000);
      await eventually('next token', async () => (await tokenOf(login)) === 't2');
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  });

  it('leave a token that still counts in use while the endpoint fails or is slow to give the next one', async () => {
    answer.body = { expires_in: 100 };
    const login = oauthLogin(async () => ({ tokenUrl, clientId: 'intake', clientSecret: 's' }));
    expect(await tokenOf(login)).toBe('t1');
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now + 81_000);
    try {
      answer = { status: 503, body: {} };
      expect(await tokenOf(login)).toBe('t1');
      await eventually('request', () => asked.length === 2);
      isSilent = true;
      expect(
        await eventually('third request', async () => (await tokenOf(login)) === 't1' && asked.length === 3),
      );
      clock.mockReturnValue(now + 96_000);
      server.closeAllConnections();
      await expect(tokenOf(login)).rejects.toThrow('token endpoint');
      isSilent = false;
      answer = { status: 200, body: { expires_in: 100 } };
      expect(await eventually('token', () => tokenOf(login))).toMatch(/^t[45]$/);
    } finally {
      clock.mockRestore();
    }
  });

  it.each<[string, object | string, string]>([
    ['a token that ends Kafka’s message', { access_token: 'a\u0001\u0001' }, '200 no token'],
    ['null', 'null', '200 no token'],
    ['a page', '<html>', '200 no token'],
    ['a word as life', { expires_in: 'soon' }, '200 with the life "soon" of the token'],
    ['a life that is over', { expires_in: 0 }, '200 with the life 0 of the token'],
  ])('rejects %s', async (_kind, body, message) => {
    if (typeof body === 'string') raw = body;
    else answer.body = body;
    const login = oauthLogin(async () => ({ tokenUrl, clientId: 'intake', clientSecret: 's' }));
    await expect(tokenOf(login)).rejects.toThrow(`token endpoint: ${message}`);
  });

  it.each<[unknown, number]>([
    [undefined, 300],
    ['100', 100],
    [1e300, 86_400],
  ])('with a token of the life %j are exchanged again before %d s are over', async (life, seconds) => {
    answer.body = { expires_in: life };
    const login = oauthLogin(async () => ({ tokenUrl, clientId: 'intake', clientSecret: 's' }));
    expect([await tokenOf(login), await tokenOf(login)]).toEqual(['t1', 't1']);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + seconds * 1_000);
    try {
      expect(await tokenOf(login)).toBe('t2');
    } finally {
      clock.mockRestore();
    }
  });

  it('say why there is no token, without the secret, and are tried again', async () => {
    const login = oauthLogin(async () => ({ tokenUrl, clientId: 'intake', clientSecret: 'hidden' }));
    answer = { status: 401, body: { access_token: undefined, error: 'invalid_client' } };
    await expect(tokenOf(login)).rejects.toThrow('token endpoint: 401 invalid_client');
    expect(asked[0]?.body).toBe('grant_type=client_credentials');
    answer = { status: 500, body: {} };
    await expect(tokenOf(login)).rejects.toThrow('token endpoint: 500 no token');
    answer = { status: 200, body: { padding: 'x'.repeat(1024 * 1024) } };
    await expect(tokenOf(login)).rejects.toThrow('the answer is larger than 1 MiB');
    answer = { status: 200, body: {} };
    expect(await tokenOf(login)).toBe('t4');
    const nowhere = oauthLogin(async () => ({
      tokenUrl: `http://127.0.0.1:${await freePort()}/`,
      clientId: 'intake',
      clientSecret: 'hidden',
    }));
    await expect(tokenOf(nowhere)).rejects.toThrow(/^token endpoint: .*ECONNREFUSED/);
  });
});

describe('AWS IAM', () => {
  const saved = { ...process.env };
  afterEach(() => {
    process.env = saved;
  });

  it('signs a request to connect with the credentials of the environment', async () => {
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' });
    const token = await tokenOf(awsLogin('eu-central-1'));
    const url = new URL(Buffer.from(token, 'base64url').toString());
    expect(url.host).toBe('kafka.eu-central-1.amazonaws.com');
    expect(url.searchParams.get('Action')).toBe('kafka-cluster:Connect');
    expect(url.searchParams.get('X-Amz-Credential')).toMatch(
      /^AKIDEXAMPLE\/\d{8}\/eu-central-1\/kafka-cluster\/aws4_request$/,
    );
    expect(url.searchParams.get('X-Amz-Signature')).toMatch(/^[0-9a-f]{64}$/);
  });
});
