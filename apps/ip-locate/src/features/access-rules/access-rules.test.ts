import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { type Address, parseAddress } from '@workspace/ip-addresses';
import type { Reloadable } from '@workspace/service-process';
import { readmeTable } from '@workspace/testing';
import { join } from 'node:path';
import {
  type Caller,
  type Decision,
  decideAll,
  type NetworkLists,
  type Rules,
} from '../../domain/access/rules.ts';
import { type FileRules, parseRuleFiles, parseRuleParameters } from '../../domain/access/rules-text.ts';
import { UNKNOWN_LOCATION } from '../../domain/location.ts';
import { ALL_FIELDS, FLAG_FIELDS } from '../../http/lookup/fields.ts';
import { createGeoHeaders } from './geo-headers.ts';
import { openedAccessRules, ruleSettingViolations } from './index.ts';
import { openedOverlay } from '../overlay/index.ts';
import { openOverlay } from '../overlay/overlay-file.ts';
import {
  type AsnDatabase,
  type LocationDatabase,
  UnreadableData,
} from '../../application/location-database.ts';
import { fixed, MUNICH, openAsn, openCity, testApp, type TestAppOptions } from '../../../test/app.ts';
import { FILE, geoHeadersConf } from '../../../data/geo-headers.ts';
import { PROJECT } from '../../../test/documents.ts';

const withRules = (rules: Reloadable<FileRules>) => ({
  opened: { 'access-rules': openedAccessRules(rules) },
});
const LIST = { name: 'office.txt', text: '# ours\n192.0.2.0/24\n2001:db8::/32 # and IPv6\n' };
const fileRules = async (text: string): Promise<FileRules> => {
  const parsed = await parseRuleFiles([{ name: 'rules', text }, LIST], FLAG_FIELDS);
  if ('violation' in parsed) throw new Error(parsed.violation);
  return parsed;
};
let lists: NetworkLists;
beforeAll(async () => {
  ({ lists } = await fileRules('allow all'));
});
const violationOf = async (text: string): Promise<string | undefined> => {
  const parsed = await parseRuleFiles([{ name: 'rules', text }, LIST], FLAG_FIELDS);
  return 'violation' in parsed ? parsed.violation : undefined;
};
const parameterRules = (text: string): Rules => {
  const query = new URLSearchParams(text);
  const rules = parseRuleParameters(
    {
      allow: query.get('allow') ?? undefined,
      deny: query.get('deny') ?? undefined,
      dryRun: query.get('dry_run') === 'true',
      failOpen: query.get('fail_open') === 'true',
    },
    FLAG_FIELDS,
    lists,
  );
  if ('violation' in rules) throw new Error(rules.violation);
  return rules;
};

const noAddress: Caller = {
  addresses: undefined,
  ownRange: undefined,
  country: undefined,
  continent: undefined,
  asn: undefined,
  flag: () => undefined,
};
const nowhere: Caller = { ...noAddress, country: null, continent: null, asn: null, flag: () => null };
const at = (...texts: string[]): Address[] => texts.map((text) => parseAddress(text)!);
const CALLERS: Readonly<Record<string, Caller>> = {
  Germany: {
    addresses: at('192.0.2.7'),
    ownRange: undefined,
    country: 'DE',
    continent: 'EU',
    asn: 64496,
    flag: (name) => name === 'in_eu',
  },
  Russia: {
    ...nowhere,
    addresses: at('198.51.100.7'),
    country: 'RU',
    continent: 'EU',
    flag: () => false,
  },
  private: { ...nowhere, addresses: at('10.0.0.7'), ownRange: 'private' },
  unknown: { ...nowhere, addresses: at('203.0.113.7') },
  'no data': { ...noAddress, addresses: at('203.0.113.7') },
  'no address': noAddress,
};

const bare = (cell = ''): string => cell.replaceAll('`', '');
const rowsOf = (heading: string): string[][] =>
  readmeTable(join(PROJECT, 'src/features/access-rules/README.md'), heading).map((row) => row.map(bare));

describe('the documented decisions', () => {
  it.each(rowsOf('By a file'))('%s: %s → %s', async (text = '', caller = '', outcome = '', reason = '') => {
    const { rules } = await fileRules(text.replaceAll('; ', '\n'));
    expect(rules.decide(CALLERS[caller]!)).toEqual({ outcome, reason });
  });

  it.each(rowsOf('By a URL'))('%s: %s → %s', (rules = '', caller = '', outcome = '', reason = '') => {
    expect(parameterRules(rules).decide(CALLERS[caller]!)).toEqual({ outcome, reason });
  });
});

/**
 * The same decision without sets and without an order inside of a rule: each term by itself, in bits. It knows nothing of the
 * code that it judges but the grammar.
 */
const matches = (term: string, caller: Caller, isOpen: boolean): boolean => {
  const bits = (address: string): string => {
    const bytes = parseAddress(address)?.bytes ?? [];
    return [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  };
  const isIn = (network: string): boolean => {
    const [address = '', length] = network.split('/');
    const other = bits(address);
    return (caller.addresses ?? []).some(({ text }) => {
      const own = bits(text);
      return (
        own.length === other.length && own.startsWith(other.slice(0, length ? Number(length) : undefined))
      );
    });
  };
  if (term === 'all') return true;
  if (term === 'private' || term === 'cgnat') return caller.ownRange === term;
  if (term === 'unknown') {
    return caller.ownRange === undefined && (caller.country === null || (!caller.country && !isOpen));
  }
  if (term === 'in_eu') return caller.flag('in_eu') === true;
  if (term === 'networks:office.txt') return isIn('192.0.2.0/24') || isIn('2001:db8::/32');
  if (term.startsWith('continent:')) return caller.continent === term.slice(10);
  if (/^AS\d+$/.test(term)) return term === `AS${caller.asn}`;
  if (/^[A-Z]{2}$/.test(term)) return term === caller.country;
  return isIn(term);
};

/** What is missing without which a term cannot be decided. */
const missingFor = (term: string, caller: Caller): string | undefined => {
  if (term === 'all' || term === 'unknown') return undefined;
  if (term === 'in_eu') return caller.flag('in_eu') === undefined ? 'data about in_eu' : undefined;
  if (term.startsWith('continent:')) return caller.continent === undefined ? 'location data' : undefined;
  if (/^AS\d+$/.test(term)) return caller.asn === undefined ? 'ASN data' : undefined;
  if (/^[A-Z]{2}$/.test(term)) return caller.country === undefined ? 'location data' : undefined;
  return caller.addresses === undefined ? 'address' : undefined;
};

const aTerm = fc.oneof(
  fc.constantFrom('DE', 'FR', 'RU', 'US', 'continent:EU', 'continent:NA', 'in_eu', 'AS1', 'AS64496'),
  fc.constantFrom('private', 'cgnat', 'unknown', 'all', 'networks:office.txt'),
  fc
    .tuple(
      fc.constantFrom('192.0.2.7', '192.0.3.7', '10.0.0.7', '198.51.100.9'),
      fc.integer({ min: 1, max: 32 }),
    )
    .map(([address, length]) => `${address}/${length}`),
  fc
    .tuple(fc.constantFrom('2001:db8::7', '2001:db9::7', '2a00::1'), fc.integer({ min: 1, max: 128 }))
    .map(([address, length]) => `${address}/${length}`),
  fc.constantFrom('192.0.2.7', '2001:db8::7'),
);
const aRule = fc.tuple(fc.constantFrom('allow', 'deny'), fc.array(aTerm, { minLength: 1, maxLength: 4 }));
const aCaller = fc.oneof(
  fc
    .record({
      addresses: fc.constantFrom(
        at('192.0.2.7'),
        at('192.0.3.7'),
        at('198.51.100.7'),
        at('2001:db8::7'),
        at('2a00::1', '192.0.2.7'),
        undefined,
      ),
      ownRange: fc.constantFrom(undefined, 'private' as const, 'cgnat' as const),
      country: fc.constantFrom(undefined, null, 'DE', 'FR', 'RU', 'US'),
      continent: fc.constantFrom(undefined, null, 'EU', 'NA'),
      asn: fc.constantFrom(undefined, null, 1, 64496),
      inEu: fc.constantFrom(undefined, null, true, false),
    })
    .map(({ inEu, ...caller }): Caller => ({ ...caller, flag: () => inEu })),
  fc.constantFrom(...Object.values(CALLERS)),
);

describe('decisions', () => {
  it('are those of the first rule that has a matching term, or denies and has one that cannot be decided', async () => {
    const anything = [
      fc.array(aRule, { minLength: 1, maxLength: 5 }),
      aCaller,
      fc.boolean(),
      fc.boolean(),
    ] as const;
    await fc.assert(
      fc.asyncProperty(...anything, async (rules, caller, dryRun, failOpen) => {
        const lines = rules.map(([action, terms]) => `${action} ${terms.join(' ')}`);
        const options = [...(dryRun ? ['dry-run'] : []), ...(failOpen ? ['fail-open'] : [])];
        const read = await fileRules([...lines, ...options].join('\n'));
        const { outcome, reason } = read.rules.decide(caller);
        const at = rules.findIndex(
          ([action, terms]) =>
            terms.some((term) => matches(term, caller, failOpen && action === 'deny')) ||
            (action === 'deny' && !failOpen && terms.some((term) => missingFor(term, caller))),
        );
        const denies = rules[at]?.[0] === 'deny';
        const isMatch = (term: string) => matches(term, caller, failOpen && denies);
        expect(outcome).toBe(denies ? (dryRun ? 'would-deny' : 'deny') : 'allow');
        if (at < 0) expect(reason).toBe('no rule matches');
        else {
          const [, action, term = ''] = /: (\w+) (.*)$/.exec(reason) ?? [];
          expect([reason.startsWith(`line ${at + 1}: `), action]).toEqual([true, rules[at]![0]]);
          const terms = rules[at]![1];
          if (terms.some(isMatch)) expect(isMatch(term)).toBe(true);
          else expect(terms.map((one) => `(no ${missingFor(one, caller)})`)).toContain(term);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('are denials as soon as one of several sets of rules denies', async () => {
    const someSets = fc.array(fc.array(aRule, { minLength: 1, maxLength: 3 }), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(someSets, aCaller, async (sets, caller) => {
        const texts = sets.map((rules) => rules.map(([action, terms]) => `${action} ${terms.join()}`));
        const files = await Promise.all(texts.map((lines) => fileRules(lines.join('\n'))));
        const all = files.map(({ rules }) => rules);
        const each = all.map((rules) => rules.decide(caller).outcome);
        expect(decideAll(all, caller).outcome).toBe(each.includes('deny') ? 'deny' : 'allow');
      }),
    );
  });

  it('of a denying set go before those of a dry run', () => {
    const all = [parameterRules('deny=DE&dry_run=true'), parameterRules('deny=AS64496')];
    const expected: Decision = { outcome: 'deny', reason: 'deny AS64496' };
    expect(decideAll(all, CALLERS['Germany']!)).toEqual(expected);
    expect(decideAll(all.slice(0, 1), CALLERS['Germany']!).outcome).toBe('would-deny');
  });
});

describe('a file of rules', () => {
  it.each([
    ['deny EU', 'is not a country: in_eu'],
    ['deny UK', '"UK" is not a country'],
    ['deny', 'a rule is allow or deny'],
    ['block DE', 'a rule is allow or deny'],
    ['deny DE 10.0.0.1/33', '"10.0.0.1/33" is not'],
    ['deny continent:XX', 'is not one of AF'],
    ['deny networks:none.txt', 'is not a file that GEO_RULES lists'],
    ['deny AS4294967296', '"AS4294967296" is not'],
    ['deny 0.0.0.0/0', '"0.0.0.0/0" is not'],
    ['deny fe80::1%eth0', 'is not'],
    ['dry-run deny DE', 'a rule is allow or deny'],
    ['Deny DE', 'a rule is allow or deny'],
    ['deny=DE', 'a rule is allow or deny'],
    ['fail-close', 'a rule is allow or deny'],
    ['deny Private', '"Private" is not'],
    ['deny ::ffff:0:0/96', '"::ffff:0:0/96" is not'],
  ])('is rejected with the line: %s', async (line, why) => {
    const violation = await violationOf(`# first\n${line}\n`);
    expect(violation).toMatch(/^rules, line 2: /);
    expect(violation).toContain(why);
  });

  it('may have empty lines, comments, carriage returns, commas and lower case', async () => {
    const text = '\r\n# all\r\n deny de, fr as1\tcontinent:eu # why\r\ndry-run\r\n';
    expect(await violationOf(text)).toBeUndefined();
  });

  it.each(['', '# deny DE\n', 'dry-run\n'])('is rejected without rules: %j', async (text) => {
    const violation = 'rules has no rules';
    const file = { name: 'rules', text };
    expect(await parseRuleFiles([file], FLAG_FIELDS)).toEqual({ violation });
    expect(await parseRuleFiles([file, LIST], FLAG_FIELDS)).toEqual({ violation });
  });

  it('is rejected with a list that is not one', async () => {
    const files = (text: string) =>
      parseRuleFiles(
        [
          { name: 'rules', text: 'allow all' },
          { name: 'tor.txt', text },
        ],
        FLAG_FIELDS,
      );
    const violation = 'tor.txt, line 3: "none" is not a network';
    expect(await files('192.0.2.1\n\nnone\n')).toEqual({ violation });
    // As a download that failed leaves it; a comment says that it is meant.
    expect(await files('\n')).toEqual({ violation: 'tor.txt is empty' });
    expect(await files('# no one\n')).toHaveProperty('lists');
  });

  it('lets requests be answered while a long list is read', async () => {
    const text = Array.from({ length: 20_000 }, (_, at) => `10.${at >> 8}.${at & 255}.0/24`).join('\n');
    let turns = 0;
    const nextTurn = async () => (turns += 1);
    const files = [
      { name: 'rules', text: 'allow all' },
      { name: 'long.txt', text },
    ] as const;
    expect(await parseRuleFiles(files, FLAG_FIELDS, nextTurn)).toHaveProperty('lists');
    expect(turns).toBe(20);
  });
});

/** URL, caller; status, decision, reason, country */
type Decided = [string, string, [number, string | undefined, string | undefined, string]];

describe('a setting for rules', () => {
  it.each([
    'ACCESS_RULES',
    'GEO_ACCESS_RULES',
    'AUTH_RULES_FILE',
    'geo_deny',
    'IP_LOCATE_GEO_RULES',
    'GEO_ALLOW',
    'GEOIP_RULES',
    'IPLOCATE_RULES_FILE',
    'GEO_DENY_COUNTRIES',
    'GEO_BLOCK',
  ])('is rejected under the name %s', (name) => {
    const violation = `${name} is not a setting; a file of rules is named by GEO_RULES`;
    expect(ruleSettingViolations({ [name]: 'office.rules', GEO_RULES: 'office.rules' })).toEqual([violation]);
  });
});

describe('/auth with rules', () => {
  const ask = async (
    url: string,
    {
      peer = MUNICH,
      rules,
      headers = {},
      method = 'GET',
    }: { peer?: string; rules?: string; headers?: Record<string, string>; method?: 'GET' | 'PUT' } = {},
  ) => {
    const { app } = await testApp(rules === undefined ? {} : withRules(fixed(await fileRules(rules))));
    const reply = await app.inject({ method, url, remoteAddress: peer, headers });
    const { 'x-geo-decision': decision, 'x-geo-reason': reason, 'x-geo-country': country } = reply.headers;
    return { reply, found: [reply.statusCode, decision, reason, country] };
  };

  it.each([
    ['/auth?allow=DE,AT', MUNICH, [200, 'allow', 'allow DE', 'DE']],
    ['/auth?allow=FR', MUNICH, [403, 'deny', 'deny all', 'DE']],
    ['/auth?deny=AS3320', MUNICH, [403, 'deny', 'deny AS3320', 'DE']],
    ['/auth?deny=in_eu&dry_run=true', MUNICH, [200, 'would-deny', 'deny in_eu', 'DE']],
    ['/auth?deny=unknown', '9.9.9.9', [403, 'deny', 'deny unknown', '']],
    ['/auth?deny=private', '192.168.0.9', [403, 'deny', 'deny private', '']],
    ['/auth?deny=192.168.0.0/16', '192.168.0.9', [403, 'deny', 'deny 192.168.0.0/16', '']],
    ['/auth?deny=80.0.0.0/8', '64:ff9b::5001:203', [403, 'deny', 'deny 80.0.0.0/8', 'DE']],
    ['/auth?deny=192.168.0.0/16', '64:ff9b::c0a8:9', [403, 'deny', 'deny 192.168.0.0/16', '']],
    // As it is written, or by its host.
    ['/auth?deny=64:ff9b::/96', '64:ff9b::5001:203', [403, 'deny', 'deny 64:ff9b::/96', 'DE']],
    ['/auth?deny=2002::/16', '2002:5001:203::1', [403, 'deny', 'deny 2002::/16', 'DE']],
    ['/auth?deny=80.1.0.0/16', '2002:5001:203::1', [403, 'deny', 'deny 80.1.0.0/16', 'DE']],
    ['/auth?deny=2001::/32', '2001::affe:fdfc', [403, 'deny', 'deny 2001::/32', 'DE']],
    ['/auth?deny=80.1.2.3', '2001::affe:fdfc', [403, 'deny', 'deny 80.1.2.3/32', 'DE']],
    ['/auth?allow=DE', '2001::affe:fdfc', [200, 'allow', 'allow DE', 'DE']],
    ['/auth?allow=private', '10.1.2.3', [200, 'allow', 'allow private', '']],
    ['/auth?allow=private', '64:ff9b::a00:1', [403, 'deny', 'deny all', '']],
    ['/auth?allow=private', '2002:5001:203::1', [403, 'deny', 'deny all', 'DE']],
    ['/auth?allow=cgnat', '100.127.0.1', [200, 'allow', 'allow cgnat', '']],
    ['/auth?deny=unknown', '4000::1', [403, 'deny', 'deny unknown', '']],
    ['/auth?deny=unknown', '100.64.0.1', [200, 'allow', 'no rule matches', '']],
    ['/auth', MUNICH, [200, undefined, undefined, 'DE']],
    ['/auth/shop?deny=DE', MUNICH, [200, undefined, undefined, 'DE']],
    ['/auth/?utm_source=x', MUNICH, [200, undefined, undefined, 'DE']],
    ['/auth/?deny=DE', MUNICH, [403, 'deny', 'deny DE', 'DE']],
  ] satisfies Decided[])('%s from %s', async (url, peer, expected) => {
    expect((await ask(url, { peer })).found).toEqual(expected);
  });

  it('has the rules of the file on every path, and both must admit', async () => {
    const rules = 'deny DE';
    for (const url of ['/auth', '/auth/shop?allow=DE', '/auth?allow=DE', '/auth?deny=FR'])
      expect((await ask(url, { rules })).found).toEqual([403, 'deny', 'line 1: deny DE', 'DE']);
    expect((await ask('/auth?deny=DE', { rules: 'allow all' })).found).toEqual([
      403,
      'deny',
      'deny DE',
      'DE',
    ]);
    expect((await ask('/auth?deny=networks:office.txt', { rules: 'allow all' })).found[0]).toBe(200);
  });

  it('leaves all other paths as they are', async () => {
    const { reply } = await ask(`/${MUNICH}/json`, { rules: 'deny all' });
    expect([reply.statusCode, reply.headers['x-geo-decision']]).toEqual([200, undefined]);
  });

  it('answers a denial with a problem that says nothing of the rules, and browsers with a page', async () => {
    const { reply } = await ask('/auth?deny=DE', { method: 'PUT' });
    expect(reply.json()).toMatchObject({ type: 'urn:problem-type:access-denied', status: 403 });
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(reply.body).not.toMatch(/DE|rule/);
    const page = (await ask('/auth?deny=DE', { headers: { accept: 'text/html' } })).reply;
    expect([page.statusCode, page.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8']);
    expect(page.body).toContain('Access denied');
    expect(page.body).not.toMatch(/<a |<form|\bDE\b/);
  });

  it.each([
    ...['deny=EU', 'allow=', 'deny=DE,', 'allow=DE&allow=FR', 'deny=networks:none', 'deny=DE&dry_run=maybe'],
    ...[
      'denny=DE',
      'Deny=DE',
      'deny[]=DE',
      'fields=country;deny=DE',
      'fields=country?deny=DE',
      'deny',
      'key=1',
    ],
    ...['deny=::ffff:0:0/96', 'deny=0.0.0.0/0', 'fail_open=yes&deny=FR', '/auth/?DENY=DE'],
  ])('rejects %s', async (query) => {
    const url = query.startsWith('/') ? query : `/auth?${query}`;
    expect((await ask(url)).reply.statusCode).toBe(400);
  });

  const none = fixed<never>(undefined);
  const damaged = <T extends object>(info: T) =>
    fixed({
      info,
      find: () => {
        throw new UnreadableData('the database has a damaged entry');
      },
    });
  const knowsNothing = (city: LocationDatabase): LocationDatabase => ({
    ...city,
    find: () => ({ location: UNKNOWN_LOCATION, prefixLength: null }),
  });
  const germany = async () =>
    fixed(
      await openOverlay([
        { name: 'own.csv', bytes: Buffer.from('network,country,asn\n80.0.0.0/8,DE,AS3320\n') },
      ]),
    );

  // Each term by its own data: what is missing of another source changes nothing.
  it.each<
    [
      string,
      (city: LocationDatabase, asn: AsnDatabase) => Promise<TestAppOptions> | TestAppOptions,
      Readonly<Record<string, number>>,
    ]
  >([
    [
      'no city database',
      () => ({ locations: none }),
      {
        'deny=80.0.0.0/8': 403,
        'deny=AS3320': 403,
        'deny=AS1': 200,
        'deny=FR': 403,
        'deny=in_eu': 403,
        'deny=AS1,FR&fail_open=true': 200,
        'deny=unknown': 403,
        'deny=unknown&fail_open=true': 200,
        'deny=private': 200,
        'allow=DE&fail_open=true': 403,
        'allow=DE,unknown': 200,
        [`allow=${MUNICH}`]: 200,
      },
    ],
    [
      'a damaged city database',
      (city) => ({ locations: damaged(city.info) }),
      { 'deny=AS3320': 403, 'deny=AS1': 200, 'deny=FR': 403, 'deny=FR&fail_open=true': 200 },
    ],
    [
      'no ASN database',
      () => ({ operators: none }),
      { 'deny=FR': 200, 'deny=DE': 403, 'deny=AS1': 403, 'deny=AS1&fail_open=true': 200, 'allow=DE': 200 },
    ],
    [
      'a damaged ASN database',
      (_, asn) => ({ operators: damaged(asn.info) }),
      { 'deny=FR': 200, 'deny=DE': 403, 'deny=AS1': 403, 'allow=DE&fields=country,asn': 200 },
    ],
    [
      'no database of traits',
      () => ({ anonymous: none }),
      { 'deny=FR': 200, 'deny=is_bot': 403, 'deny=is_bot&fail_open=true': 200 },
    ],
    [
      'a damaged database of traits',
      (city) => ({ anonymous: damaged(city.info) }),
      { 'deny=FR': 200, 'deny=is_bot': 403 },
    ],
    [
      'an overlay alone',
      async () => ({ locations: none, operators: none, opened: { overlay: openedOverlay(await germany()) } }),
      { 'deny=DE': 403, 'deny=FR': 200, 'deny=AS3320': 403, 'deny=AS1': 200 },
    ],
    [
      'a second database alone',
      (city) => ({ locations: none, further: [fixed(city)] }),
      { 'deny=DE': 403, 'deny=FR': 200 },
    ],
    [
      'a second database that is not loaded, and may know what the first does not',
      (city) => ({ locations: fixed(knowsNothing(city)), further: [none] }),
      { 'deny=FR': 403, 'deny=in_eu': 403, 'deny=FR&fail_open=true': 200, 'allow=unknown': 200 },
    ],
    [
      'a second database that is not loaded, and an address that the first knows',
      () => ({ further: [none] }),
      { 'deny=FR': 200, 'deny=DE': 403, 'allow=DE': 200 },
    ],
  ])('decides by what is known with %s', async (_, options, expected) => {
    const app = await testApp(await options(await openCity(), await openAsn()));
    const statuses: Record<string, number> = {};
    for (const query of Object.keys(expected)) {
      statuses[query] = (await app.app.inject({ url: `/auth?${query}`, remoteAddress: MUNICH })).statusCode;
    }
    await app.app.close();
    expect(statuses).toEqual(expected);
  });

  it('informs of the fields whose data is sound', async () => {
    const { app } = await testApp({ operators: damaged((await openAsn()).info) });
    const { headers } = await app.inject({ url: '/auth?fields=country,asn,city', remoteAddress: MUNICH });
    expect(headers).toMatchObject({
      'x-geo-country': 'DE',
      'x-geo-city': 'Munich',
      'x-geo-asn': '',
      'x-geo-error': 'lookup-failed',
    });
  });

  it('forgets parameters that name lists when these are replaced', async () => {
    const listed = async (text: string) => {
      const parsed = await parseRuleFiles(
        [
          { name: 'rules', text: 'allow all' },
          { name: 'list', text },
        ],
        FLAG_FIELDS,
      );
      if ('violation' in parsed) throw new Error(parsed.violation);
      return parsed;
    };
    const accessRules = { ...fixed(await listed('192.0.2.1')) };
    const { app } = await testApp(withRules(accessRules));
    const ask = async () =>
      (await app.inject({ url: '/auth?deny=networks:list', remoteAddress: MUNICH })).statusCode;
    expect(await ask()).toBe(200);
    accessRules.current = await listed(MUNICH);
    expect(await ask()).toBe(403);
  });

  it('shows in /health that newer rules were rejected', async () => {
    const accessRules = fixed(await fileRules('deny DE'));
    const rejected = {
      ...accessRules,
      lastLoad: { ...accessRules.lastLoad!, outcome: 'rejected' as const, error: 'rules, line 2: …' },
    };
    const { app } = await testApp(withRules(rejected));
    expect((await app.inject('/health')).json()).toMatchObject({
      status: 'warn',
      checks: { rules: [{ status: 'warn', output: 'rules, line 2: …' }] },
    });
  });
});

it('headers are ASCII and decode back', () => {
  const headers = createGeoHeaders(ALL_FIELDS)({
    city: 'São Paulo 100%',
    country: 'BR',
    postal: null,
    region: 'x\r\ny\ud800',
  });
  expect(headers).toMatchObject({
    'x-geo-city': 'S%C3%A3o Paulo 100%25',
    'x-geo-country': 'BR',
    'x-geo-postal': '',
    'x-geo-region': 'x%0D%0Ay%EF%BF%BD',
  });
  expect(decodeURIComponent(headers['x-geo-city'] ?? '')).toBe('São Paulo 100%');
});

it('removes every header of /auth from requests to a site behind nginx', () => {
  // npx nx run ip-locate:geo-headers
  expect(readFileSync(FILE, 'utf8')).toBe(geoHeadersConf());
});
