import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { describeWithKafka, startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import { eventually } from '@workspace/testing';
import { healthOf, ONE_BUY, submit } from './support/client.ts';
import { killServices, type RunningService, startService } from './support/service.ts';

const USER = { username: 'intake', password: 'correct-horse' };
/** The first answer of /health that says what is waited for. */
const healthWith = (
  service: RunningService,
  wanted: (body: Awaited<ReturnType<typeof healthOf>>) => boolean,
) =>
  eventually('such an answer of /health', async () => {
    const body = await healthOf(service);
    return wanted(body) && body;
  });

describeWithKafka('logging in to a broker', () => {
  let broker: StandaloneBroker;
  let folder: string;
  let caFile: string;

  beforeAll(async () => {
    broker = await startBroker({ sasl: USER, tls: true });
    folder = await mkdtemp(join(tmpdir(), 'ops-intake-'));
    caFile = join(folder, 'ca.pem');
    await writeFile(caFile, broker.certificate as string);
  });
  afterAll(async () => {
    await broker.stop();
    await rm(folder, { recursive: true });
  });

  afterEach(killServices);

  const address = (listener: string) => ({
    KAFKA_BOOTSTRAP_SERVERS: `localhost:${broker.ports[listener]}`,
    KAFKA_PROBE_INTERVAL_MS: '200',
  });
  const tls = () => ({ KAFKA_SSL: 'true', KAFKA_SSL_CA_FILE: caFile });
  const login = (mechanism: string, password = USER.password) => ({
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SASL_USERNAME: USER.username,
    KAFKA_SASL_PASSWORD: password,
  });

  it.each(['plain', 'scram-sha-256', 'scram-sha-512'])(
    'by SASL %s, with TLS and without',
    async (mechanism) => {
      for (const [listener, transport] of [
        ['SASL', {}],
        ['SASL_TLS', tls()],
      ] as const) {
        const topic = `${mechanism}-${listener}`;
        const env = { ...address(listener), ...login(mechanism), ...transport, KAFKA_TOPIC: topic };
        const service = await startService(env);
        await healthWith(service, ({ status }) => status === 'up');
        expect((await submit(service)).status).toBe(202);
        expect(await service.stop()).toBe(0);
        const records = await broker.consume(topic);
        expect(records.map(({ value }) => value)).toEqual([ONE_BUY]);
      }
    },
  );

  it('by TLS alone, creating the topic with the partitions asked for', async () => {
    const service = await startService({
      ...address('TLS'),
      ...tls(),
      KAFKA_TOPIC: 'by-tls',
      KAFKA_TOPIC_PARTITIONS: '6',
      KAFKA_TOPIC_REPLICATION_FACTOR: '1',
    });
    await healthWith(service, ({ status }) => status === 'up');
    const answers = await Promise.all(Array.from({ length: 60 }, () => submit(service)));
    expect(answers.every(({ status }) => status === 202)).toBe(true);
    expect(new Set(answers.map(({ body }) => body.partition))).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    expect(await service.stop()).toBe(0);
    expect(await broker.consume('by-tls')).toHaveLength(60);
  });

  it('fails where the certificate is not trusted, until the file with the authorities has it', async () => {
    const authorities = join(folder, 'authorities.pem');
    await writeFile(authorities, rootCertificates[0]!);
    const service = await startService({
      ...address('TLS'),
      KAFKA_SSL: 'true',
      KAFKA_SSL_CA_FILE: authorities,
      KAFKA_TOPIC: 'renewed',
    });
    const { kafka } = await healthWith(service, ({ kafka }) => /certificate/i.test(kafka.error ?? ''));
    expect(kafka.error).toMatch(/certificate/i);
    await rm(authorities);
    const missing = await healthWith(service, ({ kafka }) => kafka.error?.includes('ENOENT') ?? false);
    expect(missing.kafka.error).not.toContain(folder);
    await writeFile(authorities, broker.certificate as string);
    await healthWith(service, ({ status }) => status === 'up');
    expect((await submit(service)).status).toBe(202);
    expect(await service.stop()).toBe(0);
  });
});
