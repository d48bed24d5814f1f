import { listeners } from './listeners.ts';

const tls = { keystore: '/k.p12', password: 'p', pem: 'PEM' };

describe('listeners for several proxies', () => {
  it('advertise a port each', () => {
    const wishes = { viaAdvertisedPort: [8, 9], tls };
    const made = listeners(wishes, [1, 2, 3, 4]);
    expect(made.map(({ name, port, advertisedPort }) => [name, port, advertisedPort])).toEqual([
      ['PLAINTEXT', 1, undefined],
      ['VIA_1', 2, 8],
      ['VIA_2', 3, 9],
      ['TLS', 4, undefined],
    ]);
  });
});
