import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describeWithKafka, type StandaloneBroker, startBroker } from '@workspace/kafka-broker';
import { pythonProgram } from '@workspace/testing';
import { Kafka, logLevel } from 'kafkajs';
import { exampleOperation, OPERATIONS } from '../src/domain/operation.ts';
import { bodyOf, capitalGainsCases } from './support/capital-gains.ts';
import { untilHealth } from './support/health.ts';
import { killServices, startService } from './support/service.ts';

const EXAMPLES = join(import.meta.dirname, '../examples');
interface Result {
  id: string;
  taxes: number[];
}

describeWithKafka('the examples of consumers', () => {
  let broker: StandaloneBroker;
  let folder: string;
  const expected = new Map<string, readonly number[]>();

  beforeAll(async () => {
    [broker, folder] = await Promise.all([startBroker(), mkdtemp(join(tmpdir(), 'consumers-'))]);
    await broker.createTopic('operations', { partitions: 2 });
    const service = await startService({ KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers });
    await untilHealth(service.url, 200);
    for (const { rows, taxes } of capitalGainsCases) {
      const headers = { 'content-type': 'application/json', 'partition-key': 'account-7' };
      const answer = await fetch(`${service.url}/operations`, {
        method: 'POST',
        headers,
        body: bodyOf(rows),
      });
      expected.set(((await answer.json()) as { submissionId: string }).submissionId, taxes);
    }
    await copyFirstRecord();
    await writeUnknownKind();
  });
  afterAll(async () => {
    await killServices();
    await broker?.stop();
    await rm(folder, { recursive: true });
  });

  /** What a later version of the service may write. */
  const writeUnknownKind = async (): Promise<void> => {
    await broker.createTopic('later-version', { partitions: 1 });
    const [first] = await broker.consume('operations');
    const kafka = new Kafka({ brokers: [broker.bootstrapServers], logLevel: logLevel.NOTHING });
    const producer = kafka.producer();
    await producer.connect();
    const value = bodyOf(capitalGainsCases[0]!.rows).replace('"sell"', '"split"');
    const messages = [{ key: first!.key, value, headers: first!.headers }];
    await producer.send({ topic: 'later-version', messages });
    await producer.disconnect();
  };

  /** What a retry after an unknown outcome can leave behind: a second record with the same id, before the last one. */
  const copyFirstRecord = async (): Promise<void> => {
    const [first] = await broker.consume('operations');
    const kafka = new Kafka({ brokers: [broker.bootstrapServers], logLevel: logLevel.NOTHING });
    const producer = kafka.producer();
    await producer.connect();
    const { key, value, headers } = first!;
    await producer.send({ topic: 'operations', messages: [{ key, value, headers }] });
    await producer.send({
      topic: 'operations',
      messages: [{ key, value, headers: { ...headers, ce_id: 'the-last' } }],
    });
    await producer.disconnect();
    expected.set('the-last', expected.get(first!.headers['ce_id']!)!);
  };

  const startConsumer = (command: string, args: string[], topic = 'operations') =>
    spawn(command, args, {
      cwd: EXAMPLES,
      env: {
        PATH: process.env['PATH'],
        KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers,
        KAFKA_TOPIC: topic,
        KAFKA_GROUP: `${topic}-${command}`,
        KAFKAJS_NO_PARTITIONER_WARNING: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  /** Runs a consumer until it has printed the last submission; its second line of defence is the test's time limit. */
  const resultsOf = async (command: string, args: string[]): Promise<Result[]> => {
    const child = startConsumer(command, args);
    child.stderr.pipe(process.stderr);
    const exited = once(child, 'exit') as Promise<[number | null]>;
    const results: Result[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      // kafkajs writes its own log to stdout, too.
      if (!line.startsWith('{"id"')) continue;
      results.push(JSON.parse(line) as Result);
      if (results.at(-1)?.id === 'the-last') child.kill('SIGTERM');
    }
    const [code] = await exited;
    expect(code).toBe(0);
    return results;
  };

  /** What a consumer says when it stops at a kind of operation that it does not know. */
  const rejectionOf = async (command: string, args: string[]): Promise<string> => {
    const child = startConsumer(command, args, 'later-version');
    const printed: string[] = [];
    child.stdout.on('data', (chunk) => printed.push(String(chunk)));
    const output: string[] = [];
    child.stderr.on('data', (chunk) => output.push(String(chunk)));
    const [code] = (await once(child, 'close')) as [number | null];
    expect(code).toBe(1);
    expect(printed.join('')).not.toContain('{"id"');
    return output.join('');
  };

  const check = (results: Result[]): void => {
    expect(results).toHaveLength(expected.size);
    expect(new Map(results.map(({ id, taxes }) => [id, taxes]))).toEqual(expected);
  };

  it('give the taxes of the table in TypeScript, and count a copy once', async () => {
    check(await resultsOf(process.execPath, ['consumer.ts', join(folder, 'node.db')]));
  });

  it('give the taxes of the table in Python, and count a copy once', async () => {
    check(
      await resultsOf(await pythonProgram('python', 'kafka-consumers'), [
        'consumer.py',
        join(folder, 'python.db'),
      ]),
    );
  });

  it('stop at a kind of operation that they do not know', async () => {
    const python = await pythonProgram('python', 'kafka-consumers');
    const output = [
      await rejectionOf(process.execPath, ['consumer.ts', join(folder, 'node-later.db')]),
      await rejectionOf(python, ['consumer.py', join(folder, 'python-later.db')]),
    ];
    expect(output).toEqual([
      expect.stringContaining('unknown kind of operation: split'),
      expect.stringContaining('unknown kind of operation: split'),
    ]);
  });

  it('know every kind of operation in Python', async () => {
    const script =
      'import json, sys; from capital_gains import taxes_of; print(len(taxes_of(json.loads(sys.argv[1]))))';
    const submission = `[${OPERATIONS.map((kind) => exampleOperation({ operation: JSON.stringify(kind) })).join()}]`;
    const python = await pythonProgram('python', 'kafka-consumers');
    const output = execFileSync(python, ['-B', '-c', script, submission], {
      cwd: EXAMPLES,
      encoding: 'utf8',
    });
    expect(output.trim()).toBe(String(OPERATIONS.length));
  });
});
