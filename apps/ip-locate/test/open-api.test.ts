import { newAjv } from '@workspace/service-kit';
import { answersWithoutExample } from '@workspace/testing';
import { FIELD_NAMES } from '../src/http/lookup/fields.ts';
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
  it('shows an example of every answer', async () => {
    const { reply } = await described();
    expect(answersWithoutExample(reply.json(), ['/openapi.', '/docs'])).toEqual([]);
  });

  it('is OpenAPI 3.1 with every reference resolved', async () => {
    const { reply, document } = await described();
    expect(reply.headers['content-type']).toBe('application/vnd.oai.openapi+json;version=3.1');
    expect(reply.headers['access-control-allow-origin']).toBe('*');
    const methods = Object.values(document.paths).flatMap((path) => Object.keys(path));
    expect(new Set(methods)).toEqual(new Set(['get', 'post']));
    const references = [...reply.body.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!);
    expect(new Set(references)).toEqual(
      new Set(['Problem', 'Location', 'Index', 'Health', 'Live', 'Ready', 'Unready']),
    );
    for (const name of references) expect(document.components.schemas).toHaveProperty(name);
  });

  it('keeps media types apart: one per path, except where Accept chooses', async () => {
    const { document } = await described();
    const several = Object.entries(document.paths).filter(
      ([, { get }]) => Object.keys(get?.responses['200']?.content ?? {}).length > 1,
    );
    expect(several.map(([path]) => path)).toEqual(['/{name}', '/']);
  });

  it('takes an address as a plain string, and coordinates as doubles', async () => {
    const { document } = await described();
    const { parameters } = document.paths['/{ip}/json']!['get'] as unknown as { parameters: object[] };
    expect(parameters).toContainEqual(
      expect.objectContaining({ name: 'ip', schema: { type: 'string' }, example: '8.8.8.8' }),
    );
    expect(document.components.schemas['Location']!.properties!['latitude']).toMatchObject({
      type: ['number', 'null'],
      format: 'double',
    });
  });

  it('keeps the promise that CORS is allowed on every path', async () => {
    const { app, document } = await described();
    const paths = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, 'city'));
    const replies = await Promise.all(paths.map((url) => app.inject({ url, remoteAddress: MUNICH })));
    const closed = paths.filter((_, at) => replies[at]!.headers['access-control-allow-origin'] !== '*');
    expect(closed).toEqual([]);
  });

  it('describes the records that are answered', async () => {
    const { app, document } = await described();
    const location = document.components.schemas['Location'] as Schema;
    expect(Object.keys(location.properties ?? {})).toEqual(FIELD_NAMES);
    const validate = newAjv().compile({ ...location, additionalProperties: false });
    for (const ip of [MUNICH, '9.9.9.9', '2a00::1', ...Array.from({ length: 12 }, (_, i) => `50.0.${i}.1`)]) {
      const record = (await app.inject(`/${ip}/json?fields=all`)).json<Record<string, unknown>>();
      expect([ip, validate(record), validate.errors]).toEqual([ip, true, null]);
    }
  });

  it('lists every problem of the catalogue, and only what can happen here', async () => {
    const types = async (more: Partial<typeof settings>) => {
      const { reply } = await described(more);
      return new Set([...reply.body.matchAll(/"urn:problem-type:([\w-]+)"/g)].map(([, code]) => code!));
    };
    expect([...(await types({ rateLimit: { requests: 5, per: 'minute' } }))]).toEqual(
      expect.arrayContaining(Object.keys(problems)),
    );
    expect(await types({})).not.toContain('rate-limited');
    expect(await types({ errorStatus: 200 })).not.toContain('reserved-address');
  });
});
