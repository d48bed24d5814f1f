import { type EditedData, itFinds } from '../testing/edited-catalogue.ts';
import { publishedImmutable } from './changes.ts';
import { signingKeys } from './signing-keys.ts';

const KEY = 'A'.repeat(40);
const put = (data: EditedData, ...fingerprints: string[]) =>
  (data.catalogue.product.signing_keys = fingerprints.map((fingerprint) => ({
    fingerprint,
    manager: 'calvinb',
    branches: ['8.4'],
  })));
const sign = (data: EditedData, name: string) =>
  (data.release('8.4.24').signatures = { [name]: { fingerprint: KEY, armored: '' } });

itFinds(signingKeys, [
  [
    'a signature by a key on record',
    (data) => {
      put(data, KEY);
      sign(data, 'php-8.4.24.tar.xz');
    },
  ],
  [
    'a key that is there twice',
    (data) => put(data, KEY, KEY),
    `error signing-keys product.json#/signing_keys ${KEY}`,
  ],
  [
    'a signature by another key',
    (data) => {
      put(data, 'B'.repeat(40));
      sign(data, 'php-8.4.24.tar.xz');
    },
    'error signing-keys branches/8.4.json#/current/signatures 8.4.24 php-8.4.24.tar.xz',
  ],
  [
    'a signature of a file of another release',
    (data) => {
      put(data, KEY);
      sign(data, 'php-8.4.23.tar.xz');
    },
    'error signing-keys branches/8.4.json#/current/signatures 8.4.24 php-8.4.23.tar.xz',
  ],
]);
itFinds(publishedImmutable, [
  [
    'a signature that appears later',
    (data) => sign(data, 'php-8.4.24.tar.xz'),
    'error published-immutable branches/8.4.json#/current/signatures 8.4.24 /signatures',
  ],
]);
