import { join } from 'node:path';
import { type KeyFile, keyFile } from './key-file.ts';
import { type Proxy, proxyFrom } from './proxy.ts';
import { type RunningService, startService } from './service.ts';
import { describeWith, runTool } from '@workspace/testing';
import { type DnsServer, startDnsServer } from '../test/dns-server.ts';
import { pythonWithClients } from './tools.ts';

/** Every field that the clients know, as text. */
const GOOGLE_FIELDS = {
  ip: '8.8.8.8',
  city: 'Mountain View',
  region: 'California',
  region_code: 'None',
  country: 'US',
  country_code: 'US',
  country_code_iso3: 'USA',
  country_capital: 'Washington',
  country_tld: '.us',
  country_name: 'United States',
  continent_code: 'NA',
  in_eu: 'False',
  postal: 'None',
  latitude: '37.422',
  longitude: '-122.085',
  timezone: 'America/Los_Angeles',
  utc_offset: expect.stringMatching(/^-0[78]00$/),
  country_calling_code: '+1',
  currency: 'USD',
  currency_name: 'Dollar',
  languages: 'en-US,es-US,haw,fr',
  country_area: '9629091',
  country_population: '341963000',
  latlong: '37.422,-122.085',
  asn: 'AS15169',
  org: 'Google LLC',
};
const GOOGLE = { ip: '8.8.8.8', city: 'Mountain View', country: 'US', timezone: 'America/Los_Angeles' };

describeWith(['python3'], 'the clients from PyPI, unmodified', () => {
  let service: RunningService;
  let limited: RunningService;
  let full: RunningService;
  let proxy: Proxy;
  let keys: KeyFile;
  let dns: DnsServer;
  let python: string;
  beforeAll(async () => {
    python = await pythonWithClients();
    keys = keyFile({ 'secret-key': '' });
    dns = await startDnsServer(() => ({ name: 'dns.google' }));
    service = await startService({
      TRUST_PROXY: 'loopback',
      API_KEYS_FILE: keys.path,
      REVERSE_DNS: 'true',
      REVERSE_DNS_SERVERS: dns.address,
      // The machine may be busy.
      REVERSE_DNS_TIMEOUT_MS: '10000',
    });
    limited = await startService({ TRUST_PROXY: 'loopback', RATE_LIMIT: '1/hour' });
    full = await startService({ DEFAULT_FIELDS: 'all' });
    proxy = await proxyFrom('8.8.8.8', service.port);
  });
  afterAll(async () => {
    proxy.close();
    await service.stop();
    await limited.stop();
    await full.stop();
    keys.remove();
    dns.close();
  });

  /** What a Python script prints, as JSON. */
  const run = async (script: string, port = proxy.port): Promise<unknown> =>
    JSON.parse(await runTool(python, [join(__dirname, 'clients', script), `http://127.0.0.1:${port}`]));

  it('ipyapi: locations, fields, raw formats, batches, and each error as its own exception', async () => {
    expect(await run('ipyapi_client.py')).toMatchObject({
      caller: GOOGLE,
      object: { ...GOOGLE, latitude: 37.422, postal: null },
      ipv6: '2001:4860:4860::8888',
      batch: ['8.8.8.8', '1.1.1.1'],
      async_city: 'Mountain View',
      fields: {
        ip: '8.8.8.8',
        city: 'Mountain View',
        country: 'US',
        country_name: 'United States',
        timezone: 'America/Los_Angeles',
        currency: 'USD',
        asn: 'AS15169',
        org: 'Google LLC',
      },
      raw: { json: '{"ip":"', csv: 'ip,city', xml: '<?xml v', yaml: 'ip: "8.', jsonp: '/**/cal' },
      reserved: [
        'ReservedIPAddressError',
        'Reserved IP address: 10.0.0.1 is in a reserved range: private use.',
      ],
      invalid: ['InvalidIPAddressError', expect.stringContaining('without a zone')],
      not_found: ['NotFoundError', expect.any(String)],
      wrong_key: ['ForbiddenError', expect.any(String)],
      every_field: { ...GOOGLE_FIELDS, network: '8.8.8.0/24', version: 'IPv4', hostname: 'dns.google' },
    });
  });

  it('ipyapi: reads the whole record under DEFAULT_FIELDS=all', async () => {
    expect(await run('ipyapi_full_record.py', full.port)).toMatchObject({
      country: 'DE',
      country_code: 'DE',
      country_code_iso3: 'DEU',
      country_name: 'Germany',
      country_capital: 'Berlin',
      country_tld: '.de',
      country_calling_code: '+49',
      currency: 'EUR',
      currency_name: 'Euro',
      languages: 'de',
      country_area: 357021,
      country_population: 84119100,
      continent_code: 'EU',
      in_eu: true,
      version: 'IPv4',
      utc_offset: expect.stringMatching(/^\+0[12]00$/),
    });
  });

  it('ipyapi: the rate limit as its own exception', async () => {
    await fetch(`${limited.url}/8.8.8.8/json/`);
    expect(await run('ipyapi_rate_limit.py', limited.port)).toEqual(['RateLimitError']);
  });

  it('ipapi: locations, fields, formats, and errors as exceptions with the body', async () => {
    expect(await run('ipapi_client.py')).toMatchObject({
      caller: GOOGLE,
      address: GOOGLE,
      key: GOOGLE,
      wrong_key: ['AuthorizationFailed', { error: true, reason: 'Invalid Key' }],
      city: 'Mountain View',
      csv: expect.stringMatching(/^ip,city/),
      invalid: ['Exception', { error: true, reason: 'Invalid IP Address' }],
      reserved: ['Exception', { error: true, reason: 'Reserved IP Address', reserved: true }],
      not_found: ['PageNotFound', { error: true, status: 404 }],
      fields: GOOGLE_FIELDS,
    });
  });

  it('ipapi: the rate limit as its own exception', async () => {
    expect(await run('ipapi_rate_limit.py', limited.port)).toMatchObject([
      'RateLimited',
      { reason: 'RateLimited' },
    ]);
  });
});
