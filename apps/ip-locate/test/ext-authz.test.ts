import { Client, credentials, type MethodDefinition, type ServiceError } from '@grpc/grpc-js';
import { captureLogger } from '@workspace/testing';
import type { LocationDatabase } from '../src/application/location-database.ts';
import { UNKNOWN_KINDS } from '../src/domain/address-kinds.ts';
import { parseRuleFiles } from '../src/domain/access/rules-text.ts';
import {
  Authorization,
  AUTHORIZATION_SERVICE,
  type CheckRequest,
  type CheckResponse,
  Health,
} from '../src/http/auth/ext-authz/contract.ts';
import { createExtAuthz, type ExtAuthzDeps } from '../src/http/auth/ext-authz/server.ts';
import { fixed, MUNICH, openAsn, openCity, settings } from './app.ts';
import { NOW } from './databases.ts';

/** Calls a server of its own, and ends it. */
const serve = async (more: Partial<ExtAuthzDeps> = {}) => {
  const { logger } = captureLogger('debug');
  const server = createExtAuthz({
    logger,
    clock: () => NOW,
    locations: fixed(await openCity()),
    operators: fixed(await openAsn()),
    ready: () => ({ ready: true }),
    settings,
    ...more,
  });
  const client = new Client(`127.0.0.1:${await server.listen('127.0.0.1', 0)}`, credentials.createInsecure());
  const call = <Q, A>({ path, requestSerialize, responseDeserialize }: MethodDefinition<Q, A>, request: Q) =>
    new Promise<A>((resolve, reject) => {
      client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        (error: ServiceError | null, answer?: A) => (error ? reject(error) : resolve(answer!)),
      );
    });
  return {
    check: (request: CheckRequest) => call<CheckRequest, CheckResponse>(Authorization.Check, request),
    health: (service?: string) => call(Health.Check, service === undefined ? {} : { service }),
    close: async () => {
      client.close();
      await server.close();
    },
  };
};

const visit = (
  address: string | undefined,
  headers: Record<string, string> = {},
  contextExtensions: Record<string, string> = {},
): CheckRequest => ({
  attributes: {
    source: { address: address === undefined ? {} : { socketAddress: { address } } },
    request: { http: { headers: { ':path': '/shop', ...headers } } },
    contextExtensions,
  },
});

const headersOf = (answer: CheckResponse): Record<string, string> =>
  Object.fromEntries((answer.okResponse?.headers ?? []).map(({ header: { key, value } }) => [key, value]));

it('ext_authz by gRPC tells no more than PRECISION', async () => {
  const { check, close } = await serve({ settings: { ...settings, precision: 'country' } });
  const headers = headersOf(await check(visit(MUNICH, { 'x-api-key': 'any' }, { fields: 'all' })));
  expect(headers).toMatchObject({ 'x-geo-country': 'DE', 'x-geo-in-eu': 'true' });
  for (const name of ['city', 'region', 'postal', 'latlong', 'timezone']) {
    expect(headers).not.toHaveProperty(`x-geo-${name}`);
  }
  await close();
});

describe('ext_authz by gRPC', () => {
  let server: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    server = await serve();
  });
  afterAll(() => server.close());

  it('admits with the headers that are known, which overwrite those that a visitor sent', async () => {
    const forged = {
      'x-geo-country': 'XX',
      'x-geo-postal-code': 'XX',
      x_geo_city: 'XX',
      'x-geo-error': 'XX',
    };
    const answer = await server.check(visit(MUNICH, forged));
    expect(answer.status.code ?? 0).toBe(0);
    expect(headersOf(answer)).toMatchObject({ 'x-geo-country': 'DE', 'x-geo-city': 'Munich' });
    expect(answer.okResponse?.headers.every(({ appendAction }) => appendAction === 2)).toBe(true);
    expect(answer.okResponse?.headersToRemove).toEqual(['x-geo-postal-code', 'x_geo_city', 'x-geo-error']);
    expect(answer.dynamicMetadata).toBeUndefined();
  });

  it.each([
    ['10.0.0.1', { 'x-forwarded-for': `1.1.1.1, ${MUNICH}` }, 'DE'],
    ['9.9.9.9', { 'x-forwarded-for': MUNICH }, undefined],
    [MUNICH, { 'x-forwarded-for': '9.9.9.9' }, 'DE'],
    [`::ffff:${MUNICH}`, {}, 'DE'],
    ['2a00::1', {}, 'DE'],
  ])('locates the source, or whom a trusted source forwards for: %s %j', async (source, headers, country) => {
    expect(headersOf(await server.check(visit(source, headers)))['x-geo-country']).toBe(country);
  });

  it('reads raw headers, too', async () => {
    const rawValue = Buffer.from(MUNICH);
    const attributes = {
      source: { address: { socketAddress: { address: '10.0.0.1' } } },
      request: { http: { headerMap: { headers: [{ key: 'x-forwarded-for', rawValue }] } } },
    };
    expect(headersOf(await server.check({ attributes }))['x-geo-country']).toBe('DE');
  });

  it.each([
    [undefined, 'unknown-caller'],
    ['192.168.0.9', 'reserved-address'],
    ['fe80::1%eth0', 'reserved-address'],
  ])('admits a visitor without a location: %s', async (source, code) => {
    expect(headersOf(await server.check(visit(source)))).toEqual({ 'x-geo-error': code });
  });

  it('admits where there is nothing to know', async () => {
    expect(headersOf(await server.check({}))).toEqual({ 'x-geo-error': 'unknown-caller' });
  });

  it('has fields, languages and rules in the context of a route', async () => {
    expect(headersOf(await server.check(visit(MUNICH, {}, { fields: 'city', lang: 'de' })))).toEqual({
      'x-geo-city': 'M%C3%BCnchen',
    });
    const denied = await server.check(visit(MUNICH, {}, { deny: 'DE' }));
    expect([denied.status.code, denied.deniedResponse?.status.code]).toEqual([7, 403]);
    expect(JSON.parse(denied.deniedResponse!.body)).toMatchObject({
      type: 'urn:problem-type:access-denied',
    });
    expect(denied.dynamicMetadata?.fields).toEqual({
      decision: { stringValue: 'deny' },
      reason: { stringValue: 'deny DE' },
    });
    const dry = await server.check(visit(MUNICH, {}, { deny: 'DE', dry_run: 'true' }));
    expect(headersOf(dry)).toMatchObject({ 'x-geo-decision': 'would-deny', 'x-geo-reason': 'deny DE' });
  });

  it.each([{ deny: 'EU' }, { fields: 'nonsense' }, { deny: 'DE', dry_run: 'maybe' }])(
    'denies with a mistake in that context: %j',
    async (context) => {
      const answer = await server.check(visit('9.9.9.9', {}, context));
      expect(answer.deniedResponse?.status.code).toBe(400);
    },
  );

  it('fails where /auth fails, so that the proxy decides', async () => {
    const broken = {
      find: () => {
        throw new Error('broken');
      },
    };
    const failing = await serve({ locations: fixed(broken as unknown as LocationDatabase) });
    await expect(failing.check(visit(MUNICH))).rejects.toMatchObject({ code: 13 });
    await failing.close();
  });

  it('has the rules of the file', async () => {
    const rules = await parseRuleFiles([{ name: 'rules', text: 'deny DE' }], []);
    if ('violation' in rules) throw new Error(rules.violation);
    const strict = await serve({ accessRules: fixed(rules) });
    expect((await strict.check(visit(MUNICH))).deniedResponse?.status.code).toBe(403);
    await strict.close();
  });

  it('tells kinds of addresses, and rules may name them', async () => {
    const find = () => ({ ...UNKNOWN_KINDS, is_tor_exit_node: true, is_bot: false });
    const anonymous = fixed({ info: undefined!, find });
    const knowing = await serve({ anonymous });
    const told = headersOf(
      await knowing.check(visit(MUNICH, {}, { fields: 'is_tor_exit_node,is_bot,is_anycast' })),
    );
    expect(told).toEqual({ 'x-geo-is-tor-exit-node': 'true', 'x-geo-is-bot': 'false' });
    expect(headersOf(await knowing.check(visit(MUNICH, {}, { fields: 'all' })))).toMatchObject(told);
    const denied = await knowing.check(visit(MUNICH, {}, { deny: 'is_tor_exit_node' }));
    expect(denied.deniedResponse?.status.code).toBe(403);
    await knowing.close();
    // Without data there is no such rule.
    const mistaken = await server.check(visit(MUNICH, {}, { deny: 'is_tor_exit_node' }));
    expect(mistaken.deniedResponse?.status.code).toBe(400);
  });

  it('answers health checks', async () => {
    expect(await server.health()).toEqual({ status: 1 });
    expect(await server.health(AUTHORIZATION_SERVICE)).toEqual({ status: 1 });
    await expect(server.health('other')).rejects.toMatchObject({ code: 5 });
    const unready = await serve({ ready: () => ({ ready: false, reason: 'no database loaded' }) });
    expect(await unready.health()).toEqual({ status: 2 });
    await unready.close();
  });
});
