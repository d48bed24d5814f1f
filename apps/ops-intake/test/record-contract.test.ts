import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Parser } from '@asyncapi/parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { CloudEvent, Kafka } from 'cloudevents';
import { parse } from 'yaml';
import { type Operation, taxesOf } from '../examples/capital-gains.ts';
import { exampleOperation, OPERATIONS } from '../src/domain/operation.ts';
import { schemaIdParts } from '../src/features/schema-registry/index.ts';
import { appUnderTest, ONE_BUY, type OpensAs, post } from './app-under-test.ts';

const ENV = {
  KAFKA_TOPIC: 'trades',
  KAFKA_BOOTSTRAP_SERVERS: 'one.example:9092,two.example:9093',
  AUTH_TOKENS: 'alice:0123456789abcdef',
};
const ALICE = { authorization: 'Bearer 0123456789abcdef' };

describe('the AsyncAPI document', () => {
  it('is valid AsyncAPI 3.0 without a warning, as JSON and as YAML', async () => {
    // Where clients have to authenticate, it names no brokers.
    const { AUTH_TOKENS: _, ...open } = ENV;
    const { app } = appUnderTest(open);
    const [json, yaml] = [await app.inject('/asyncapi.json'), await app.inject('/asyncapi.yaml')];
    expect(json.headers['content-type']).toBe('application/vnd.aai.asyncapi+json;version=3.0.0');
    expect(yaml.headers['content-type']).toBe('application/yaml');
    expect(parse(yaml.body)).toEqual(json.json());
    const { document, diagnostics } = await new Parser().parse(json.body);
    // 3.0 is what tools know; a newer minor version exists.
    const found = diagnostics.filter(({ code }) => code !== 'asyncapi-latest-version');
    expect(found.map(({ code, message, path }) => [code, message, path.join('.')])).toEqual([]);
    expect(document?.channels().all()[0]?.address()).toBe('trades');
    expect(
      document
        ?.servers()
        .all()
        .map((server) => server.url()),
    ).toEqual(['kafka://one.example:9092/', 'kafka://two.example:9093/']);
  });

  it('describes the records that are written: headers and value', async () => {
    const { app, log } = appUnderTest({ ...ENV, SEQUENCES: 'true' });
    const document = (await app.inject('/asyncapi.json')).json();
    const schema = (await app.inject('/schemas/operations.submitted.v1.json')).json();
    const { submission } = document.components.messages;
    const ajv = formats.default(new Ajv2020({ strict: false })) as unknown as Ajv2020;
    const [isHeaders, isPayload, isValue] = [submission.headers, submission.payload, schema].map((one) =>
      ajv.compile(one as object),
    );
    await post(app, ONE_BUY, ALICE);
    await post(app, ONE_BUY, { ...ALICE, 'partition-key': 'a', tracestate: 'v=1', 'idempotency-key': 'k' });
    await post(app, ONE_BUY, { ...ALICE, 'partition-key': 'a', sequence: '17' });
    expect(log.records).toHaveLength(3);
    const known = Object.keys(submission.headers.properties as object);
    for (const { headers, value } of log.records) {
      const texts = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, String(text)]));
      expect([isHeaders?.(texts), isHeaders?.errors]).toEqual([true, null]);
      expect(known).toEqual(expect.arrayContaining(Object.keys(texts)));
      expect(isPayload?.(JSON.parse(value.toString()))).toBe(true);
      expect(isValue?.(JSON.parse(value.toString()))).toBe(true);
    }
    for (const { headers, payload } of submission.examples) {
      expect([isHeaders?.(headers), isPayload?.(payload)]).toEqual([true, true]);
    }
    expect(isValue?.([{ operation: 'hold', 'unit-cost': 1, quantity: 1 }])).toBe(false);
  });
});

describe('the AsyncAPI document of records whose schema is in a registry', () => {
  const messageWith = async (opens: OpensAs) => {
    const { app } = appUnderTest(ENV, { opens });
    const { components } = (await app.inject('/asyncapi.json')).json();
    const { headers, bindings, examples } = components.messages.submission;
    return {
      header: headers.properties.ce_schemaid,
      example: examples[0].headers.ce_schemaid,
      ...bindings.kafka,
    };
  };
  const withIds = (framing: boolean): OpensAs => ({ 'schema-registry': { topic: schemaIdParts(framing) } });

  it('says where their id is', async () => {
    const header = { type: 'string', pattern: '^[0-9]{1,10}$' };
    expect(await messageWith(withIds(false))).toMatchObject({
      header,
      example: '7',
      schemaIdLocation: 'header',
    });
    expect(await messageWith(withIds(true))).toMatchObject({
      header,
      schemaIdLocation: 'payload',
      schemaIdPayloadEncoding: 'confluent',
    });
    const without = await messageWith({});
    expect(without.header).toBeUndefined();
    expect(without).not.toHaveProperty('schemaIdLocation');
  });

  it('is valid', async () => {
    const { app } = appUnderTest(ENV, { opens: withIds(true) });
    const { diagnostics } = await new Parser().parse((await app.inject('/asyncapi.json')).body);
    expect(diagnostics.filter(({ code }) => code !== 'asyncapi-latest-version')).toEqual([]);
  });
});

describe('a record', () => {
  it('is read by the CloudEvents SDK as an event', async () => {
    const { app, log } = appUnderTest(ENV);
    await post(app, ONE_BUY, { ...ALICE, 'partition-key': 'account-7' });
    const [{ key, value, headers } = { key: '', value: '', headers: {} }] = log.records;
    const texts = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, String(text)]));
    const event = Kafka.toEvent({
      key,
      value: value.toString(),
      headers: texts,
      body: value.toString(),
    } as Parameters<typeof Kafka.toEvent>[0]) as CloudEvent<unknown>;
    expect(event.validate()).toBe(true);
    expect(event).toMatchObject({
      specversion: '1.0',
      id: texts['ce_id'],
      type: 'operations.submitted.v1',
      source: '/operations-service',
      datacontenttype: 'application/json',
      partitionkey: 'account-7',
      authid: 'alice',
      authtype: 'api_key',
      data: [{ operation: 'buy', 'unit-cost': 10, quantity: 100 }],
    });
  });
});

it('the examples of consumers read the type that is written', () => {
  for (const file of ['consumer.ts', 'consumer.py']) {
    const text = readFileSync(join(import.meta.dirname, '../examples', file), 'utf8');
    expect(text).toContain('operations.submitted.v1');
  }
});

describe('the examples of consumers', () => {
  const kinds = [...OPERATIONS, 'of-a-later-version'];
  const submitted = kinds.map((kind) => `[${exampleOperation({ operation: JSON.stringify(kind) })}]`);

  // In Python: e2e/consumer-examples.test.ts
  it('know every kind of operation, and no other', () => {
    const known = submitted.map((text) => {
      try {
        return taxesOf(JSON.parse(text) as Operation[]).length === 1;
      } catch (error) {
        return error instanceof RangeError ? false : error;
      }
    });
    expect(known).toEqual(kinds.map((kind) => (OPERATIONS as readonly string[]).includes(kind)));
  });
});
