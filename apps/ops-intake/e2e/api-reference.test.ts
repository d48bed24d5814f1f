import { describeWithKafka, startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import {
  describeWith,
  lintOpenApi,
  runGoClient,
  runPythonClient,
  runTypescriptClient,
  tryOnDocsPage,
} from '@workspace/service-kit/testing';
import { untilHealth } from './support/health.ts';
import { killServices, type RunningService, startService } from './support/service.ts';

describeWithKafka('the API reference', () => {
  let broker: StandaloneBroker;
  let service: RunningService;
  beforeAll(async () => {
    broker = await startBroker();
    service = await startService({ KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers });
    await untilHealth(service.url, 200);
  });
  afterAll(async () => {
    await killServices();
    await broker.stop();
  });

  it('passes the recommended rules of Redocly and Spectral', async () => {
    await lintOpenApi(service.url);
  }, 120_000);

  describeWith(['chromium'], 'the page at /docs', () => {
    it('tries a submission out, and runs and fetches nothing foreign', async () => {
      const page = await tryOnDocsPage(service.url, {
        tag: 'operations',
        operationId: 'submit',
        body: '[{"operation":"buy","unit-cost":10.00,"quantity":100}]',
      });
      expect([page.consoleProblems, page.foreignRequests]).toEqual([[], []]);
      expect(page.status).toBe('202');
      expect(JSON.parse(page.body)).toMatchObject({ operations: 1, topic: 'operations' });
    }, 120_000);
  });

  /** More digits than a float has. */
  const COST = 1234567.89;
  const accepted = (partition: number, offset: number) => ({ accepted: 1, invalid: 422, partition, offset });

  /** Whether the record that a client's program names holds the cost with all its digits. */
  const expectRecord = async (output: string): Promise<void> => {
    const { partition, offset } = JSON.parse(output);
    expect(JSON.parse(output)).toEqual(accepted(partition, offset));
    const records = await broker.consume('operations');
    const record = records.find((one) => one.partition === partition && one.offset === offset);
    expect(record?.value).toMatch(/"unit-cost":\s?1234567\.89\b/);
  };

  it('has types that openapi-typescript makes and a client can use', async () => {
    const output = await runTypescriptClient(
      service.url,
      `import createClient from 'openapi-fetch';
import type { paths } from './api.d.ts';
const client = createClient<paths>({ baseUrl: process.argv[2]! });
const submit = (quantity: number) =>
  client.POST('/operations', { body: [{ operation: 'buy', 'unit-cost': ${COST}, quantity }] });
const { data } = await submit(1);
const { operations, partition, offset } = data!;
const { error } = await submit(0);
console.log(JSON.stringify({ accepted: operations, invalid: error!.status, partition, offset }));
`,
    );
    await expectRecord(output);
  }, 120_000);

  describeWith(['python3'], 'a client of openapi-python-client', () => {
    it('submits with every digit, and reads a problem', async () => {
      const output = await runPythonClient(
        service.url,
        `import json, sys
from api import Client
from api.api.operations import submit
from api.models import Operation, OperationOperation
client = Client(base_url=sys.argv[1])
def send(quantity):
    operation = Operation(operation=OperationOperation.BUY, unit_cost=${COST}, quantity=quantity)
    return submit.sync(client=client, body=[operation])
answer = send(1)
invalid = send(0)
print(json.dumps({
    "accepted": answer.operations,
    "invalid": invalid.status,
    "partition": answer.partition,
    "offset": answer.offset,
}))
`,
      );
      await expectRecord(output);
    }, 300_000);
  });

  describeWith(['go'], 'a client of oapi-codegen', () => {
    it('submits with every digit, and reads a problem', async () => {
      const output = await runGoClient(
        service.url,
        `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"client/api"
)

func main() {
	client, err := api.NewClientWithResponses(os.Args[1])
	if err != nil {
		panic(err)
	}
	submit := func(quantity int64) *api.SubmitResponse {
		operation := api.Operation{Operation: "buy", UnitCost: ${COST}, Quantity: quantity}
		answer, err := client.SubmitWithResponse(context.Background(), nil, api.SubmitJSONRequestBody{operation})
		if err != nil {
			panic(err)
		}
		return answer
	}
	accepted := submit(1).JSON202
	output, _ := json.Marshal(map[string]any{
		"accepted":  accepted.Operations,
		"invalid":   submit(0).StatusCode(),
		"partition": accepted.Partition,
		"offset":    accepted.Offset,
	})
	fmt.Println(string(output))
}
`,
      );
      await expectRecord(output);
    }, 300_000);
  });
});
