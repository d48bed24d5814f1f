import { randomUUID } from 'node:crypto';
import { captureLogger } from '@workspace/testing';
import { idsOfSchemas, type SchemaRegistryOptions } from '../src/features/schema-registry/schema-registry.ts';
import { BUILT_IN_SCHEMA } from '../src/application/operation-schema.ts';
import { recordSchema } from '../src/http/contract/async-api.ts';
import { exampleSchemas } from './own-schemas.ts';

export interface RegistryUnderTest {
  url: string;
  login?: { username: string; password: string } | undefined;
}

const schemaOf = (operations: number, of = BUILT_IN_SCHEMA): object =>
  recordSchema(of, { operations, fractionDigits: 8 });

/** What every registry with Confluent's API has to do for this service. */
export const testSchemaRegistry = (open: () => Promise<RegistryUnderTest>): void => {
  let registry: RegistryUnderTest;
  beforeAll(async () => {
    registry = await open();
  });

  const newSubject = (): string => `${randomUUID()}/of ops-value`;
  const options = { register: true, waitMs: 30_000, logger: captureLogger().logger };
  const idOf = async (schema: object, subject: string, more: Partial<SchemaRegistryOptions> = {}) => {
    const [id] = await idsOfSchemas([{ schema, subject }], { ...registry, ...options, ...more });
    return id!;
  };
  const schemaWith = async (id: number): Promise<unknown> => {
    const { login } = registry;
    const answer = await fetch(`${registry.url}/schemas/ids/${id}`, {
      headers: login ? { authorization: `Basic ${btoa(`${login.username}:${login.password}`)}` } : {},
    });
    const { schema, schemaType } = (await answer.json()) as { schema: string; schemaType: string };
    expect(schemaType).toBe('JSON');
    return JSON.parse(schema);
  };

  it('registers the schema of records, once, and gives it out by its id', async () => {
    const subject = newSubject();
    const id = await idOf(schemaOf(10_000), subject);
    expect(await idOf(schemaOf(10_000), subject)).toBe(id);
    expect(await idOf(schemaOf(10_000), subject, { register: false })).toBe(id);
    expect(await schemaWith(id)).toEqual(schemaOf(10_000));
  });

  it('registers schemas of OPERATION_SCHEMA_FILE beside the built-in one, each under its subject', async () => {
    const schemas = [...(await exampleSchemas('orders.v1.json', 'operations.v2.json')), BUILT_IN_SCHEMA];
    const topic = newSubject();
    const wanted = schemas.map((of) => ({ subject: `${topic}-${of.type}`, schema: schemaOf(10_000, of) }));
    const ids = await idsOfSchemas(wanted, { ...registry, ...options });
    expect(new Set(ids).size).toBe(3);
    expect(await Promise.all(ids.map(schemaWith))).toEqual(wanted.map(({ schema }) => schema));
    // Another order, and looked up only.
    const again = await idsOfSchemas(wanted.toReversed(), { ...registry, ...options, register: false });
    expect(again).toEqual(ids.toReversed());
  });

  it('gives instances that start at once the same id', async () => {
    const subject = newSubject();
    const ids = await Promise.all(Array.from({ length: 8 }, () => idOf(schemaOf(10_000), subject)));
    expect(new Set(ids).size).toBe(1);
  });

  it('knows a wider schema as a new one, and the old one still', async () => {
    const subject = newSubject();
    const old = await idOf(schemaOf(10), subject);
    const wider = await idOf(schemaOf(20), subject);
    expect(wider).not.toBe(old);
    expect(await idOf(schemaOf(10), subject, { register: false })).toBe(old);
  });

  it('rejects a narrower one, and says so', async () => {
    const subject = newSubject();
    await idOf(schemaOf(20), subject);
    await expect(idOf(schemaOf(10), subject)).rejects.toThrow(/incompatible.*409/is);
  });

  it('rejects what is no schema', async () => {
    await expect(idOf({ type: 'no type' }, newSubject())).rejects.toThrow(/\(422\d*\)/);
  });

  it('has to know a schema that is only looked up', async () => {
    const subject = newSubject();
    await expect(idOf(schemaOf(10), subject, { register: false })).rejects.toThrow(/not found.*\(40401\)/i);
    await idOf(schemaOf(10), subject);
    await expect(idOf(schemaOf(11), subject, { register: false })).rejects.toThrow(/not found.*\(40403\)/i);
  });
};
