import { ConfigError, readConfig } from '@workspace/service-process';
import { MUNICH, testApp } from '../../../test/app.ts';
import { settingsOf } from '../../config.ts';
import type { Opened } from '../../extension-points.ts';
import { bothFamilies } from './index.ts';

const opened = (settings: Record<string, string>): Opened =>
  bothFamilies.open(readConfig(settingsOf([bothFamilies]), settings) as never, {} as never) as Opened;
const pageWith = async (option: Opened, url = '/', remoteAddress = MUNICH) => {
  const { app } = await testApp({ opened: { 'both-families': option } });
  const { headers, body } = await app.inject({ url, remoteAddress, headers: { accept: 'text/html' } });
  return { policy: String(headers['content-security-policy']), body };
};
const BOTH = { IPV4_URL: 'https://ipv4.example.org/', IPV6_URL: 'https://example.org/ipv6/' };

describe('both addresses of a visitor', () => {
  it('are asked for by a script that may ask those hosts and no other', async () => {
    const { policy, body } = await pageWith(opened(BOTH));
    expect(policy).toMatch(/; script-src 'sha256-[^']+'; /);
    expect(policy).toContain('; connect-src https://ipv4.example.org https://example.org; ');
    expect(
      [...body.matchAll(/data-url="([^"]+)" hidden>([^<]+)<code><\/code>/g)].map(([, ...of]) => of),
    ).toEqual(Object.values(BOTH).map((url) => [url, 'Your address is ']));
  });

  it.each(['/8.8.8.8', '/?ip=8.8.8.8', '/?addresses=8.8.8.8', '/no/such/page'])(
    'are not asked for by %s, which is about something else',
    async (url) => {
      const { policy, body } = await pageWith(opened(BOTH), url);
      expect(policy).not.toMatch(/script-src|connect-src/);
      expect(body).not.toMatch(/<script|data-url/);
    },
  );

  it('may be one, and need an URL', async () => {
    const { policy, body } = await pageWith(opened({ IPV6_URL: BOTH.IPV6_URL }), '/', '192.168.1.5');
    expect(policy).toContain('; connect-src https://example.org; ');
    expect(body.match(/data-url/g)).toHaveLength(2);
    expect(opened({})).toBeUndefined();
    expect(() => opened({ IPV4_URL: 'ipv4.example.org' })).toThrow(ConfigError);
    expect(() => opened({ IPV4_URL: 'https://ipv4.example.org/?x=1' })).toThrow(ConfigError);
  });
});
