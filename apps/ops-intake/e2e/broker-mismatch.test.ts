import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { describeWithKafka, startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import { openProducer } from '@workspace/kafka-producer';
import { createLogger } from '@workspace/logging';
import { currentSecret } from '@workspace/service-process';
import { eventually } from '@workspace/testing';
import { connectionOf } from '../src/features/kafka-security/connection.ts';
import type { SecuritySettings } from '../src/features/kafka-security/settings.ts';
import { kafkaSecurity } from '../src/features/kafka-security/index.ts';
import { brokersOf, type Config, readSettings } from '../src/config.ts';
import { healthOf, submit } from './support/client.ts';
import { killServices, startService } from './support/service.ts';

const USER = { username: 'intake', password: 'correct-horse' };
const PASSPHRASE = 'open-sesame';

describeWithKafka('settings that do not fit a listener', () => {
  let folder: string;
  let broker: StandaloneBroker;
  const file = (name: string): string => join(folder, name);

  /** A key, encrypted or not, and a certificate of its own. */
  const makeCertificate = (name: string): void => {
    const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
    const subject = ['-subj', `/CN=${name}`, '-days', '30', '-out', `${name}.pem`, '-keyout', `${name}.key`];
    openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject);
    const encrypt = ['pkcs8', '-topk8', '-in', `${name}.key`, '-out', `${name}.encrypted.key`];
    openssl(...encrypt, '-passout', `pass:${PASSPHRASE}`);
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ops-intake-'));
    makeCertificate('client');
    makeCertificate('stranger');
    broker = await startBroker({
      sasl: USER,
      tls: true,
      overrides: {
        'listener.name.tls.ssl.client.auth': 'required',
        'listener.name.tls.ssl.truststore.type': 'PEM',
        'listener.name.tls.ssl.truststore.location': file('client.pem'),
      },
    });
    await writeFile(file('ca.pem'), broker.certificate!);
    await writeFile(file('other-ca.pem'), rootCertificates[0]!);
    await writeFile(file('passphrase'), `${PASSPHRASE}\n`);
    await writeFile(file('empty.pem'), '');
  });
  afterEach(killServices);
  afterAll(async () => {
    await broker?.stop();
    await rm(folder, { recursive: true });
  });

  /** Why there is no connection with these settings, at a start or later; undefined when there is one. */
  const errorWith = async (listener: string, env: Record<string, string>): Promise<string | undefined> => {
    const address = { KAFKA_BOOTSTRAP_SERVERS: `localhost:${broker.ports[listener]}` };
    try {
      const config = readSettings([kafkaSecurity], { ...address, ...env }) as Config & SecuritySettings;
      const settings = {
        brokers: brokersOf(config),
        clientId: config.KAFKA_CLIENT_ID,
        topic: config.KAFKA_TOPIC,
        deliveryTimeoutMs: config.KAFKA_DELIVERY_TIMEOUT_MS,
        ...(await connectionOf(config, (name) => currentSecret(config as object, name))),
      };
      const producer = openProducer({
        settings: { ...settings, connectionTimeoutMs: 5_000, requestTimeoutMs: 5_000 },
        limits: { queueRecords: 10, queueBytes: 1_000, batchRecords: 10, batchBytes: 1_000 },
        search: { maxBytes: 1_000, timeoutMs: 1_000 },
        probeIntervalMs: 60_000,
        create: { partitions: 1, replicationFactor: 1 },
        now: () => new Date(),
        logger: createLogger({ name: 'test', level: 'silent' }),
      });
      await producer.probed;
      const { error } = producer.status();
      await producer.close();
      return error;
    } catch (error) {
      return (error as Error).message;
    }
  };

  const tls = (): Record<string, string> => ({ KAFKA_SSL: 'true', KAFKA_SSL_CA_FILE: file('ca.pem') });
  const login = (mechanism: string, password = USER.password) => ({
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SASL_USERNAME: USER.username,
    KAFKA_SASL_PASSWORD: password,
  });
  const client = (name: string, key = `${name}.key`): Record<string, string> => ({
    ...tls(),
    KAFKA_SSL_CERT_FILE: file(`${name}.pem`),
    KAFKA_SSL_KEY_FILE: file(key),
  });

  const oauth = { ...login('OAUTHBEARER'), KAFKA_SASL_OAUTH_TOKEN_URL: 'http://127.0.0.1:1/' };
  const set = (name: string) => new RegExp(`; set ${name}`);

  it.each<[string, string, () => Record<string, string>, RegExp | undefined]>([
    ['plain, to TLS', 'TLS', () => ({}), set('KAFKA_SSL=true$')],
    ['plain, to SASL_SSL', 'SASL_TLS', () => ({}), set('KAFKA_SSL=true$')],
    ['a login without TLS, to SASL_SSL', 'SASL_TLS', () => login('PLAIN'), set('KAFKA_SSL=true$')],
    ['TLS, to plain', 'PLAINTEXT', tls, set('KAFKA_SSL=false')],
    ['TLS, to SASL_PLAINTEXT', 'SASL', () => ({ ...tls(), ...login('PLAIN') }), set('KAFKA_SSL=false')],
    ['no login, to SASL_PLAINTEXT', 'SASL', () => ({}), set('KAFKA_SASL_MECHANISM, ')],
    ['no login, to SASL_SSL', 'SASL_TLS', tls, set('KAFKA_SASL_MECHANISM, ')],
    ['a login, to plain', 'PLAINTEXT', () => login('SCRAM-SHA-512'), /; unset KAFKA_SASL_MECHANISM/],
    [
      'another mechanism',
      'SASL',
      () => oauth,
      /takes (PLAIN|SCRAM-SHA-\d+, )+.*; set KAFKA_SASL_MECHANISM to one of them$/,
    ],
    ['a wrong password (PLAIN)', 'SASL', () => login('plain', 'w'), /; check KAFKA_SASL_USERNAME and KAFKA/],
    [
      'a wrong password (SCRAM)',
      'SASL',
      () => login('SCRAM-SHA-256', 'w'),
      /; check KAFKA_SASL_USERNAME and/,
    ],
    ['the system’s authorities', 'SASL_TLS', () => ({ KAFKA_SSL: 'true' }), set('KAFKA_SSL_CA_FILE')],
    [
      'another authority',
      'SASL_TLS',
      () => ({ KAFKA_SSL: 'true', KAFKA_SSL_CA_FILE: file('other-ca.pem') }),
      set('KAFKA_SSL_CA_FILE'),
    ],
    ['no client certificate', 'TLS', tls, set('KAFKA_SSL_CERT_FILE and KAFKA_SSL_KEY_FILE')],
    ['a stranger’s certificate', 'TLS', () => client('stranger'), set('KAFKA_SSL_CERT_FILE and KAFKA_SSL')],
    ['its certificate', 'TLS', () => client('client'), undefined],
    [
      'its certificate and an encrypted key',
      'TLS',
      () => ({ ...client('client', 'client.encrypted.key'), KAFKA_SSL_KEY_PASSPHRASE: PASSPHRASE }),
      undefined,
    ],
    [
      'its certificate, an encrypted key, and the passphrase in a file',
      'TLS',
      () => ({
        ...client('client', 'client.encrypted.key'),
        KAFKA_SSL_KEY_PASSPHRASE_FILE: file('passphrase'),
      }),
      undefined,
    ],
    [
      'an encrypted key without passphrase',
      'TLS',
      () => client('client', 'client.encrypted.key'),
      /^KAFKA_SSL_KEY_FILE is encrypted: set KAFKA_SSL_KEY_PASSPHRASE$/,
    ],
    [
      'an encrypted key with a wrong passphrase',
      'TLS',
      () => ({ ...client('client', 'client.encrypted.key'), KAFKA_SSL_KEY_PASSPHRASE: 'wrong' }),
      /^KAFKA_SSL_KEY_PASSPHRASE is not the passphrase of KAFKA_SSL_KEY_FILE$/,
    ],
    ['another’s key', 'TLS', () => client('client', 'stranger.key'), /^KAFKA_SSL_KEY_FILE is not the key of/],
    ['no key', 'TLS', () => client('client', 'client.pem'), /^KAFKA_SSL_KEY_FILE has no private key/],
    [
      'no authority in its file',
      'TLS',
      () => ({ ...tls(), KAFKA_SSL_CA_FILE: file('empty.pem') }),
      /^KAFKA_SSL_CA_FILE has no certificate/,
    ],
    [
      'no file',
      'TLS',
      () => client('client', 'no.key'),
      /^KAFKA_SSL_KEY_FILE: ENOENT: no such file or directory$/,
    ],
    [
      'a name that the certificate lacks',
      'SASL_TLS',
      () => ({
        ...tls(),
        KAFKA_BOOTSTRAP_SERVERS: `localhost.localdomain:${broker.ports['SASL_TLS']}`,
        ...login('PLAIN'),
      }),
      /altnames.*; use a name that the certificate has|ENOTFOUND|EAI_AGAIN/,
    ],
    ['all as it should be', 'SASL_TLS', () => ({ ...tls(), ...login('SCRAM-SHA-512') }), undefined],
  ])('with %s say what to set', async (_what, listener, env, expected) => {
    const error = await errorWith(listener, env());
    if (expected === undefined) expect(error).toBeUndefined();
    else expect(error).toMatch(expected);
  });

  it('trusts the system’s authorities where no file is set', async () => {
    const service = await startService({
      KAFKA_BOOTSTRAP_SERVERS: `localhost:${broker.ports['SASL_TLS']}`,
      KAFKA_SSL: 'true',
      ...login('PLAIN'),
      // Where OpenSSL looks for the system's.
      SSL_CERT_FILE: file('ca.pem'),
    });
    await eventually('up', async () => (await fetch(`${service.url}/health`)).status === 200);
    expect(await service.stop()).toBe(0);
  });

  it('takes a password that was replaced in its file for the next connection', async () => {
    await writeFile(file('password'), `${USER.password}\n`);
    const service = await startService({
      KAFKA_BOOTSTRAP_SERVERS: `localhost:${broker.ports['SASL']}`,
      KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
      KAFKA_SASL_USERNAME: USER.username,
      KAFKA_SASL_PASSWORD_FILE: file('password'),
      KAFKA_PROBE_INTERVAL_MS: '200',
    });
    const health = async () => (await fetch(`${service.url}/health`)).status;
    await eventually('up', async () => (await health()) === 200);
    await broker.runTool('kafka.admin.ConfigCommand', [
      ...['--alter', '--entity-type', 'users', '--entity-name', USER.username],
      ...['--add-config', 'SCRAM-SHA-512=[password=battery-staple]'],
    ]);
    await broker.restart();
    await eventually('the old password rejected', async () => {
      const { kafka } = await healthOf(service);
      return kafka.error?.includes('check KAFKA_SASL_USERNAME');
    });
    await writeFile(file('password'), 'battery-staple');
    await eventually('up', async () => (await health()) === 200);
    expect((await submit(service)).status).toBe(202);
    expect(await service.stop()).toBe(0);
  });

  it('reaches a broker by an IPv6 address', async () => {
    const relay = createServer((socket) => {
      const target = connect(broker.port, '127.0.0.1');
      socket.on('error', () => target.destroy()).pipe(target);
      target.on('error', () => socket.destroy()).pipe(socket);
    });
    await new Promise<void>((resolve) => relay.listen(0, '::1', resolve));
    const { port } = relay.address() as AddressInfo;
    expect(await errorWith('PLAINTEXT', { KAFKA_BOOTSTRAP_SERVERS: `[::1]:${port}` })).toBeUndefined();
    relay.close();
    const refused = await errorWith('PLAINTEXT', { KAFKA_BOOTSTRAP_SERVERS: '[::1]:1' });
    expect(refused).toMatch(/ECONNREFUSED ::1:1/);
  });
});
