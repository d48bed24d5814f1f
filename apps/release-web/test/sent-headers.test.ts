import { testService } from './service.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly example?: string;
}
interface Document {
  readonly paths: Readonly<Record<string, { readonly get: { readonly parameters?: readonly Parameter[] } }>>;
}

/** `send` writes past Fastify, and sends no headers but its own and the request id. */
it('sends every header that a hook or a route sets', async () => {
  const { app } = await testService({ WEBSUB_HUB: 'https://hub.example/', DATA_STALE_DAYS: '1' });
  const set = new Map<string, string[]>();
  app.addHook('onResponse', (request, reply, done) => {
    set.set(request.url, Object.keys(reply.getHeaders()));
    done();
  });
  const { paths } = (await app.inject('/openapi.json')).json<Document>();
  const urls = Object.entries(paths).map(([template, { get }]) =>
    template.replace(
      /\{(\w+)\}/g,
      (_all, name: string) =>
        get.parameters?.find((one) => one.in === 'path' && one.name === name)?.example ?? name,
    ),
  );
  const lost: string[] = [];
  for (const url of urls) {
    const { headers } = await app.inject({ url, headers: { 'x-request-id': 'abcdefgh' } });
    for (const name of set.get(url)!) if (headers[name] === undefined) lost.push(`${name} of ${url}`);
  }
  expect(lost).toEqual([]);
  const all = new Set([...set.values()].flat());
  expect([...all]).toContain('x-request-id');
});
