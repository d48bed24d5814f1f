import { listenerNames, listeners, scramArguments } from './listeners.ts';

const sasl = { username: 'alice', password: 'pw' };
const tls = { keystore: '/k.p12', password: 'p', pem: 'PEM' };

describe('listeners', () => {
  it('is one plain listener unless more is asked for', () => {
    expect(listeners({}, [20001])).toEqual([{ name: 'PLAINTEXT', protocol: 'PLAINTEXT', port: 20001 }]);
  });

  it('has one for each wish, and one for SASL over TLS', () => {
    const wishes = { viaAdvertisedPort: 9, sasl, tls };
    expect(listenerNames(wishes)).toEqual(['PLAINTEXT', 'VIA', 'SASL', 'TLS', 'SASL_TLS']);
    const made = listeners(wishes, [1, 2, 3, 4, 5]);
    expect(made.map(({ protocol, port }) => [protocol, port])).toEqual([
      ['PLAINTEXT', 1],
      ['PLAINTEXT', 2],
      ['SASL_PLAINTEXT', 3],
      ['SSL', 4],
      ['SASL_SSL', 5],
    ]);
    expect(made[1]!.advertisedPort).toBe(9);
    expect(made[2]!.settings).toMatchObject({
      'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
    });
    expect(made[4]!.settings).toMatchObject({
      'ssl.keystore.location': '/k.p12',
      'plain.sasl.jaas.config': expect.stringContaining('user_alice="pw"'),
    });
  });
});

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

describe('scramArguments', () => {
  it('creates the user for both mechanisms', () => {
    expect(scramArguments(sasl)).toEqual([
      '--add-scram',
      'SCRAM-SHA-256=[name=alice,password=pw]',
      '--add-scram',
      'SCRAM-SHA-512=[name=alice,password=pw]',
    ]);
  });
});
