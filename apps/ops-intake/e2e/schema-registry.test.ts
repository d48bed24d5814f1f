import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type StandaloneBroker, startBroker } from '@workspace/kafka-broker';
import { describeWith } from '@workspace/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { testSchemaRegistry } from '../test/schema-registry-suite.ts';
import { describeWithKafkaAnd } from './support/describe-with-kafka-and.ts';
import { untilHealth } from './support/health.ts';
import { type RealRegistry, startRealRegistry } from './support/real-registry.ts';
import { killServices, startService } from './support/service.ts';

const ORDERS = join(import.meta.dirname, '../examples/orders.v1.json');
const ORDER =
  '[{"operation":"sell-short","ticker":"BRK.B","account":"desk-7","unit-cost":412.050,"quantity":100,"currency":"USD"}]';
const ONE_BUY = '[{"operation":"buy","unit-cost":10.00,"quantity":100}]';
const TOKEN = 'token-of-desk-7-0123';

interface AsyncApi {
  components: { messages: Record<string, { headers: object }> };
}

/** The first start builds the registry. */
const BUILD_MS = 600_000;

let registry: RealRegistry;
const startOnce = async () => (registry ??= await startRealRegistry());
afterAll(() => registry?.stop());

describeWith(['go'], 'a real schema registry', () => {
  beforeAll(startOnce, BUILD_MS);
  testSchemaRegistry(startOnce);
});

describeWithKafkaAnd(['go'], 'records of a desk with everything on', () => {
  let broker: StandaloneBroker;
  beforeAll(async () => {
    [broker] = await Promise.all([startBroker(), startOnce()]);
  }, BUILD_MS);
  afterAll(async () => {
    await killServices();
    await broker?.stop();
  });

  const start = (more: Record<string, string> = {}) =>
    startService({
      KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers,
      SCHEMA_REGISTRY_URL: registry.url,
      SCHEMA_REGISTRY_USERNAME: registry.login.username,
      SCHEMA_REGISTRY_PASSWORD: registry.login.password,
      OPERATION_SCHEMA_FILE: `${ORDERS}, built-in`,
      AUTH_TOKENS: `desk-7:${TOKEN}`,
      AUDIT_TRAIL: 'time,instance,client-address,digest,request-id',
      INSTANCE_NAME: 'intake-1',
      SEQUENCES: 'true',
      ...more,
    });
  const post = async (url: string, sequence: number, body: string, schema?: string): Promise<number> => {
    const answer = await fetch(`${url}/operations`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${TOKEN}`,
        'partition-key': 'desk-7',
        sequence: String(sequence),
        'x-request-id': `request-${sequence}`,
        ...(schema && { 'operation-schema': schema }),
      },
      body,
    });
    await answer.text();
    return answer.status;
  };

  it('have an id, a number and an audit trail, each as the documents say', async () => {
    const service = await start();
    await untilHealth(service.url, 200);
    expect(await post(service.url, 1, ORDER)).toBe(202);
    expect(await post(service.url, 2, ONE_BUY, 'operations.v1')).toBe(202);
    registry.freeze();
    expect(await post(service.url, 3, ORDER)).toBe(202);
    registry.thaw();
    const asyncApi = await (await fetch(`${service.url}/asyncapi.json`)).json();
    const { messages } = (asyncApi as AsyncApi).components;
    const records = await broker.consume('operations');
    expect(records.map(({ value }) => value)).toEqual([ORDER, ONE_BUY, ORDER]);
    const ajv = addFormats.default(new Ajv2020({ strict: false }));
    for (const [index, { key, value, headers }] of records.entries()) {
      expect({ key, headers }).toMatchObject({
        key: 'desk-7',
        headers: {
          ce_partitionkey: 'desk-7',
          ce_sequence: String(index + 1).padStart(15, '0'),
          ce_authid: 'desk-7',
          ce_time: expect.stringMatching(/T[0-9:]{8}[.][0-9]{6}Z$/),
          ce_instance: 'intake-1',
          ce_clientaddress: '127.0.0.1',
          ce_sha256: createHash('sha256').update(value).digest('hex'),
          ce_requestid: `request-${index + 1}`,
        },
      });
      const { schemaid, type } = { schemaid: headers['ce_schemaid']!, type: headers['ce_type']! };
      const served = await (await fetch(`${service.url}/schemas/${type}.json`)).json();
      expect(await registry.schema(schemaid)).toEqual(served);
      const described = messages[type.replace('.submitted', '')]!.headers;
      ajv.validate({ ...described, additionalProperties: false }, headers);
      expect(ajv.errors).toBeNull();
    }
    expect(records[0]!.headers['ce_schemaid']).not.toBe(records[1]!.headers['ce_schemaid']);
    expect(records[2]!.headers['ce_schemaid']).toBe(records[0]!.headers['ce_schemaid']);
    expect(await service.stop()).toBe(0);
  });

  it('have the id of their own schema when they are lines of a stream', async () => {
    const service = await start({ BULK_STREAMS: '1', KAFKA_TOPIC: 'streamed' });
    await untilHealth(service.url, 200);
    const answer = await fetch(`${service.url}/operations/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', authorization: `Bearer ${TOKEN}` },
      body: `{"key":"order","operations":${ORDER}}\n{"key":"buy","schema":"operations.v1","operations":${ONE_BUY}}\n`,
    });
    const statuses = [...(await answer.text()).matchAll(/"status":(\d+)/g)].map(([, status]) => status);
    expect(statuses).toEqual(['202', '202']);
    const records = await broker.consume('streamed');
    expect(records.map(({ value }) => value).sort()).toEqual([ONE_BUY, ORDER].sort());
    for (const { headers } of records) {
      const served = await (await fetch(`${service.url}/schemas/${headers['ce_type']}.json`)).json();
      expect(await registry.schema(headers['ce_schemaid']!)).toEqual(served);
    }
    expect(new Set(records.map(({ headers }) => headers['ce_schemaid'])).size).toBe(2);
    expect(await service.stop()).toBe(0);
  });

  it('are not written by a service whose schema the registry rejects', async () => {
    const subject = { SCHEMA_REGISTRY_SUBJECT: 'rejected-{type}', KAFKA_TOPIC: 'rejected' };
    expect(await (await start(subject)).stop()).toBe(0);
    await expect(start({ ...subject, MAX_OPERATIONS: '10' })).rejects.toThrow(
      /SCHEMA_REGISTRY_URL: subject rejected-orders[.]submitted[.]v1: incompatible schema: .*maxItems.* [(]409[)]/,
    );
  });
});
