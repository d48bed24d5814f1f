import { ReverseDns, type ReverseDnsResult } from './reverse-dns.ts';
import { parseAddress } from '@workspace/ip-addresses';
import { eventually } from '@workspace/testing';
import type { HostNames } from '../../application/host-names.ts';
import { MUNICH, testApp } from '../../../test/app.ts';
import { type DnsAnswer, type DnsServer, startDnsServer } from '../../../test/dns-server.ts';

/** For a server that answers: longer than a busy machine takes. */
const PATIENT_MS = 30_000;
/** For one that does not. */
const TIMEOUT_MS = 200;
const MUNICH_POINTER = '3.2.1.80.in-addr.arpa';

let server: DnsServer;
let answers: Map<string, DnsAnswer | Promise<DnsAnswer>>;
let names: ReverseDns;
let results: ReverseDnsResult[];
beforeEach(async () => {
  answers = new Map();
  results = [];
  server = await startDnsServer((question) => answers.get(question) ?? 'no such name');
  names = openNames();
});
afterEach(() => {
  names.close();
  server.close();
});

const openNames = ({ servers = [server.address], timeoutMs = PATIENT_MS } = {}) => {
  // Queries that a test leaves open end while the next one runs.
  const own = results;
  return new ReverseDns({ servers, timeoutMs, onResult: (result) => own.push(result) });
};

/** The service with these names. */
const using = async <T>(
  hostNames: HostNames | undefined,
  use: (app: Awaited<ReturnType<typeof testApp>>['app']) => Promise<T>,
): Promise<T> => {
  const { app } = await testApp({ opened: { 'host-names': { ...(hostNames && { hostNames }) } } });
  return use(app);
};

describe('hostname', () => {
  it('is the name of the host, in every format, for an address and the caller', async () => {
    answers.set(MUNICH_POINTER, { name: 'www.example.org' });
    await using(names, async (app) => {
      const get = async (url: string) => (await app.inject({ url, remoteAddress: MUNICH })).body;
      expect(await get(`/${MUNICH}/hostname/`)).toBe('www.example.org');
      expect(await get('/hostname/')).toBe('www.example.org');
      expect(await get(`/${MUNICH}/json/?fields=city,hostname`)).toBe(
        '{"city":"Munich","hostname":"www.example.org"}',
      );
      expect(await get(`/${MUNICH}/csv/?fields=hostname`)).toBe('hostname\r\nwww.example.org\r\n');
      expect(JSON.parse(await get('/json/?fields=all,hostname'))).toMatchObject({
        city: 'Munich',
        hostname: 'www.example.org',
      });
    });
    // Asked for once, and remembered.
    expect([server.questions, results]).toEqual([[MUNICH_POINTER], ['name']]);
  });

  it('is in the JSON of the index where DEFAULT_FIELDS has it', async () => {
    answers.set(MUNICH_POINTER, { name: 'www.example.org' });
    const { app } = await testApp({
      opened: { 'host-names': { hostNames: names } },
      settings: { defaultFields: ['ip', 'hostname'] },
    });
    const headers = { accept: 'application/json' };
    expect((await app.inject({ url: '/', remoteAddress: MUNICH, headers })).json()).toMatchObject({
      you: { ip: MUNICH, hostname: 'www.example.org' },
    });
    await app.close();
  });

  it('is asked for with every nibble of an IPv6 address', async () => {
    const pointer = `1${'.0'.repeat(27)}.0.0.a.2.ip6.arpa`;
    answers.set(pointer, { name: 'six.example.org' });
    await using(names, async (app) => {
      expect((await app.inject('/2a00::1/hostname/')).body).toBe('six.example.org');
    });
    expect(server.questions).toEqual([pointer]);
  });

  it.each([
    '/80.1.2.3/json/',
    '/80.1.2.3/json/?fields=all',
    '/80.1.2.3/city/',
    '/10.0.0.1/hostname/',
    '/nonsense./hostname/',
    '/auth?fields=hostname',
    '/80.1.2.3/city/?fields=hostname',
  ])('is not asked for by %s', async (url) => {
    await using(names, (app) => app.inject({ url, remoteAddress: MUNICH }));
    expect(server.questions).toEqual([]);
  });

  it('is null, or None, when REVERSE_DNS is off', async () => {
    await using(undefined, async (app) => {
      expect((await app.inject(`/${MUNICH}/hostname/`)).body).toBe('None');
      const reply = await app.inject(`/${MUNICH}/json/?fields=hostname`);
      expect([reply.body, reply.headers['cache-control']]).toEqual([
        '{"hostname":null}',
        'public, max-age=3600',
      ]);
    });
    expect(server.questions).toEqual([]);
  });

  it.each<[string, DnsAnswer, string, ReverseDnsResult]>([
    ['an address without a name', 'no such name', 'public, max-age=3600', 'no name'],
    ['markup for a name', { name: '<script>alert(1)</script>' }, 'public, max-age=3600', 'no name'],
    ['a failing server', 'server failure', 'no-store', 'failed'],
  ])('is null for %s', async (_what, answer, cacheControl, result) => {
    answers.set(MUNICH_POINTER, answer);
    await using(names, async (app) => {
      for (let time = 0; time < 2; time++) {
        const reply = await app.inject(`/${MUNICH}/json/?fields=city,hostname`);
        expect([reply.body, reply.headers['cache-control']]).toEqual([
          '{"city":"Munich","hostname":null}',
          cacheControl,
        ]);
      }
    });
    // Known for a while, too.
    expect(results).toEqual([result]);
  });

  it('has a validator of its own', async () => {
    await using(names, async (app) => {
      const url = `/${MUNICH}/json/?fields=hostname`;
      const etag = (await app.inject(url)).headers['etag'] as string;
      expect((await app.inject({ url, headers: { 'if-none-match': etag } })).statusCode).toBe(304);
      answers.set(MUNICH_POINTER, { name: 'www.example.org' });
      const { app: later } = await testApp({ opened: { 'host-names': { hostNames: openNames() } } });
      const reply = await later.inject({ url, headers: { 'if-none-match': etag } });
      expect([reply.statusCode, reply.body]).toEqual([200, '{"hostname":"www.example.org"}']);
    });
  });
});

describe('a DNS server that takes long', () => {
  it('holds an answer no longer than the timeout, and its name is in the next one', async () => {
    let answer: (name: DnsAnswer) => void = () => undefined;
    answers.set(MUNICH_POINTER, new Promise((resolve) => (answer = resolve)));
    const waiting = openNames({ timeoutMs: TIMEOUT_MS });
    await using(waiting, async (app) => {
      const url = `/${MUNICH}/json/?fields=city,hostname`;
      // The server answers after this.
      const reply = await app.inject(url);
      expect(reply.body).toBe('{"city":"Munich","hostname":null}');
      expect(reply.headers['cache-control']).toBe('no-store');
      answer({ name: 'slow.example.org' });
      while (results.length === 0) await new Promise(setImmediate);
      expect((await app.inject(url)).body).toBe('{"city":"Munich","hostname":"slow.example.org"}');
    });
    waiting.close();
  });

  it('holds up a limited number of answers at all, and of queries', async () => {
    const dead = await startDnsServer(() => 'silence');
    const waiting = openNames({ servers: [dead.address], timeoutMs: TIMEOUT_MS });
    const addresses = Array.from({ length: 400 }, (_, n) => parseAddress(`80.1.${n >> 8}.${n & 255}`)!);
    const found = addresses.map((address) => waiting.find(address));
    expect(results).toEqual(Array(400 - 256).fill('skipped'));
    // Many answers that want one name wait for one query.
    found.push(...Array.from({ length: 50 }, () => waiting.find(addresses[0]!)));
    expect(await Promise.all(found)).toEqual(Array(450).fill(undefined));
    await eventually('the queries', () => new Set(dead.questions).size === 256);
    waiting.close();
    dead.close();
  });
});

describe('hostname in batches', () => {
  it('is looked up for each address of an array, at the same time', async () => {
    answers.set(MUNICH_POINTER, { name: 'www.example.org' });
    answers.set('4.2.1.80.in-addr.arpa', 'server failure');
    await using(names, async (app) => {
      const reply = await app.inject({
        method: 'POST',
        url: '/batch?fields=ip,hostname',
        payload: [MUNICH, '10.0.0.1', '80.1.2.4', '80.1.2.5'],
      });
      expect(reply.json()).toMatchObject([
        { ip: MUNICH, hostname: 'www.example.org' },
        { error: true, reason: 'Reserved IP Address' },
        { ip: '80.1.2.4', hostname: null },
        { ip: '80.1.2.5', hostname: null },
      ]);
    });
  });

  it('is not in streams of lines', async () => {
    const stream = { 'content-type': 'application/x-ndjson' };
    await using(names, async (app) => {
      const payload = `"${MUNICH}"\n`;
      const reply = await app.inject({
        method: 'POST',
        url: '/batch?fields=hostname',
        headers: stream,
        payload,
      });
      expect([reply.statusCode, reply.json<{ type: string }>().type]).toEqual([
        400,
        'urn:problem-type:unknown-field',
      ]);
    });
    const { app } = await testApp({
      opened: { 'host-names': { hostNames: names } },
      settings: { defaultFields: ['city', 'hostname'] },
    });
    const reply = await app.inject({
      method: 'POST',
      url: '/batch',
      headers: stream,
      payload: `"${MUNICH}"\n`,
    });
    expect(reply.body).toBe('{"city":"Munich"}\n');
    expect(server.questions).toEqual([]);
  });
});
