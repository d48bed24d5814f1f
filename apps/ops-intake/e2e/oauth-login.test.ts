import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeWithKafka, startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { submit } from './support/client.ts';
import { untilHealth, untilHealthSays } from './support/health.ts';
import { killServices, startService } from './support/service.ts';

const LOGIN = Buffer.from('intake:correct-horse').toString('base64');
/** How long a broker accepts a login, in milliseconds. */
const SESSION_MS = 2_000;

/** An issuer: its keys at /jwks, tokens for client credentials at /token. */
const startIssuer = async (): Promise<{
  server: Server;
  url: string;
  tokens: () => number;
  /** for whom the next tokens are */
  audience: string;
}> => {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const key = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  let tokens = 0;
  const server = createServer((request, response) => {
    if (request.url === '/jwks') return response.end(JSON.stringify({ keys: [key] }));
    if (request.headers.authorization !== `Basic ${LOGIN}`) {
      return response.writeHead(401).end('{"error":"invalid_client"}');
    }
    tokens += 1;
    void new SignJWT({ iss: 'https://issuer.example/', aud: issuer.audience, sub: 'intake', scope: 'write' })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey)
      .then((token) => response.end(JSON.stringify({ access_token: token, expires_in: 3_600 })));
    return undefined;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = { server, url, tokens: () => tokens, audience: 'kafka' };
  return issuer;
};

describeWithKafka(
  'a login by OAUTHBEARER, to a broker that checks tokens by the keys of their issuer',
  () => {
    let issuer: Awaited<ReturnType<typeof startIssuer>>;
    let broker: StandaloneBroker;

    beforeAll(async () => {
      issuer = await startIssuer();
      // The JVM reads keys only from addresses that a property lists.
      process.env['JAVA_TOOL_OPTIONS'] =
        `-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=${issuer.url}/jwks`;
      const oauth = 'listener.name.sasl.oauthbearer';
      const classes = 'org.apache.kafka.common.security.oauthbearer';
      broker = await startBroker({
        sasl: { username: 'unused', password: 'unused' },
        overrides: {
          'listener.name.sasl.sasl.enabled.mechanisms': 'OAUTHBEARER',
          [`${oauth}.sasl.jaas.config`]: `${classes}.OAuthBearerLoginModule required;`,
          [`${oauth}.sasl.server.callback.handler.class`]: `${classes}.OAuthBearerValidatorCallbackHandler`,
          [`${oauth}.connections.max.reauth.ms`]: String(SESSION_MS),
          'sasl.oauthbearer.jwks.endpoint.url': `${issuer.url}/jwks`,
          'sasl.oauthbearer.expected.audience': 'kafka',
          'sasl.oauthbearer.expected.issuer': 'https://issuer.example/',
        },
      });
    });
    afterEach(killServices);
    afterAll(async () => {
      delete process.env['JAVA_TOOL_OPTIONS'];
      await broker?.stop();
      issuer.server.closeAllConnections();
      issuer.server.close();
    });

    const start = (password: string) =>
      startService({
        KAFKA_BOOTSTRAP_SERVERS: `127.0.0.1:${broker.ports['SASL']}`,
        KAFKA_PROBE_INTERVAL_MS: '200',
        KAFKA_SASL_MECHANISM: 'oauthbearer',
        KAFKA_SASL_USERNAME: 'intake',
        KAFKA_SASL_PASSWORD: password,
        KAFKA_SASL_OAUTH_TOKEN_URL: `${issuer.url}/token`,
      });

    it('writes with one token, also after the broker has ended the login', async () => {
      const service = await start('correct-horse');
      await untilHealth(service.url, 200);
      const statuses: number[] = [];
      const end = Date.now() + 2 * SESSION_MS;
      while (Date.now() < end) {
        statuses.push((await submit(service)).status);
      }
      expect(new Set(statuses)).toEqual(new Set([202]));
      expect(await broker.consume('operations')).toHaveLength(statuses.length);
      expect(issuer.tokens()).toBe(1);
      // It logged in again before the broker ended the connection: no batch failed.
      expect(service.lines.map(({ msg }) => msg)).not.toContain('batch not acknowledged');
      expect(await service.stop()).toBe(0);
    });

    it('says in /health that the broker does not accept its token', async () => {
      issuer.audience = 'another';
      try {
        const service = await start('correct-horse');
        await untilHealthSays(service.url, 'SASL OAUTHBEARER authentication failed');
      } finally {
        issuer.audience = 'kafka';
      }
    });

    it('says in /health why there is no token', async () => {
      const service = await start('wrong-secret');
      await untilHealthSays(service.url, 'token endpoint: 401 invalid_client');
      expect(JSON.stringify(service.lines)).not.toContain('wrong-secret');
    });
  },
);
