import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@workspace/testing';
import { Stack, SUBMISSION } from './support/stack.ts';

const SERVICES = ['release-web', 'ops-intake', 'ip-locate'];

describe('the single stack', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await Stack.create();
    await stack.up();
    await stack.writable();
  });
  afterAll(() => stack.remove());

  it.each(SERVICES)('runs %s as user 1000 that cannot write', async (service) => {
    const write = `try { require('fs').writeFileSync('/app/x', ''); console.log('written') } catch (e) { console.log(process.getuid(), e.code) }`;
    expect((await stack.compose('exec', '-T', service, 'node', '-e', write)).trim()).toBe('1000 EROFS');
  });

  it('serves each service under its host name, with links to the address it is published at', async () => {
    expect(JSON.parse((await stack.ask('ip-locate', '/8.8.8.8/json/')).body)).toMatchObject({
      ip: '8.8.8.8',
    });
    expect((await stack.ask('release-web', '/releases/feed.php')).body).toContain(
      `http://release-web.localhost:${stack.port}/`,
    );
    expect(JSON.parse((await stack.ask('ops-intake', '/health')).body)).toMatchObject({ status: 'up' });
  });

  it('writes a submission to Kafka', async () => {
    const { status, body } = await stack.ask('ops-intake', '/operations', SUBMISSION);
    expect(status).toBe(202);
    expect(await stack.keys()).toContain((JSON.parse(body) as { submissionId: string }).submissionId);
  });

  it('finds services whose new containers have other addresses', async () => {
    const services = ['release-web', 'ip-locate'];
    const addresses = () =>
      Promise.all(
        services.map(async (service) => {
          const [container] = await stack.containers(service);
          return Object.values(container?.NetworkSettings.Networks ?? {})[0]?.IPAddress;
        }),
      );
    const before = await addresses();
    await stack.compose('rm', '--stop', '--force', ...services);
    // The first one gets the lowest free address: not the one that it had.
    const [low = '', high = ''] = before.map((address) => address?.split('.').at(-1)?.padStart(3, '0'));
    for (const service of low < high ? services.toReversed() : services) await stack.up(service);
    expect(await addresses()).not.toEqual(before);
    // For a path that nginx has not cached.
    const branches = await stack.ask('release-web', '/releases/branches.php?max=3');
    expect([branches.status, branches.body]).toEqual([200, expect.stringContaining('"branch"')]);
    const place = await stack.ask('ip-locate', '/8.8.8.8/json/');
    expect([place.status, place.body]).toEqual([200, expect.stringContaining('"8.8.8.8"')]);
  });

  it('gives ip-locate the database that ip-locate-data downloads, and API keys', async () => {
    // The bundled database, as a server would offer it.
    const server = `const { createReadStream, globSync } = require('fs');
      const [file] = globSync('data/dbip-city-*.mmdb');
      require('http').createServer((_, answer) => createReadStream(file).pipe(answer)).listen(8000)`;
    await stack.compose('exec', '--detach', 'ip-locate', 'node', '-e', server);
    const update = 'node ip-locate-data.js update --folder /databases --databases city --source url'.split(
      ' ',
    );
    const from = ['--city-url', 'http://ip-locate:8000/city.mmdb'];
    const output = await stack.compose('run', '--rm', '--no-TTY', 'ip-locate-data', ...update, ...from);
    expect(output).toContain('/databases/city.mmdb: updated');

    const keys = join(stack.folder, 'keys');
    mkdirSync(keys);
    const digest = createHash('sha256').update('a-key-of-sixteen').digest('hex');
    writeFileSync(join(keys, 'api-keys'), `desk:${digest}\n`);
    stack.set({
      DATABASE_PATH: '/databases/city.mmdb',
      IP_LOCATE_KEYS: keys,
      IP_LOCATE_API_KEYS_FILE: '/keys/api-keys',
      IP_LOCATE_API_KEY_REQUIRED: 'true',
    });
    await stack.up('ip-locate');
    const country = (headers: Record<string, string>) =>
      eventually('a database', async () => {
        const answer = await stack.ask('ip-locate', '/8.8.8.8/country/', { headers });
        return answer.status === 503 || answer.status === 502 ? undefined : answer;
      });
    expect(await country({})).toMatchObject({ status: 401 });
    expect(await country({ 'x-api-key': 'a-key-of-sixteen' })).toMatchObject({ status: 200, body: 'US' });
    stack.set({ IP_LOCATE_API_KEYS_FILE: undefined, IP_LOCATE_API_KEY_REQUIRED: undefined });
    await stack.up('ip-locate');
  });

  it('serves the last valid data of release-web when it starts while the data is invalid', async () => {
    const data = join(stack.folder, '../apps/release-web/data');
    // However old the data is: this is about other reasons for a warning.
    stack.set({ RELEASE_DATA: data, DATA_DIR: '/data', DATA_STALE_DAYS: '100000' });
    await stack.up('release-web');
    const feed = () => stack.ask('release-web', '/releases/feed.php');
    const health = async () =>
      JSON.parse((await stack.ask('release-web', '/health')).body) as { status: string; output?: string };
    const before = await feed();
    expect(before.status).toBe(200);
    expect(await health()).toMatchObject({ status: 'pass' });

    const news = join(data, 'news.json');
    renameSync(news, `${news}.valid`);
    writeFileSync(news, '{');
    // A new container: what it needs is in the volume.
    await stack.compose(
      'up',
      '--detach',
      '--no-build',
      '--no-deps',
      '--force-recreate',
      '--wait',
      'release-web',
    );
    const after = await eventually('a feed', async () => {
      const answer = await feed();
      return answer.status === 502 ? undefined : answer;
    });
    expect([after.status, after.body]).toEqual([200, before.body]);
    expect(await health()).toMatchObject({ status: 'warn' });

    renameSync(`${news}.valid`, news);
    await eventually('valid data', async () => ((await health()).status === 'pass' ? true : undefined));
    stack.set({ RELEASE_DATA: undefined, DATA_DIR: undefined, DATA_STALE_DAYS: undefined });
    await stack.up('release-web');
  });

  it('closes ops-intake beyond loopback unless there are tokens', async () => {
    // An address of this machine that no other machine reaches, and not of loopback.
    const [proxy] = await stack.containers('proxy');
    const gateway = Object.values(proxy!.NetworkSettings.Networks)[0]!.Gateway;
    expect(gateway).toMatch(/^(?!127\.)\d+(\.\d+){3}$/);
    stack.set({ BIND_ADDRESS: gateway });
    await stack.up();
    const ask = (service: string, path: string, more: Parameters<Stack['ask']>[2] = {}) =>
      stack.ask(service, path, { address: gateway, ...more });
    const closed = await ask('ops-intake', '/operations', SUBMISSION);
    expect([closed.status, JSON.parse(closed.body)]).toEqual([
      403,
      expect.objectContaining({
        outcome: 'not-published',
        detail: expect.stringContaining('OPS_INTAKE_AUTH_TOKENS'),
      }),
    ]);
    expect((await ask('ip-locate', '/8.8.8.8/country/')).body).toBe('US');

    stack.set({ OPS_INTAKE_AUTH_TOKENS: 'desk:0123456789abcdef', OPS_INTAKE_KEY_REQUIRED: 'true' });
    await stack.up();
    const submit = (headers: Record<string, string>) =>
      ask('ops-intake', '/operations', { ...SUBMISSION, headers: { ...SUBMISSION.headers, ...headers } });
    await eventually('a broker', async () =>
      (await ask('ops-intake', '/health')).status === 200 ? true : undefined,
    );
    const authorization = 'Bearer 0123456789abcdef';
    expect((await submit({})).status).toBe(401);
    expect((await submit({ authorization })).status).toBe(400);
    expect((await submit({ authorization, 'idempotency-key': '"first"' })).status).toBe(202);
  });

  it.each([...SERVICES, 'proxy'])('ends %s with 0 on docker stop', async (service) => {
    await stack.compose('stop', service);
    for (const { State } of await stack.containers(service)) {
      expect(State).toMatchObject({ Running: false, ExitCode: 0 });
    }
  });
});
