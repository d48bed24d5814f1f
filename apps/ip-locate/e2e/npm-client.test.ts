import https from 'node:https';
import net from 'node:net';
import { type KeyFile, keyFile } from './key-file.ts';
import { type Proxy, proxyFrom } from './proxy.ts';
import { type RunningService, startService } from './service.ts';

interface Client {
  location(
    callback: (answer: unknown) => void,
    ip?: string,
    key?: string,
    field?: string,
  ): string | undefined;
}
// The package has no types. It is used as it is: only the socket underneath leads here instead of to ipapi.co.
const client = jest.requireActual<Client>('ipapi.co');

const FIELDS = ['ip', 'city', 'region', 'country', 'postal', 'latitude', 'longitude', 'timezone', 'latlong'];
const GOOGLE = { ip: '8.8.8.8', city: 'Mountain View', country: 'US', timezone: 'America/Los_Angeles' };
const { createConnection } = https.globalAgent as unknown as { createConnection: unknown };

let service: RunningService;
let proxy: Proxy;
let keys: KeyFile;
beforeAll(async () => {
  keys = keyFile({ 'secret-key': '' });
  service = await startService({ TRUST_PROXY: 'loopback', API_KEYS_FILE: keys.path });
  proxy = await proxyFrom('8.8.8.8', service.port);
  Object.assign(https.globalAgent, { createConnection: () => net.connect(proxy.port, '127.0.0.1') });
});
afterAll(async () => {
  Object.assign(https.globalAgent, { createConnection });
  https.globalAgent.destroy();
  proxy.close();
  await service.stop();
  keys.remove();
});

const location = (ip?: string, key?: string, field?: string) =>
  new Promise<unknown>((resolve, reject) => {
    const fault = client.location(resolve, ip, key, field);
    if (fault !== undefined) reject(new Error(fault));
  });

describe('the npm client ipapi.co, unmodified', () => {
  it('locates the caller', async () => {
    expect(await location()).toMatchObject(GOOGLE);
  });

  it.each([undefined, 'secret-key'])('locates an address, with the key %j', async (key) => {
    const answer = await location('8.8.8.8', key);
    expect(answer).toMatchObject(GOOGLE);
    expect(Object.keys(answer as object)).toEqual(FIELDS.slice(0, 8));
  });

  it('gets an error for an unknown key', async () => {
    expect(await location('8.8.8.8', 'another-key')).toMatchObject({ error: true, reason: 'Invalid Key' });
  });

  it('locates an IPv6 address', async () => {
    expect(await location('2001:4860:4860::8888')).toMatchObject({
      ip: '2001:4860:4860::8888',
      city: expect.any(String),
    });
  });

  it('takes an empty address for the caller, as its README shows', async () => {
    expect(await location('')).toMatchObject(GOOGLE);
    expect(await location('', '', 'ip')).toBe('8.8.8.8');
  });

  it.each(FIELDS)('asks for the field %s, of an address and of the caller', async (field) => {
    const record = {
      ...((await location('8.8.8.8')) as Record<string, unknown>),
      latlong: '37.422,-122.085',
    } as Record<string, unknown>;
    const expected = String(record[field] ?? 'None');
    expect(await location('8.8.8.8', '', field)).toBe(expected);
    expect(await location(undefined, '', field)).toBe(expected);
  });

  it.each([
    ['nonsense', 'Invalid IP Address'],
    ['127.0.0.1', 'Reserved IP Address'],
  ])('gets an error for %s', async (ip, reason) => {
    expect(await location(ip)).toMatchObject({ error: true, reason, ip });
  });
});
