import { Parser } from '@asyncapi/parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { createMetrics } from '@workspace/service-process';
import { appUnderTest, ONE_BUY, post } from './app-under-test.ts';
import { givenSchemas } from '../src/features/own-schemas/index.ts';
import { exampleSchemas } from './own-schemas.ts';

const ORDER =
  '{"operation":"buy","ticker":"PETR4","account":"desk-7","unit-cost":30.10,"quantity":100,"currency":"BRL"}';
const ORDERS = `[${ORDER}]`;
const V1 = { 'operation-schema': 'operations.v1' };

const appWith = async (schemas: string[], env: Record<string, string> = {}) =>
  appUnderTest(env, { opens: { 'own-schemas': givenSchemas(await exampleSchemas(...schemas)) }, metrics });
const metrics = createMetrics({ name: 'ops-intake', version: '1.2.3' });

const texts = (headers: Readonly<Record<string, string | Buffer>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, String(text)]));

describe('a submission with fields of its own', () => {
  it('becomes a record that names its schema, byte for byte', async () => {
    const { app, log } = await appWith(['orders.v1.json', 'built-in']);
    expect((await post(app, ORDERS)).json()).toMatchObject({ operations: 1 });
    const [{ value, headers } = { value: '', headers: {} }] = log.records;
    expect(value.toString()).toBe(ORDERS);
    expect(texts(headers)).toMatchObject({
      ce_type: 'orders.submitted.v1',
      ce_dataschema: 'https://intake.example/schemas/orders.submitted.v1.json',
      ce_source: '/operations-service',
    });
  });

  it('follows the schema that the client names, or else the first', async () => {
    const { app, log } = await appWith(['orders.v1.json', 'built-in', 'operations.v2.json']);
    const statusOf = async (body: string, schema?: string) =>
      (await post(app, body, schema === undefined ? {} : { 'operation-schema': schema })).statusCode;
    expect([await statusOf(ORDERS), await statusOf(ONE_BUY)]).toEqual([202, 422]);
    expect([await statusOf(ORDERS, 'orders.v1'), await statusOf(ONE_BUY, 'orders.v1')]).toEqual([202, 422]);
    expect([await statusOf(ORDERS, 'operations.v1'), await statusOf(ONE_BUY, 'operations.v1')]).toEqual([
      422, 202,
    ]);
    expect(await statusOf(ONE_BUY, 'operations.v2')).toBe(202);
    expect(log.records.map(({ headers }) => String(headers['ce_type']))).toEqual([
      'orders.submitted.v1',
      'orders.submitted.v1',
      'operations.submitted.v1',
      'operations.submitted.v2',
    ]);
    // The record of the built-in schema is as it is without OPERATION_SCHEMA_FILE.
    expect(Object.keys(log.records[2]!.headers)).not.toContain('ce_dataschema');
    const answer = await post(app, ORDERS, { 'operation-schema': 'orders.v2' });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({
      type: 'urn:problem-type:unknown-operation-schema',
      detail: 'Operation-Schema may be orders.v1, operations.v1, operations.v2.',
    });
  });

  it('gets every violation by pointer, in the words of the schema', async () => {
    const { app, log } = await appWith(['orders.v1.json']);
    const answer = await post(
      app,
      `[${ORDER.replace('PETR4', 'petr4').replace('30.10', '30.123456789')},{}]`,
    );
    expect(answer.statusCode).toBe(422);
    expect(answer.json().errors.slice(0, 3)).toEqual([
      {
        pointer: '#/0/ticker',
        code: 'pattern',
        detail:
          'Ticker: must match ^[A-Z][A-Z0-9]{0,9}([.][A-Z])?$ (as the exchange writes it, such as BRK.B)',
      },
      {
        pointer: '#/0/unit-cost',
        code: 'format',
        detail: expect.stringMatching(/^must have at most 8 digits behind the point, unlike 30.123456789 \(/),
      },
      { pointer: '#/1/operation', code: 'required', detail: 'operation is missing' },
    ]);
    expect(log.records).toEqual([]);
  });

  it('is read in turns when it is large', async () => {
    const { app, log } = await appWith(['orders.v1.json']);
    const body = `[${Array(5_000).fill(ORDER).join()}]`;
    expect((await post(app, body)).json()).toMatchObject({ operations: 5_000 });
    expect(log.records[0]?.value.toString()).toBe(body);
    expect((await post(app, `[${Array(10_001).fill('{}').join()}]`)).json()).toMatchObject({
      type: 'urn:problem-type:too-many-operations',
    });
  });

  it('is another request than the same bytes with another schema, for an Idempotency-Key', async () => {
    const { app, log } = await appWith(['operations.v2.json', 'built-in']);
    const key = { 'idempotency-key': 'k' };
    expect((await post(app, ONE_BUY, key)).statusCode).toBe(202);
    expect((await post(app, ONE_BUY, { ...key, 'operation-schema': 'operations.v2' })).headers).toMatchObject(
      {
        'idempotent-replayed': 'true',
      },
    );
    expect((await post(app, ONE_BUY, { ...key, ...V1 })).json()).toMatchObject({
      type: 'urn:problem-type:idempotency-key-reused',
    });
    expect(log.records).toHaveLength(1);
  });
});

it('without OPERATION_SCHEMA_FILE, Operation-Schema means nothing', async () => {
  const { app, log } = appUnderTest();
  expect((await post(app, ONE_BUY, { 'operation-schema': 'orders.v1' })).statusCode).toBe(202);
  expect(texts(log.records[0]!.headers)).toMatchObject({ ce_type: 'operations.submitted.v1' });
  const document = (await app.inject('/openapi.json')).body;
  expect(document).not.toContain('Operation-Schema');
});

describe('the documents', () => {
  // A validator that does not know the format leaves decimals to the service.
  const ajv = formats.default(
    new Ajv2020({ strict: false, formats: { decimal: true } }),
  ) as unknown as Ajv2020;

  it('show the only schema in use', async () => {
    const { app } = await appWith(['orders.v1.json'], { MAX_OPERATIONS: '7' });
    const { paths, components } = (await app.inject('/openapi.json')).json();
    expect(components.schemas.Submission.maxItems).toBe(7);
    expect(components.schemas.Operation.required).toContain('ticker');
    expect(components.schemas.Operation.properties['unit-cost']).toMatchObject({
      format: 'decimal',
      scale: 8,
    });
    expect(Object.keys(paths)).toContain('/schemas/orders.submitted.v1.json');
    expect(Object.keys(paths)).not.toContain('/schemas/operations.submitted.v1.json');
    const schema = (await app.inject('/schemas/orders.submitted.v1.json')).json();
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://intake.example/schemas/orders.submitted.v1.json',
      maxItems: 7,
    });
    const isValue = ajv.compile(schema);
    expect([isValue(JSON.parse(ORDERS)), isValue(JSON.parse(ONE_BUY))]).toEqual([true, false]);
  });

  it('show several side by side, and how to choose', async () => {
    const { app, log } = await appWith(['orders.v1.json', 'built-in']);
    const { paths, components } = (await app.inject('/openapi.json')).json();
    const { parameters } = paths['/operations'].post;
    expect(parameters.find(({ name }: { name: string }) => name === 'Operation-Schema')).toMatchObject({
      required: false,
      schema: { enum: ['orders.v1', 'operations.v1'] },
    });
    expect(components.schemas.Submission.anyOf).toHaveLength(2);
    expect(components.schemas.OperationsV1.required).toEqual(['operation', 'unit-cost', 'quantity']);
    expect(components.schemas.OrdersV1.required).toContain('account');
    for (const type of ['orders.submitted.v1', 'operations.submitted.v1'])
      expect((await app.inject(`/schemas/${type}.json`)).statusCode).toBe(200);

    const json = await app.inject('/asyncapi.json');
    const { diagnostics } = await new Parser().parse(json.body);
    const found = diagnostics.filter(({ code }) => code !== 'asyncapi-latest-version');
    expect(found.map(({ code, message, path }) => [code, message, path.join('.')])).toEqual([]);
    const { messages } = json.json().components;
    expect(Object.keys(messages)).toEqual(['orders.v1', 'operations.v1']);
    await post(app, ORDERS);
    await post(app, ONE_BUY, V1);
    for (const [index, name] of ['orders.v1', 'operations.v1'].entries()) {
      const { headers, payload, examples } = messages[name];
      const [isHeaders, isPayload] = [ajv.compile(headers), ajv.compile(payload)];
      const record = log.records[index]!;
      expect([isHeaders(texts(record.headers)), isHeaders.errors]).toEqual([true, null]);
      expect(isPayload(JSON.parse(record.value.toString()))).toBe(true);
      expect([isHeaders(examples[0].headers), isPayload(examples[0].payload)]).toEqual([true, true]);
    }
  });

  it('and the console have samples that are accepted', async () => {
    const { app } = await appWith(['orders.v1.json', 'operations.v2.json', 'built-in'], { CONSOLE: 'true' });
    const page = (await app.inject({ url: '/', headers: { accept: 'text/html' } })).body;
    const samples = [...page.matchAll(/<option data-sample="([^"]*)">([^<]*)</g)];
    expect(samples.map(([, , name]) => name)).toEqual(['orders.v1', 'operations.v2', 'operations.v1']);
    for (const [, sample, name] of samples) {
      const body = sample!.replaceAll('&quot;', '"').replaceAll('&#34;', '"');
      expect([name, (await post(app, body, { 'operation-schema': name! })).statusCode]).toEqual([name, 202]);
    }
    expect(page).toContain('412.05');
  });

  it('show the example of the schema in the API reference', async () => {
    const { app } = await appWith(['orders.v1.json']);
    const page = (await app.inject('/docs')).body;
    expect(page).toContain('sell-short');
    expect(page).toContain('BRK.B');
  });
});
