import type { ProductFile } from '@workspace/release-catalogue';
import { copyOfFixture, editData, type TestService, testService } from './service.ts';

const KEY = 'A'.repeat(40);
const OLD = 'B'.repeat(40);
const block = (what: string, text: string) =>
  `-----BEGIN PGP ${what}-----\n\n${text}\n-----END PGP ${what}-----\n`;
const PUBLIC_KEY = block('PUBLIC KEY BLOCK', 'mDME');
const ASC = block('SIGNATURE', 'iHUE');

let service: TestService;
beforeAll(async () => {
  const folder = await copyOfFixture();
  await editData<ProductFile>(folder, 'product', (product) => {
    product.signing_keys = [
      { fingerprint: KEY, manager: 'calvinb', branches: ['8.4'], public_key: PUBLIC_KEY },
      { fingerprint: OLD, manager: 'pierrick', branches: ['8.5', '8.3'] },
    ];
  });
  await editData(folder, '8.4', ({ current }) => {
    current!.signatures = { 'php-8.4.24.tar.xz': { fingerprint: KEY, armored: ASC } };
  });
  service = await testService({}, { folder });
});
const get = (path: string) => service.app.inject(path);

describe('/api/v1/keys', () => {
  it('has the fingerprints of all managers, and of those of one branch', async () => {
    const { total, items } = (await get('/api/v1/keys')).json();
    expect([total, items]).toEqual([
      2,
      [
        { fingerprint: KEY, manager: 'calvinb', branches: ['8.4'], public_key: PUBLIC_KEY },
        { fingerprint: OLD, manager: 'pierrick', branches: ['8.5', '8.3'], public_key: null },
      ],
    ]);
    const ofBranch = (await get('/api/v1/keys?branch=8.5')).json();
    expect(ofBranch.items.map(({ manager }: { manager: string }) => manager)).toEqual(['pierrick']);
    expect((await get('/api/v1/keys?branch=9.9')).statusCode).toBe(404);
  });

  it('has no keys of data without keys', async () => {
    const { app } = await testService();
    expect((await app.inject('/api/v1/keys')).json()).toMatchObject({ total: 0, items: [] });
    const keyring = await app.inject('/api/v1/keyring.asc');
    expect([keyring.statusCode, keyring.json().type]).toEqual([404, 'urn:problem-type:no-public-keys']);
  });
});

it('/api/v1/keyring.asc has the public keys on record', async () => {
  const { headers, body } = await get('/api/v1/keyring.asc');
  expect([headers['content-type'], body]).toEqual(['application/pgp-keys', PUBLIC_KEY]);
});

it('/api/v1/releases/{version} has the signature of each file', async () => {
  const { files } = (await get('/api/v1/releases/8.4.24')).json().item;
  expect(files.map(({ signature }: { signature: unknown }) => signature)).toEqual([
    null,
    null,
    { fingerprint: KEY, asc: ASC },
  ]);
});

it.each([
  [
    '8_4_24',
    'has to be this (',
    'https://releases.example/api/v1/keyring.asc',
    `calvinb</dt><dd><code>${'AAAA '.repeat(9)}AAAA<`,
  ],
  ['8_4_23', 'has to be this (', 'https://releases.example/api/v1/keyring.asc', 'calvinb'],
  ['8_5_9', 'has to be this (', 'https://www.php.net/distributions/php-keyring.gpg', 'pierrick'],
])('the page of %s says which key signed it, and where it is', async (version, sentence, keyring, key) => {
  const { body } = await get(`/releases/${version}.php`);
  expect(body).toContain(sentence);
  expect(body).toContain(`curl -fsSL &apos;${keyring}&apos; | gpg --import`);
  expect(body).toContain(`<dl class="dates"><dt>${key}`);
});
