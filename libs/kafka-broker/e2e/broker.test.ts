import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort } from '@workspace/testing';
import { Kafka, logLevel } from 'kafkajs';
import { type StandaloneBroker, startBroker } from '../src/index.ts';
import { classArchive } from '../src/java-command.ts';
import { kafkaJars } from '../src/jars.ts';
import { askMetadata } from '../src/metadata.ts';
import { describeWithKafka } from '../src/describe-with-kafka.ts';

const value = '[{"operation":"buy","unit-cost":10.00,\n"quantity":100}]';

const produce = async (bootstrapServers: string, topic: string, key: string): Promise<void> => {
  const kafka = new Kafka({ brokers: [bootstrapServers], logLevel: logLevel.NOTHING });
  const producer = kafka.producer();
  await producer.connect();
  await producer.send({ topic, acks: -1, messages: [{ key, value, headers: { ce_id: key } }] });
  await producer.disconnect();
};

describeWithKafka('startBroker', () => {
  let broker: StandaloneBroker;
  beforeAll(async () => {
    broker = await startBroker();
  });
  afterAll(() => broker?.stop());

  it('keeps acknowledged records over kill -9 and restart on the same port and data', async () => {
    await broker.createTopic('kept');
    await produce(broker.bootstrapServers, 'kept', 'first');
    const { pid } = broker;
    await broker.kill();
    expect(() => process.kill(pid!, 0)).toThrow('ESRCH');
    expect(broker.pid).toBeUndefined();
    await expect(askMetadata(broker.port, 1_000)).rejects.toThrow('ECONNREFUSED');
    await broker.restart();
    await produce(broker.bootstrapServers, 'kept', 'second');
    await broker.terminate();
    await broker.restart();
    expect(await broker.consume('kept')).toEqual([
      { partition: 0, offset: 0, key: 'first', headers: { ce_id: 'first' }, value },
      { partition: 0, offset: 1, key: 'second', headers: { ce_id: 'second' }, value },
    ]);
  });

  it('has its classes from the archive', async () => {
    expect(readFileSync(`/proc/${broker.pid}/maps`, 'utf8')).toContain(classArchive(await kafkaJars()));
  });

  it('stands still when freeze returns, with all its threads', () => {
    const tasks = `/proc/${broker.pid}/task`;
    broker.freeze();
    const states = readdirSync(tasks).map(
      (task) => / ([A-Z]) [^)]*$/.exec(readFileSync(join(tasks, task, 'stat'), 'utf8'))?.[1],
    );
    broker.thaw();
    expect(states.length).toBeGreaterThan(10);
    expect(new Set(states)).toEqual(new Set(['T']));
  });

  it('answers nothing while frozen, and again when thawed', async () => {
    broker.freeze();
    await expect(askMetadata(broker.port, 500)).rejects.toThrow('no answer in 500 ms');
    broker.thaw();
    expect(await askMetadata(broker.port, 30_000)).toEqual([1]);
  });

  it('makes and deletes topics with settings', async () => {
    await broker.createTopic('small', { partitions: 3, settings: { 'max.message.bytes': '80' } });
    await expect(broker.createTopic('small')).rejects.toThrow('exists already');
    await expect(produce(broker.bootstrapServers, 'small', 'k')).rejects.toThrow(
      'larger than the max message size',
    );
    expect(await broker.consume('small')).toEqual([]);
    await broker.deleteTopic('small');
    // The broker forgets the topic a moment later.
    const error = await eventually('no topic', () => broker.consume('small').then(() => false, String));
    expect(error).toContain('does not host this topic-partition');
  });
});

describeWithKafka('a broker that cannot start', () => {
  it('says which port is in use and leaves nothing', async () => {
    const port = await freePort();
    const other = createServer().listen(port, '127.0.0.1');
    const before = process.env['TMPDIR'];
    const temporary = (process.env['TMPDIR'] = await mkdtemp(join(tmpdir(), 'nothing-')));
    await expect(startBroker({ port: port! })).rejects.toThrow(`port ${port} is in use`);
    expect(readdirSync(temporary)).toEqual([]);
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    await rm(temporary, { recursive: true });
    other.close();
  });

  it("passes on Kafka's own words", async () => {
    await expect(startBroker({ overrides: { 'log.segment.bytes': 'many' } })).rejects.toThrow(
      /Invalid value many for configuration log.segment.bytes/,
    );
  });
});

describeWithKafka('a data folder of its own', () => {
  it('stays, and is used again by the next start', async () => {
    const dataFolder = await mkdtemp(join(tmpdir(), 'persistent-'));
    const first = await startBroker({ dataFolder });
    await first.createTopic('durable');
    await produce(first.bootstrapServers, 'durable', 'k');
    await first.stop();
    expect(existsSync(join(dataFolder, 'data-1', 'meta.properties'))).toBe(true);
    const second = await startBroker({ dataFolder });
    expect((await second.consume('durable')).map(({ key }) => key)).toEqual(['k']);
    await second.stop();
    await rm(dataFolder, { recursive: true });
  });
});
