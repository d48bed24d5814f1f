import { newAjv } from '@workspace/service-kit';
import { ALL_FIELDS } from '../src/http/representations/fields.ts';
import { problems } from '../src/problems.ts';
import { MUNICH, settings, testApp } from './app.ts';

interface Described {
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, { schema: Schema }> }> }>
  >;
  components: { schemas: Record<string, Schema> };
}
type Schema = { properties?: Record<string, { enum?: string[] }> } & Record<string, unknown>;

const described = async (more: Partial<typeof settings> = {}) => {
  const { app } = await testApp({ settings: more });
  const reply = await app.inject('/openapi.json');
  return { app, reply, document: reply.json<Described>() };
};

describe('GET /openapi.json', () => {
  it('is OpenAPI 3.1 of every path, with every reference resolved', async () => {
    const { app, reply, document } = await described();
    expect(reply.headers['content-type']).toBe('application/vnd.oai.openapi+json;version=3.1');
    expect(reply.headers['access-control-allow-origin']).toBe('*');
    expect(Object.keys(document.paths)).toEqual([
      '/{ip}/json',
      '/json',
      '/{ip}/{view}',
      '/{view}',
      '/batch',
      '/auth',
      '/health',
    ]);
    const references = [...reply.body.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!);
    expect(new Set(references)).toEqual(new Set(['Location', 'Health']));
    for (const name of references) expect(document.components.schemas).toHaveProperty(name);
    await app.close();
  });

  it('describes the records that are answered', async () => {
    const { app, document } = await described();
    const location = document.components.schemas['Location'] as Schema;
    expect(Object.keys(location.properties ?? {})).toEqual(ALL_FIELDS);
    const validate = newAjv().compile({ ...location, additionalProperties: false });
    for (const ip of [MUNICH, '9.9.9.9', '2a00::1', ...Array.from({ length: 12 }, (_, i) => `50.0.${i}.1`)]) {
      const record = (await app.inject(`/${ip}/json?fields=all`)).json<Record<string, unknown>>();
      expect([ip, validate(record), validate.errors]).toEqual([ip, true, null]);
    }
    await app.close();
  });

  it('lists every problem of the catalogue, and only what can happen here', async () => {
    const types = async (more: Partial<typeof settings>) => {
      const { app, reply } = await described(more);
      await app.close();
      return new Set([...reply.body.matchAll(/"urn:problem-type:([\w-]+)"/g)].map(([, code]) => code!));
    };
    expect([...(await types({ rateLimit: { requests: 5, per: 'minute' } }))]).toEqual(
      expect.arrayContaining(Object.keys(problems)),
    );
    expect(await types({})).not.toContain('rate-limited');
    expect(await types({ errorStatus: 200 })).not.toContain('reserved-address');
  });
});
