import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithKafka, startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import { freePort } from '@workspace/testing';
import { untilHealth, untilHealthSays } from './support/health.ts';
import { startIamFront } from './support/iam-front.ts';
import { checkMskToken } from './support/msk-token.ts';
import { killServices, startService } from './support/service.ts';

const ONE_BUY = '[{"operation":"buy","unit-cost":10.00,"quantity":100}]';
const REGION = 'eu-central-1';
const CREDENTIALS = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'correct/horse+battery',
  sessionToken: 'staple==',
};

describeWithKafka('a login by AWS IAM, to a broker behind a front that checks it as Amazon MSK does', () => {
  const folder = mkdtempSync(join(tmpdir(), 'msk-'));
  const certificate = join(folder, 'certificate.pem');
  const key = join(folder, 'key.pem');
  const tokens: string[] = [];
  let port: number;
  let broker: StandaloneBroker;
  let front: Awaited<ReturnType<typeof startIamFront>>;

  beforeAll(async () => {
    const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1';
    execFileSync('openssl', [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
      ],
      ...['-subj', '/CN=localhost', '-addext', names, '-keyout', key, '-out', certificate],
    ]);
    port = await freePort();
    broker = await startBroker({ viaAdvertisedPort: port });
    front = await startIamFront({
      port,
      brokerPort: broker.ports['VIA']!,
      key: readFileSync(key, 'utf8'),
      certificate: readFileSync(certificate, 'utf8'),
      check: (token) => {
        tokens.push(token);
        checkMskToken(token, REGION, CREDENTIALS);
      },
    });
  });
  afterEach(killServices);
  afterAll(async () => {
    front?.close();
    await broker?.stop();
    rmSync(folder, { recursive: true });
  });

  const start = (secretAccessKey: string) =>
    startService({
      KAFKA_BOOTSTRAP_SERVERS: `localhost:${port}`,
      KAFKA_PROBE_INTERVAL_MS: '200',
      KAFKA_SSL: 'true',
      KAFKA_SSL_CA_FILE: certificate,
      KAFKA_SASL_MECHANISM: 'aws-msk-iam',
      KAFKA_SASL_AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: CREDENTIALS.sessionToken,
    });

  it('writes and reads with one token, made of the credentials in the environment', async () => {
    const service = await start(CREDENTIALS.secretAccessKey);
    await untilHealth(service.url, 200);
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${service.url}/operations`, { method: 'POST', headers, body: ONE_BUY });
    expect(answer.status).toBe(202);
    const { statusUrl } = (await answer.json()) as { statusUrl: string };
    expect(await (await fetch(service.url + statusUrl)).json()).toMatchObject({ outcome: 'accepted' });
    expect((await broker.consume('operations')).map(({ value }) => value)).toEqual([ONE_BUY]);
    // The probe, the producer and the search log in on connections of their own.
    expect(tokens.length).toBeGreaterThan(2);
    expect(new Set(tokens).size).toBe(1);
    expect(await service.stop()).toBe(0);
  });

  it('says in /health why the login is rejected, and never the secret', async () => {
    const service = await start('wrong-secret');
    await untilHealthSays(service.url, 'Access denied: signature');
    expect(JSON.stringify(service.lines)).not.toMatch(/wrong-secret|staple/);
  });
});
