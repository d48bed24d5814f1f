import { type EditedData, newViolations, type RuleCase } from '../testing/edited-catalogue.ts';
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

const cases: RuleCase[] = [
  {
    title: 'a signature by a key on record',
    rule: signingKeys,
    edit: (data) => {
      put(data, KEY);
      sign(data, 'php-8.4.24.tar.xz');
    },
    finds: [],
  },
  {
    title: 'a key that is there twice',
    rule: signingKeys,
    edit: (data) => put(data, KEY, KEY),
    finds: [`error signing-keys product.json#/signing_keys ${KEY}`],
  },
  {
    title: 'a signature by another key',
    rule: signingKeys,
    edit: (data) => {
      put(data, 'B'.repeat(40));
      sign(data, 'php-8.4.24.tar.xz');
    },
    finds: ['error signing-keys branches/8.4.json#/current/signatures 8.4.24 php-8.4.24.tar.xz'],
  },
  {
    title: 'a signature of a file of another release',
    rule: signingKeys,
    edit: (data) => {
      put(data, KEY);
      sign(data, 'php-8.4.23.tar.xz');
    },
    finds: ['error signing-keys branches/8.4.json#/current/signatures 8.4.24 php-8.4.23.tar.xz'],
  },
  {
    title: 'a signature that appears later',
    rule: publishedImmutable,
    edit: (data) => sign(data, 'php-8.4.24.tar.xz'),
    finds: ['error published-immutable branches/8.4.json#/current/signatures 8.4.24 /signatures'],
  },
];

it.each(cases)('$rule.name: $title', (rule) => {
  expect(newViolations(rule)).toEqual(rule.finds);
});
