import { createClientAddress } from '@workspace/service-kit/client-address';
import { MUNICH, testApp } from './app.ts';

describe('the caller over HTTP', () => {
  it.each([
    [{ 'x-forwarded-for': `1.1.1.1, ${MUNICH}` }, 'Munich'],
    [{ 'x-forwarded-for': `${MUNICH}:4711` }, 'Munich'],
    [{ 'cf-connecting-ip': MUNICH, 'x-forwarded-for': '1.1.1.1' }, 'Munich'],
  ])('%j', async (headers, city) => {
    const { app } = await testApp({
      settings: {
        clientAddressOf: createClientAddress({
          TRUST_PROXY: 'loopback',
          CLIENT_IP_HEADER: 'cf-connecting-ip',
        }),
      },
    });
    const reply = await app.inject({ url: '/city/', headers, remoteAddress: '127.0.0.1' });
    expect(reply.body).toBe(city);
  });

  it('answers 400 when the deciding claim is no address, and does not echo it', async () => {
    const { app } = await testApp();
    const reply = await app.inject({
      url: '/json/',
      headers: { 'x-forwarded-for': '"><script>' },
      remoteAddress: '127.0.0.1',
    });
    expect(reply.statusCode).toBe(400);
    expect(reply.json()).toMatchObject({ error: true, type: 'urn:problem-type:unknown-caller' });
    expect(reply.body).not.toContain('script');
  });
});
