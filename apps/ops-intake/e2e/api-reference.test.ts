import { describeWithKafka, startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import { testApiClients, testApiReference } from '@workspace/testing';
import { untilHealth } from './support/health.ts';
import { killServices, type RunningService, startService } from './support/service.ts';

describeWithKafka('the API reference', () => {
  let broker: StandaloneBroker;
  let service: RunningService;
  beforeAll(async () => {
    broker = await startBroker();
    service = await startService({
      KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers,
      // With a limit, its headers and its problem are described too.
      RATE_LIMIT: '1000/second',
    });
    await untilHealth(service.url, 200);
    const { status } = await fetch(`${service.url}/operations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'order-1' },
      body: '[{"operation":"buy","unit-cost":10.00,"quantity":100}]',
    });
    expect(status).toBe(202);
  });
  afterAll(async () => {
    await killServices();
    await broker.stop();
  });

  /** More digits than a float has. */
  const COST = 1234567.89;

  testApiReference({
    url: () => service.url,
    tried: {
      operationId: 'submit',
      body: '[{"operation":"buy","unit-cost":10.00,"quantity":100}]',
      status: '202',
      shows: { operations: 1, topic: 'operations' },
    },
  });

  const operation = { operation: 'buy', 'unit-cost': COST, quantity: 1 };
  testApiClients({
    url: () => service.url,
    calls: [
      { operationId: 'submit', headers: { 'Partition-Key': 'clients' }, body: [operation] },
      { operationId: 'submit', name: 'invalidSubmission', body: [{ ...operation, quantity: 0 }] },
      // The id that the key order-1 stands for.
      { operationId: 'readSubmission', path: { submissionId: 'a1dd7531-5e2c-53d7-96f2-651bf8b56c1d' } },
      // An id of the year 2023. One without a time is undecided at first, and not found later.
      {
        operationId: 'readSubmission',
        name: 'readNoSubmission',
        path: { submissionId: '01890a5d-ac96-774b-bcce-b302099a8057' },
      },
    ],
    leftOut: [
      {
        generator: 'openapi-generator',
        calls: ['openApiYaml', 'asyncApiYaml'],
        reason: 'its clients in Java read only JSON and text',
      },
      {
        generator: 'openapi-generator',
        calls: ['readSubmission'],
        reason: 'of several types of an answer it keeps one',
      },
    ],
    measured: /\/(latencyMs|observedValue)$/,
    expectAnswers: async ({ submit }) => {
      const { partition, offset } = submit!.data as { partition: number; offset: number };
      const records = await broker.consume('operations');
      const record = records.find((one) => one.partition === partition && one.offset === offset);
      expect(record?.value).toMatch(/"unit-cost":\s?1234567\.89\b/);
    },
  });
});
