import { captureLogger } from '@workspace/testing';
import { idsOfSchemas, type SchemaRegistryOptions } from '../src/features/schema-registry/schema-registry.ts';
import { type FakeRegistry, SILENCE, startFakeRegistry } from './fake-registry.ts';
import { testSchemaRegistry } from './schema-registry-suite.ts';

let registry: FakeRegistry | undefined;
afterAll(() => registry?.close());

describe('the fake registry', () => {
  testSchemaRegistry(async () => {
    registry = await startFakeRegistry({ login: 'ops:secret' });
    return { url: registry.url, login: { username: 'ops', password: 'secret' } };
  });
});

describe('a registry', () => {
  let server: FakeRegistry;
  beforeEach(async () => {
    server = await startFakeRegistry({ login: 'ops:secret' });
  });
  afterEach(() => server.close());

  const ask = (more: Partial<SchemaRegistryOptions & { fallbackId: number }> = {}) => {
    const { logger, lines } = captureLogger();
    const { fallbackId, ...options } = more;
    const ids = idsOfSchemas([{ subject: 'operations-value', schema: { type: 'array' }, fallbackId }], {
      url: `${server.url}/`,
      login: { username: 'ops', password: 'secret' },
      register: true,
      waitMs: 60_000,
      logger,
      ...options,
    });
    return { id: ids.then(([id]) => id), lines };
  };

  it('that rejects the login stops at once, with its words', async () => {
    await expect(ask({ login: { username: 'ops', password: 'wrong' } }).id).rejects.toThrow(
      'subject operations-value: Unauthorized (401)',
    );
    expect(server.asked).toBe(1);
  });

  it('that has no primary for a while is asked again', async () => {
    server.failWith = 503;
    const { id, lines } = ask();
    while (!lines.some(({ msg }) => msg === 'waiting for the schema registry')) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    server.failWith = undefined;
    expect(await id).toBe(1);
    expect(lines.at(-1)).toMatchObject({ msg: 'schema registered', schemaId: 1 });
  });

  it('that does not answer stops with the reason, or the id that is set is used', async () => {
    server.failWith = 503;
    const waitMs = 2_000;
    // On a busy machine, the last of the requests has no time left.
    const reason = /no answer within 2000 ms: (Primary not known \(503\)|The operation was aborted.*)$/;
    await expect(ask({ waitMs }).id).rejects.toThrow(reason);
    const { id, lines } = ask({ waitMs, fallbackId: 7 });
    expect(await id).toBe(7);
    expect(lines.at(-1)).toMatchObject({ level: 'warn', schemaId: 7 });
  });

  it('that is not there, by its address or its name, is named with the reason', async () => {
    const { port } = new URL(server.url);
    await server.close();
    for (const host of ['127.0.0.1', 'localhost', 'registry.invalid']) {
      await expect(ask({ url: `http://${host}:${port}`, waitMs: 2_000 }).id).rejects.toThrow(
        /no answer within 2000 ms: http\S+: (connect ECONNREFUSED|getaddrinfo|timed out).*$/,
      );
    }
  });

  it.each([
    ['no JSON', '<html>Sign in</html>', 'the answer has no id'],
    ['no id', '{"id":"7"}', 'the answer has no id'],
    ['an id that the header of a record has no room for', '{"id":4294967296}', 'the answer has no id'],
    ['null', 'null', 'the answer has no id'],
    ['more than any schema', 'x'.repeat(5_000_000), 'the answer is larger than 4 MiB'],
  ])('that answers %s stops with the reason', async (_, answer, reason) => {
    server.answerWith = answer;
    await expect(ask().id).rejects.toThrow(reason);
  });

  it('that accepts connections and stays silent is not waited for longer than it may be', async () => {
    server.answerWith = SILENCE;
    await expect(ask({ waitMs: 600 }).id).rejects.toThrow(/no answer within 600 ms: .*timed out/);
    const { id } = ask({ waitMs: 600, fallbackId: 7 });
    expect(await id).toBe(7);
  });

  it('is not waited for again by the second of several schemas', async () => {
    server.failWith = 503;
    const schema = { type: 'array' };
    const schemas = ['a', 'b', 'c', 'd'].map((subject, fallbackId) => ({ subject, schema, fallbackId }));
    const { logger } = captureLogger();
    const login = { username: 'ops', password: 'secret' };
    const ids = idsOfSchemas(schemas, { url: server.url, login, register: true, waitMs: 600, logger });
    expect(await ids).toEqual([0, 1, 2, 3]);
    // Twice within the time, and then once each.
    expect(server.asked).toBeLessThanOrEqual(5);
  });
});
