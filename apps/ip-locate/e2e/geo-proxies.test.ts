import { describeWith, missingTools } from '@workspace/testing';
import { FIELD_NAMES } from '../src/http/lookup/fields.ts';
import { geoHeader } from '../src/features/access-rules/geo-headers.ts';
import { PROXIES, type ProxySetup, type RunningProxy, startProxy, trustedProxies } from './geo-proxies.ts';
import { type Received, sendRaw, startRelay, startSite } from './geo-site.ts';
import { type RunningService, startService } from './service.ts';

/** A visitor's request, and the location that the site must be told: by an address, or the reason why there is none. */
interface Visit {
  readonly name: string;
  readonly headers: readonly string[];
  readonly expected: Readonly<Record<string, string>>;
  readonly start?: string;
  readonly body?: string;
  readonly status?: number;
  /** the status of the site for which ip-locate decides, if it does not admit the visitor */
  readonly decided?: number;
}

const AMERICAN = { country: 'US', city: 'Mountain View' };
const DUTCH = { country: 'NL' };
const forged = (name: string): string => `${name}: forged`;
const ALL_NAMES = [...FIELD_NAMES, 'error', 'decision', 'reason'].map(geoHeader);

/**
 * The next proxy of the visitor writes the last entry of X-Forwarded-For; all else is the visitor's own. `forged` marks what must
 * not arrive.
 */
const VISITS: readonly Visit[] = [
  { name: 'nothing', headers: ['X-Forwarded-For: 8.8.8.8'], expected: AMERICAN },
  {
    name: 'every header of /auth',
    headers: ['X-Forwarded-For: 91.198.174.192', ...ALL_NAMES.map(forged)],
    expected: DUTCH,
  },
  {
    name: 'a header twice, in other letters',
    headers: [
      'X-GEO-COUNTRY: forged',
      'X-Forwarded-For: 8.8.8.8',
      'x-geo-country: forged',
      'X-Geo-Error: forged',
    ],
    expected: AMERICAN,
  },
  {
    name: 'underscores',
    headers: [
      'X-Forwarded-For: 8.8.8.8',
      ...['x_geo_country', 'X-Geo_Country', 'X_Geo-City', 'X_GEO_POSTAL'].map(forged),
    ],
    expected: AMERICAN,
  },
  {
    name: 'several X-Forwarded-For',
    headers: ['X-Forwarded-For: 91.198.174.192', 'X-Forwarded-For: 1.1.1.1, 8.8.8.8'],
    expected: AMERICAN,
  },
  {
    name: 'entries of its own before the last',
    headers: ['X-Forwarded-For: "><script>, 127.0.0.1, 91.198.174.192, unknown, 8.8.8.8'],
    expected: AMERICAN,
  },
  {
    name: 'an address with a zone',
    headers: ['X-Forwarded-For: 8.8.8.8, fe80::1%eth0', forged('x-geo-country')],
    expected: { error: 'unknown-caller' },
    decided: 403,
  },
  { name: 'a mapped address', headers: ['X-Forwarded-For: ::ffff:8.8.8.8'], expected: AMERICAN },
  { name: 'IPv6', headers: ['X-Forwarded-For: 1.1.1.1, 2001:4860:4860::8888'], expected: { country: 'CA' } },
  {
    name: 'no address, and other headers that name one',
    headers: [
      'X-Forwarded-For:',
      ...['X-Real-IP', 'True-Client-IP', 'CF-Connecting-IP', 'X-Client-IP'].map((name) => `${name}: 8.8.8.8`),
      'Forwarded: for=8.8.8.8',
      forged('x-geo-country'),
    ],
    expected: { error: 'reserved-address' },
  },
  {
    name: 'HTTP/1.0',
    start: 'GET /old HTTP/1.0',
    headers: ['X-Forwarded-For: 8.8.8.8', forged('x-geo-country'), forged('x-geo-org')],
    expected: AMERICAN,
  },
  {
    name: 'an upgrade to WebSocket',
    headers: [
      ...['X-Forwarded-For: 8.8.8.8', forged('x-geo-country'), forged('X_Geo_City')],
      ...['Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='],
    ],
    status: 101,
    expected: AMERICAN,
  },
  {
    name: 'a query and a body that look like ours',
    start: 'POST /shop/../auth?fields=ip&deny=US&allow=all&dry_run=true&lang=ja HTTP/1.1',
    headers: [
      'X-Forwarded-For: 8.8.8.8',
      'Content-Type: application/json',
      'Content-Length: 9',
      forged('x-geo-ip'),
    ],
    body: '{nonsense',
    expected: AMERICAN,
  },
];

const long = (length: number): string => 'a'.repeat(length);
const CHAIN = 'X-Forwarded-For: ';

/** What a visitor can write into the head of a request before the next proxy adds the visitor's address. */
const HOSTILE: readonly (Omit<Visit, 'expected'> & { readonly isRejected?: boolean })[] = [
  { name: 'three headers of 7 kB', headers: ['A: ', 'B: ', 'C: '].map((name) => name + long(7_000)) },
  {
    name: 'a cookie and a login of 7 kB',
    headers: [`Cookie: a=${long(7_000)}`, `Authorization: Bearer ${long(7_000)}`],
  },
  {
    name: 'headers of 7 kB for the check',
    headers: ['Uri', 'Method', 'Host', 'Proto'].map((name) => `X-Forwarded-${name}: ${long(3_000)}`),
  },
  { name: '80 headers', headers: Array.from({ length: 80 }, (_, at) => `A${at}: b`) },
  { name: '2,200 headers', headers: Array.from({ length: 2_200 }, (_, at) => `A${at}:`), isRejected: true },
  { name: 'byte 1 in a header', headers: ['A: \u0001'] },
  { name: 'byte 1 in X-Forwarded-For', headers: [`${CHAIN}\u0001`] },
  { name: 'byte 127 in X-Forwarded-For', headers: [`${CHAIN}8.8.8.8\u007f`] },
  { name: 'other bytes in X-Forwarded-For', headers: [`${CHAIN}\u00e4\u00ff, \t`] },
  { name: 'a long X-Forwarded-For', headers: [CHAIN + long(7_000)] },
  { name: 'a long X-Forwarded-For of addresses', headers: [CHAIN + '127.0.0.1, '.repeat(600)] },
  { name: 'three long X-Forwarded-For', headers: [1, 2, 3].map(() => CHAIN + '8.8.8.8, '.repeat(700)) },
  { name: 'X-Forwarded-For of commas', headers: [CHAIN + ','.repeat(3_000)] },
  {
    name: 'X-Forwarded-For in other letters',
    headers: ['x-forwarded-for: 8.8.8.8', 'X_Forwarded_For: 8.8.8.8'],
  },
  { name: 'Forwarded', headers: ['Forwarded: for=8.8.8.8;by=8.8.8.8'] },
  ...[
    'X-Geo-Country, X-Geo-City',
    'close, x-geo-country',
    'X-Forwarded-For',
    'X-Geo-Country, Upgrade',
    'X_Geo_Country',
    'Host',
    'Authorization, X-Geo-Error',
  ].map((names) => ({
    name: `Connection: ${names}`,
    headers: [`Connection: ${names}`, forged('X-Geo-Country')],
  })),
  { name: 'a long URL', start: `GET /${long(7_000)}?${long(500)} HTTP/1.1`, headers: [] },
  { name: 'a URL with rules', start: 'GET /auth/?deny=DE&allow=all&fail_open=true HTTP/1.1', headers: [] },
  ...[
    'GET /%00%zz',
    'GET //a/../../auth',
    'GET http://other.example/',
    'M-SEARCH /',
    'PROPFIND /',
    'OPTIONS /',
    'HEAD /',
  ].map((start) => ({ name: start, start: `${start} HTTP/1.1`, headers: [] })),
  {
    name: 'a body that does not come',
    start: 'POST / HTTP/1.1',
    headers: ['Expect: 100-continue', 'Content-Length: 0'],
  },
  { name: 'an expectation', headers: ['Expect: banana'] },
  { name: 'a condition and a range', headers: ['If-None-Match: *', 'If-Match: "a"', 'Range: bytes=0-0'] },
  { name: 'another Host', headers: ['X-Forwarded-Host: other', 'X-Original-URL: /', 'X-Rewrite-URL: /auth'] },
  { name: 'HTTP/1.0 without Host', start: 'GET / HTTP/1.0', headers: [] },
];

const requestOf = ({ start = 'GET / HTTP/1.1', headers, body = '', status }: Visit): string =>
  [start, 'Host: site', ...headers, `Connection: ${status === 101 ? 'Upgrade' : 'close'}`, '', body].join(
    '\r\n',
  );

const geoOf = ({ headers }: Received): Record<string, string> =>
  Object.fromEntries(
    headers
      .filter(([name, value]) => /^x[-_]geo[-_]/i.test(name) && value !== '')
      .map(([name, value]) => [name.toLowerCase().slice(6), value]),
  );

const present = PROXIES.filter(({ tool }) => missingTools(tool).length === 0);

describe('proxies that ask /auth', () => {
  let service: RunningService;
  let site: Awaited<ReturnType<typeof startSite>>;
  let relays: Awaited<ReturnType<typeof startRelay>>[];
  const proxies = new Map<string, RunningProxy>();

  beforeAll(async () => {
    service = await startService({ TRUST_PROXY: trustedProxies() });
    site = await startSite();
    relays = [await startRelay(service.port)];
    const ports = { http: relays[0]!.port, site: site.port };
    const starts = await Promise.allSettled(
      present.map(async (setup) => proxies.set(setup.name, await startProxy(setup, ports))),
    );
    for (const start of starts) if (start.status === 'rejected') throw start.reason;
    // Making the Python environment for the first time is part of it.
  });
  afterAll(async () => {
    await Promise.all([...proxies.values()].map((proxy) => proxy.stop()));
    for (const relay of relays) relay.close();
    site.close();
    await service.stop();
  });

  /** Visits a site, and returns the status and what the site received. */
  const visit = async (port: number, request: string) => {
    const before = site.received.length;
    const { status, answer } = await sendRaw(port, request);
    return { status, answer, received: site.received.slice(before) };
  };
  const sitesOf = ({ name, informs }: ProxySetup): [string, number][] => {
    const proxy = proxies.get(name)!;
    return [
      ...(informs ? ([['informs', proxy.informs]] as [string, number][]) : []),
      ['decides', proxy.decides],
    ];
  };

  const testsOf = (setup: ProxySetup) => () => {
    it.each(VISITS)('tells the site where the visitor is that sends $name', async (sent) => {
      for (const [mode, port] of sitesOf(setup)) {
        const { status, received, answer } = await visit(port, requestOf(sent));
        if (mode === 'decides' && sent.decided !== undefined) {
          expect([status, received]).toEqual([sent.decided, []]);
          continue;
        }
        expect([mode, status, answer]).toEqual([mode, sent.status ?? 200, expect.anything()]);
        expect(received).toHaveLength(1);
        expect(JSON.stringify(received)).not.toContain('forged');
        expect(received[0]!.body).toBe(sent.body ?? '');
        expect(geoOf(received[0]!)).toMatchObject(sent.expected);
      }
    });

    it('keeps what a visitor logs in with from the service, and hands it to the site', async () => {
      const headers = [`${CHAIN}8.8.8.8`, 'Cookie: session=secret', 'Authorization: Bearer secret'];
      for (const [, port] of sitesOf(setup)) {
        const asked = relays[0]!.chunks;
        const { received } = await visit(port, requestOf({ name: '', headers, expected: {} }));
        expect(relays[0]!.chunks).toBeGreaterThan(asked);
        expect(relays[0]!.asked).not.toContain('secret');
        expect(JSON.stringify(received).match(/secret/g)).toHaveLength(2);
      }
    });

    it.each(HOSTILE)('admits no one by $name whom rules deny, and hides no one', async (sent) => {
      const visitFrom = async (port: number, address: string) => {
        const headers = [...sent.headers, `${CHAIN}${address}`];
        const { received } = await visit(port, requestOf({ ...sent, headers, expected: {} }));
        return { countries: received.map((one) => geoOf(one)['country']), received };
      };
      const { decides } = proxies.get(setup.name)!;
      // North Korea.
      expect(await visitFrom(decides, '175.45.176.1')).toMatchObject({ received: [] });
      for (const [mode, port] of sitesOf(setup)) {
        const asked = relays[0]!.chunks;
        const { countries, received } = await visitFrom(port, '8.8.8.8');
        // A proxy may reject a head by itself. The service rejects no visitor but for more than 200 header fields, which Caddy alone sends.
        const isRejected = sent.isRejected && setup.name === 'Caddy';
        const isAdmitted = relays[0]!.chunks > asked && !isRejected;
        expect([mode, countries]).toEqual([mode, isAdmitted ? ['US'] : []]);
        expect(JSON.stringify(received)).not.toContain('forged');
      }
    });
  };
  for (const setup of PROXIES) describeWith([setup.tool], setup.name, testsOf(setup));

  const FAILURES: [string, () => unknown, () => unknown][] = [
    [
      'slow',
      () => relays.forEach((relay) => relay.slow(true)),
      () => relays.forEach((relay) => relay.slow(false)),
    ],
    ['frozen', () => service.child.kill('SIGSTOP'), () => service.child.kill('SIGCONT')],
    ['stopped', () => service.stop(), () => undefined],
  ];
  it.each(FAILURES)(
    'are open or closed, as they are configured, while the service is %s',
    async (name, fail, recover) => {
      const body = 'a body that is sent once';
      const request = requestOf({
        name,
        start: 'POST / HTTP/1.1',
        headers: [
          `Content-Length: ${body.length}`,
          'X-Forwarded-For: 8.8.8.8',
          ...[...ALL_NAMES, 'x_geo_country'].map(forged),
        ],
        body,
        expected: {},
      });
      const before = site.received.length;
      await fail();
      try {
        const outcomes = await Promise.all(
          present.flatMap((setup) =>
            sitesOf(setup).map(async ([mode, port]) => {
              const { status, answer } = await sendRaw(port, request);
              return [setup.name, mode, answer.includes('reached the site'), status >= 500];
            }),
          ),
        );
        expect(outcomes).toEqual(
          present.flatMap((setup) =>
            sitesOf(setup).map(([mode]) => [setup.name, mode, mode === 'informs', mode === 'decides']),
          ),
        );
        const received = site.received.slice(before);
        expect(JSON.stringify(received)).not.toContain('forged');
        expect(received.map((one) => one.body)).toEqual(
          present.filter(({ informs }) => informs).map(() => body),
        );
        expect(received.map(geoOf)).toEqual(received.map(() => ({})));
      } finally {
        await recover();
      }
      if (name === 'stopped') return;
      for (const setup of present)
        for (const [, port] of sitesOf(setup)) {
          const { received } = await visit(port, requestOf(VISITS[0]!));
          expect([setup.name, received[0] && geoOf(received[0])]).toEqual([
            setup.name,
            expect.objectContaining(AMERICAN),
          ]);
        }
    },
  );
});
