import { describeWithKafka, startBroker, type StandaloneBroker, withAdmin } from '@workspace/kafka-broker';
import { eventually } from '@workspace/testing';
import { Kafka, logLevel } from 'kafkajs';
import { submissionIdOf } from '../src/domain/submission-id.ts';
import { ONE_BUY, submit } from './support/client.ts';
import { untilHealth } from './support/health.ts';
import { clockAhead } from './support/clock.ts';
import { killServices, type RunningService, startService } from './support/service.ts';

const ask = async ({ url }: RunningService, statusUrl?: string) => {
  const answer = await fetch(new URL(statusUrl ?? '', url));
  return { status: answer.status, body: (await answer.json()) as { outcome?: string } };
};

/** Submissions of such an instance are on their way for 1.1 s at most. */
const IMPATIENT = { DEADLINE_MS: '500', KAFKA_DELIVERY_TIMEOUT_MS: '500', KAFKA_REQUEST_TIMEOUT_MS: '100' };

/** The first answer that is not `unknown`. */
const decided = (service: RunningService, statusUrl?: string) =>
  eventually('outcome', async () => {
    const answer = await ask(service, statusUrl);
    return answer.body.outcome !== 'unknown' && answer;
  });

describeWithKafka('GET /operations/{submissionId}, from the topic', () => {
  let broker: StandaloneBroker;
  beforeAll(async () => {
    broker = await startBroker({
      overrides: { 'log.retention.check.interval.ms': '200', 'log.initial.task.delay.ms': '200' },
    });
  });
  afterEach(killServices);
  afterAll(() => broker.stop());

  const start = async (topic: string, env: Record<string, string> = {}): Promise<RunningService> => {
    const service = await startService({
      KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers,
      KAFKA_TOPIC: topic,
      KAFKA_PROBE_INTERVAL_MS: '200',
      ...env,
    });
    await untilHealth(service.url, 200);
    return service;
  };

  it.each(['producer', 'gzip', 'snappy', 'lz4', 'zstd'])(
    'finds what another instance wrote, in every partition (compression.type=%s)',
    async (compression) => {
      const topic = `read-${compression}`;
      await broker.createTopic(topic, { partitions: 5, settings: { 'compression.type': compression } });
      const writer = await start(topic);
      const written = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          submit(writer, index % 2 === 0 ? {} : { 'idempotency-key': `key-${index}` }),
        ),
      );
      expect(new Set(written.map(({ body }) => body.partition)).size).toBe(5);
      expect(await writer.stop()).toBe(0);

      const reader = await start(topic);
      for (const { body } of written) {
        const { submissionId, partition, offset, statusUrl } = body;
        expect(await ask(reader, statusUrl)).toEqual({
          status: 200,
          body: { submissionId, outcome: 'accepted', operations: 1, topic, partition, offset },
        });
      }
    },
  );

  it.each([
    ['text', 'hello', {}],
    ['a tombstone', null, {}],
    ['text under our name', 'hello', { ce_source: '/operations-service' }],
    ['an array of another source', ONE_BUY, { ce_source: '/orders' }],
  ])(
    'passes over a record of another producer with the id of a submission: %s',
    async (what, value, more) => {
      const topic = `foreign-${what.replaceAll(' ', '-')}`;
      await broker.createTopic(topic);
      const id = submissionIdOf('k');
      const producer = new Kafka({
        brokers: [broker.bootstrapServers],
        logLevel: logLevel.NOTHING,
      }).producer();
      await producer.connect();
      await producer.send({ topic, messages: [{ key: id, value, headers: { ce_id: id, ...more } }] });
      await producer.disconnect();
      const service = await start(topic, IMPATIENT);
      const statusUrl = `/operations/${id}`;
      expect(await decided(service, statusUrl)).toMatchObject({
        status: 404,
        body: { outcome: 'not-found' },
      });
      expect((await submit(service, { 'idempotency-key': 'k' })).body).toMatchObject({
        statusUrl,
        offset: 1,
      });
      const other = await start(topic);
      expect(await ask(other, statusUrl)).toMatchObject({ body: { outcome: 'accepted', offset: 1 } });
    },
  );

  it('calls nothing absent that a retention has deleted, which was short for a moment', async () => {
    await broker.createTopic('purged');
    const writer = await start('purged');
    const written = [await submit(writer, { 'idempotency-key': 'purged' }), await submit(writer)];
    const reader = await start('purged', IMPATIENT);
    const outcomes = () =>
      Promise.all(written.map(async ({ body }) => (await ask(reader, body.statusUrl)).body));
    const retain = (milliseconds: number) =>
      broker.runTool('kafka.admin.ConfigCommand', [
        ...['--alter', '--entity-type', 'topics', '--entity-name', 'purged'],
        ...['--add-config', `retention.ms=${milliseconds}`],
      ]);
    await retain(1);
    await eventually('deletion', async () => {
      const [offsets] = await withAdmin(broker.bootstrapServers, (admin) =>
        admin.fetchTopicOffsets('purged'),
      );
      return offsets?.low === '2';
    });
    const gone = { outcome: 'unknown', detail: expect.stringContaining('no longer has all records') };
    expect(await outcomes()).toMatchObject([gone, gone]);
    await retain(604_800_000);
    expect(await outcomes()).toMatchObject([gone, gone]);
  });

  it.each(['CreateTime', 'LogAppendTime'])(
    'finds what an instance wrote whose clock is three minutes ahead (%s)',
    async (type) => {
      const topic = `ahead-${type}`;
      await broker.createTopic(topic, { settings: { 'message.timestamp.type': type } });
      const reader = await start(topic);
      const before = await submit(reader);
      const ahead = await start(topic, { NODE_OPTIONS: `--import=${clockAhead(180_000)}` });
      const { status, body } = await submit(ahead);
      expect([before.status, status]).toEqual([202, 202]);
      for (const service of [ahead, reader])
        expect(await ask(service, body.statusUrl)).toMatchObject({
          body: { outcome: 'accepted', offset: 1 },
        });
    },
  );
});
