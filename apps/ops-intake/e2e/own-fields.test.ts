import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type StandaloneBroker, describeWithKafka, startBroker } from '@workspace/kafka-broker';
import { shownCommands, shownAnswer } from '@workspace/testing';
import { untilHealth } from './support/health.ts';
import { killServices, startService } from './support/service.ts';

const EXAMPLES = join(import.meta.dirname, '../examples');
const ORDERS = join(EXAMPLES, 'orders.v1.json');
const ORDER =
  '[{"operation":"sell-short","ticker":"BRK.B","account":"desk-7","unit-cost":412.050,"quantity":100,"currency":"USD","limit":412.00}]';
const ONE_BUY = '[{"operation":"buy","unit-cost":10.00,"quantity":100}]';

describeWithKafka('OPERATION_SCHEMA_FILE', () => {
  let broker: StandaloneBroker;
  beforeAll(async () => {
    broker = await startBroker();
  });
  afterAll(async () => {
    await killServices();
    await broker?.stop();
  });

  it('puts fields of its own into Kafka byte for byte, beside the built-in schema', async () => {
    const service = await startService({
      KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers,
      OPERATION_SCHEMA_FILE: `${ORDERS}, built-in`,
    });
    await untilHealth(service.url, 200);
    const post = async (body: string, schema?: string) => {
      const headers = { 'content-type': 'application/json', ...(schema && { 'operation-schema': schema }) };
      const answer = await fetch(`${service.url}/operations`, { method: 'POST', headers, body });
      return [answer.status, ((await answer.json()) as { type?: string }).type];
    };
    expect(await post(ORDER)).toEqual([202, undefined]);
    expect(await post(ONE_BUY, 'operations.v1')).toEqual([202, undefined]);
    expect(await post(ONE_BUY)).toEqual([422, 'urn:problem-type:invalid-submission']);
    expect(await post(ORDER, 'operations.v1')).toEqual([422, 'urn:problem-type:invalid-submission']);
    expect(await post(ORDER, 'orders.v2')).toEqual([400, 'urn:problem-type:unknown-operation-schema']);

    const page = readFileSync(join(import.meta.dirname, '../docs/own-fields.md'), 'utf8');
    const shown = shownCommands(page);
    expect(shown).toHaveLength(2);
    for (const { command, lines } of shown) {
      const here = command.replace('localhost:3000', `127.0.0.1:${service.port}`).replace(/^curl/, 'curl -s');
      const { stdout } = await promisify(execFile)('sh', ['-c', here]);
      expect(stdout).toMatch(shownAnswer(lines));
    }
    expect(await service.stop()).toBe(0);

    const records = await broker.consume('operations');
    expect(
      records.map(({ value, headers }) => [value, headers['ce_type'], headers['ce_dataschema']]).sort(),
    ).toEqual([
      [ONE_BUY, 'operations.submitted.v1', undefined],
      [ONE_BUY, 'operations.submitted.v1', undefined],
      [ORDER, 'orders.submitted.v1', 'https://intake.example/schemas/orders.submitted.v1.json'],
    ]);
  });
});
