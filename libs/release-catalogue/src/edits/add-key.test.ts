import { edited, NOW, REAL } from '../testing/edited-catalogue.ts';
import { addKey } from './add-key.ts';

const other = { fingerprint: 'AA', manager: 'daniels', branches: ['8.5'], public_key: 'key of daniels' };
const known = { fingerprint: 'BB', manager: 'calvinb', branches: ['8.4'], public_key: 'key of calvinb' };
const withKeys = edited(({ catalogue }) => (catalogue.product.signing_keys = [known, other]));
const added = {
  fingerprint: 'CC',
  publicKey: 'key of bukka',
  manager: 'bukka',
  branches: ['8.3', '8.2', '8.3'],
};
const asRecorded = {
  fingerprint: 'CC',
  manager: 'bukka',
  branches: ['8.3', '8.2'],
  public_key: 'key of bukka',
};

describe('adding a key', () => {
  it('puts the first one on record', () => {
    expect(addKey(REAL, added, NOW)).toStrictEqual({
      ...REAL.product,
      updated: '2026-08-27T09:00:00Z',
      signing_keys: [asRecorded],
    });
  });

  it('puts another one after those on record', () => {
    expect(addKey(withKeys, added, NOW).signing_keys).toStrictEqual([known, other, asRecorded]);
  });

  it('replaces a key and adds branches to those that it signs', () => {
    const newer = { fingerprint: 'BB', publicKey: 'extended', manager: 'calvinb', branches: ['8.5', '8.4'] };
    const replaced = { ...known, branches: ['8.4', '8.5'], public_key: 'extended' };
    expect(addKey(withKeys, newer, NOW).signing_keys).toStrictEqual([replaced, other]);
  });

  it('knows the manager and the branches of a key on record', () => {
    const newer = { fingerprint: 'BB', publicKey: 'extended', branches: [] };
    expect(addKey(withKeys, newer, NOW).signing_keys).toStrictEqual([
      { ...known, public_key: 'extended' },
      other,
    ]);
  });

  it.each([
    ['a new key without a manager', { ...added, manager: undefined }, 'CC is not on record'],
    ['a key of another manager', { ...added, fingerprint: 'AA' }, 'AA is the key of daniels.'],
    ['a new key without branches', { ...added, branches: [] }, 'CC signs no branch yet'],
  ])('rejects %s', (_what, key, message) => {
    expect(() => addKey(withKeys, key, NOW)).toThrow(message);
  });
});
