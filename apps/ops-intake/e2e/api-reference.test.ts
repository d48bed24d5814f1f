import { describeWithKafka, startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import { testApiReference } from '@workspace/testing';
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
  });
  afterAll(async () => {
    await killServices();
    await broker.stop();
  });

  /** More digits than a float has. */
  const COST = 1234567.89;

  /** Whether the record that a client's program names holds the cost with all its digits. */
  const expectRecord = async (result: unknown): Promise<void> => {
    const { partition, offset } = result as { partition: number; offset: number };
    expect(result).toEqual({ accepted: 1, invalid: 422, partition, offset });
    const records = await broker.consume('operations');
    const record = records.find((one) => one.partition === partition && one.offset === offset);
    expect(record?.value).toMatch(/"unit-cost":\s?1234567\.89\b/);
  };

  testApiReference({
    url: () => service.url,
    tried: {
      tag: 'operations',
      operationId: 'submit',
      body: '[{"operation":"buy","unit-cost":10.00,"quantity":100}]',
      status: '202',
      shows: { operations: 1, topic: 'operations' },
    },
    expectResult: expectRecord,
    clients: {
      typescript: `
const submit = (quantity: number) =>
  client.POST('/operations', { body: [{ operation: 'buy', 'unit-cost': ${COST}, quantity }] });
const { operations, partition, offset } = (await submit(1)).data!;
const { error } = await submit(0);
const result = { accepted: operations, invalid: error!.status, partition, offset };`,
      python: `
from api.api.operations import submit
from api.models import Operation, OperationOperation
def send(quantity):
    operation = Operation(operation=OperationOperation.BUY, unit_cost=${COST}, quantity=quantity)
    return submit.sync(client=client, body=[operation])
answer = send(1)
result = {
    "accepted": answer.operations,
    "invalid": send(0).status,
    "partition": answer.partition,
    "offset": answer.offset,
}`,
      go: {
        statements: `
	submit := func(quantity int64) *api.SubmitResponse {
		operation := api.Operation{Operation: "buy", UnitCost: ${COST}, Quantity: quantity}
		return must(client.SubmitWithResponse(ctx, nil, api.SubmitJSONRequestBody{operation}))
	}
	accepted := submit(1).JSON202
	result := map[string]any{
		"accepted":  accepted.Operations,
		"invalid":   submit(0).StatusCode(),
		"partition": accepted.Partition,
		"offset":    accepted.Offset,
	}`,
      },
    },
  });
});
