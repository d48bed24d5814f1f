import { openAnonymousDatabase } from './anonymous-database.ts';
import type { AnonymousDatabase } from '../../application/location-database.ts';
import { parseRuleFiles } from '../../domain/access/rules-text.ts';
import { TRAIT_NAMES } from '../../domain/address-traits.ts';
import { defaultFieldsOf } from '../../http/lookup/chosen-fields.ts';
import { ALL_FIELDS, fieldLists, SHORT_RECORD } from '../../http/lookup/fields.ts';
import { openedAccessRules } from '../access-rules/index.ts';
import { fixed, MUNICH, testApp } from '../../../test/app.ts';
import { anonymousMmdb, EPOCH } from '../../../test/databases.ts';

const open = (bytes = anonymousMmdb()) => openAnonymousDatabase([{ name: 'anonymous.mmdb', bytes }]);
const TOR = '80.2.0.9';
type App = Awaited<ReturnType<typeof testApp>>['app'];

describe('with data about traits of addresses', () => {
  let app: App;
  beforeAll(async () => {
    const rules = await parseRuleFiles(
      [{ name: 'rules', text: 'deny is_tor_exit_node' }],
      fieldLists(true).flags,
    );
    if ('violation' in rules) throw new Error(rules.violation);
    ({ app } = await testApp({
      anonymous: fixed(await open()),
      opened: { 'access-rules': openedAccessRules(fixed(rules)) },
    }));
  });

  it('the traits are in `all`, by name, in every format and as text', async () => {
    const all = (await app.inject(`/${MUNICH}/json/?fields=all`)).json<Record<string, unknown>>();
    expect(Object.keys(all)).toEqual([...ALL_FIELDS, ...TRAIT_NAMES]);
    expect(all).toMatchObject({
      is_anonymous: true,
      is_hosting_provider: true,
      is_tor_exit_node: false,
      is_bot: null,
    });
    const fields = 'fields=is_hosting_provider,is_tor_exit_node,is_bot';
    const body = async (format: string) => (await app.inject(`/${MUNICH}/${format}/?${fields}`)).body;
    expect(await body('json')).toBe('{"is_hosting_provider":true,"is_tor_exit_node":false,"is_bot":null}');
    expect(await body('csv')).toBe('is_hosting_provider,is_tor_exit_node,is_bot\r\ntrue,false,\r\n');
    expect(await body('xml')).toContain(
      '<is_hosting_provider>true</is_hosting_provider><is_tor_exit_node>false</is_tor_exit_node><is_bot></is_bot>',
    );
    expect(await body('yaml')).toBe('is_hosting_provider: true\nis_tor_exit_node: false\nis_bot: null\n');
    expect(await body('jsonp')).toContain('{"is_hosting_provider":true,');
    const text = async (field: string) => (await app.inject(`/${MUNICH}/${field}/`)).body;
    expect(await Promise.all(['is_hosting_provider', 'is_tor_exit_node', 'is_bot'].map(text))).toEqual([
      'True',
      'False',
      'None',
    ]);
    const caller = { remoteAddress: TOR };
    expect((await app.inject({ url: '/is_tor_exit_node/', ...caller })).body).toBe('True');
    for (const ip of ['64:ff9b::80.2.0.9', '2002:5002:9::1', '2001::affd:fff6'])
      expect((await app.inject(`/${ip}/json/?fields=is_tor_exit_node`)).body).toBe(
        '{"is_tor_exit_node":true}',
      );
  });

  it('DEFAULT_FIELDS=all has them', () => {
    const { all } = fieldLists(true);
    expect(defaultFieldsOf({ DEFAULT_FIELDS: 'all' }, all)).toEqual([...ALL_FIELDS, ...TRAIT_NAMES]);
    expect(defaultFieldsOf({ DEFAULT_FIELDS: 'all' }, fieldLists(false).all)).toEqual(ALL_FIELDS);
    expect(defaultFieldsOf({}, all)).toEqual(SHORT_RECORD);
  });

  it('the record without named fields stays as it is', async () => {
    const record = (await app.inject(`/${MUNICH}/json/`)).json<object>();
    expect(Object.keys(record)).toEqual(SHORT_RECORD);
  });

  it('batches have them: arrays, NDJSON and CSV', async () => {
    const post = async (type: string, payload: string, fields = 'is_tor_exit_node') => {
      const headers = { 'content-type': type };
      return (await app.inject({ method: 'POST', url: `/batch?fields=${fields}`, payload, headers })).body;
    };
    expect(await post('application/json', JSON.stringify([TOR, MUNICH, '9.9.9.9']))).toBe(
      '[{"is_tor_exit_node":true},{"is_tor_exit_node":false},{"is_tor_exit_node":null}]',
    );
    expect(await post('application/x-ndjson', `"${TOR}"\n`)).toBe(`{"is_tor_exit_node":true}\n`);
    expect(await post('text/csv', `ip\n${TOR}\n9.9.9.9\n`)).toBe(
      `ip,is_tor_exit_node,error\r\n${TOR},true,\r\n9.9.9.9,,\r\n`,
    );
    expect((await post('text/csv', `ip\n${TOR}\n`, 'all')).split('\r\n')[0]).toContain(',is_anonymous,');
  });

  it('proxies are told in headers, and rules may name them', async () => {
    const ask = (remoteAddress: string, query = '') => app.inject({ url: `/auth${query}`, remoteAddress });
    const answer = await ask(MUNICH, '?fields=is_hosting_provider,is_bot');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'x-geo-is-hosting-provider': 'true',
      'x-geo-is-bot': '',
      'x-geo-is-anonymous': '',
      'x-geo-decision': 'allow',
    });
    const names = TRAIT_NAMES.map((name) => `x-geo-${name.replaceAll('_', '-')}`);
    expect(Object.keys((await ask('10.0.0.1')).headers)).toEqual(expect.arrayContaining(names));
    const tor = await ask(TOR);
    expect([tor.statusCode, tor.headers['x-geo-reason']]).toEqual([403, 'line 1: deny is_tor_exit_node']);
    const hosting = await ask(MUNICH, '?deny=is_hosting_provider');
    expect([hosting.statusCode, hosting.headers['x-geo-reason']]).toEqual([403, 'deny is_hosting_provider']);
    // What is not known matches nothing.
    expect((await ask('9.9.9.9', '?deny=is_anonymous')).statusCode).toBe(200);
  });

  it('the page shows what is known', async () => {
    const page = await app.inject({ url: `/${MUNICH}`, headers: { accept: 'text/html' } });
    expect(page.body).toContain('<dt>Hosting</dt><dd>yes</dd><dt>Public proxy</dt><dd>no</dd>');
    expect(page.body).not.toContain('Crawler');
  });

  it('/health has its age', async () => {
    const { checks } = (await app.inject('/health')).json<{ checks: Record<string, object[]> }>();
    expect(checks['database:anonymous']?.[0]).toMatchObject({
      status: 'pass',
      observedValue: 20,
      types: ['GeoIP2-Anonymous-IP'],
      builtAt: new Date(EPOCH * 1000).toISOString(),
    });
  });
});

describe('without such data', () => {
  it('nothing but the new names is new', async () => {
    const { app } = await testApp();
    const all = (await app.inject(`/${MUNICH}/json/?fields=all`)).json<object>();
    expect(Object.keys(all)).toEqual(ALL_FIELDS);
    expect((await app.inject(`/${MUNICH}/json/?fields=is_bot`)).body).toBe('{"is_bot":null}');
    const auth = await app.inject({ url: '/auth', remoteAddress: MUNICH });
    expect(Object.keys(auth.headers).filter((name) => name.startsWith('x-geo-is-'))).toEqual([]);
    const denied = await app.inject({ url: '/auth?deny=is_bot', remoteAddress: MUNICH });
    expect([denied.statusCode, denied.json<{ type: string }>().type]).toEqual([
      400,
      'urn:problem-type:invalid-rules',
    ]);
    const page = await app.inject({ url: `/${MUNICH}`, headers: { accept: 'text/html' } });
    expect(page.body).not.toContain('Hosting');
    expect((await app.inject('/health')).json<{ checks: object }>().checks).not.toHaveProperty(
      'database:anonymous',
    );
  });

  it('yet, nothing is known, and /health warns', async () => {
    const { app } = await testApp({ anonymous: fixed<AnonymousDatabase>(undefined) });
    const reply = await app.inject(`/${MUNICH}/json/?fields=city,is_anonymous`);
    expect(reply.body).toBe('{"city":"Munich","is_anonymous":null}');
    const health = await app.inject('/health');
    expect([health.statusCode, health.json<{ status: string }>().status]).toEqual([200, 'warn']);
  });
});
