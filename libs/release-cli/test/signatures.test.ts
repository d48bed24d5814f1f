import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataCopy, NOW } from '@workspace/release-catalogue/testing';
import { createMessage, generateKey, type PrivateKey, readKey, revokeKey, sign } from 'openpgp';
import { cli } from './run-cli.ts';

const DAY_MS = 86_400_000;
const before = (days: number) => new Date(NOW.getTime() - days * DAY_MS);

const newKey = async (more: { keyExpirationTime?: number } = {}) => {
  const { privateKey, publicKey } = await generateKey({
    userIDs: [{ name: 'Test', email: 'test@releases.example' }],
    date: before(30),
    format: 'object',
    ...more,
  });
  return { privateKey, armored: publicKey.armor(), fingerprint: publicKey.getFingerprint().toUpperCase() };
};
type TestKey = Awaited<ReturnType<typeof newKey>>;

describe('signed releases', () => {
  let data: DataCopy;
  let key: TestKey;
  let other: TestKey;
  beforeAll(async () => {
    [key, other] = [await newKey(), await newKey()];
  });
  beforeEach(() => {
    data = new DataCopy('7.4');
    data.pack('8.4.25');
  });
  afterEach(() => data.remove());

  const run = (...args: string[]) => cli(data.folder, [...args, '--yes']);
  const file = (name: string, text: string | Uint8Array) => {
    const path = join(data.archives, name);
    writeFileSync(path, text);
    return path;
  };
  const tarball = (archive: string) => `php-8.4.25.tar.${archive}`;
  const signature = async (archive: string, signingKeys: PrivateKey, date = before(1)) =>
    (await sign({
      message: await createMessage({ binary: readFileSync(join(data.archives, tarball(archive))) }),
      signingKeys,
      detached: true,
      date,
    })) as string;
  const signAll = async (privateKey: PrivateKey) => {
    for (const archive of ['gz', 'bz2', 'xz']) {
      file(`${tarball(archive)}.asc`, await signature(archive, privateKey));
    }
  };
  const addKey = (armored: string, ...args: string[]) => run('add-key', file('key.asc', armored), ...args);
  const promote = (...args: string[]) =>
    run('promote', '8.4.25', '--kind', 'bugfix', ...(args.length > 0 ? args : ['--tarballs', data.archives]));
  const current = () => data.json('branches/8.4.json').current;
  const MANAGER = ['--manager', 'calvinb', '--branch', '8.4'];

  it('promote verifies them by the keys on record, and keeps them', async () => {
    expect(await addKey(key.armored, ...MANAGER)).toMatchObject({ code: 0 });
    const { signing_keys: keys, updated } = data.json('product.json');
    expect(keys).toEqual([
      { fingerprint: key.fingerprint, manager: 'calvinb', branches: ['8.4'], public_key: expect.any(String) },
    ]);
    expect(updated).toBe('2026-08-27T09:00:00Z');
    expect((await readKey({ armoredKey: keys[0].public_key })).getFingerprint().toUpperCase()).toBe(
      key.fingerprint,
    );

    await signAll(key.privateKey);
    const { code, notes } = await promote();
    expect({ code, notes }).toMatchObject({ code: 0 });
    expect(notes).toContain(`signed by ${key.fingerprint} php-8.4.25.tar.xz`);
    expect(Object.entries(current().signatures)).toEqual(
      ['gz', 'bz2', 'xz'].map((archive) => [
        tarball(archive),
        { fingerprint: key.fingerprint, armored: expect.stringMatching(/^-----BEGIN PGP SIGNATURE-----\n/) },
      ]),
    );
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['by a key that is not on record', () => signAll(other.privateKey), 'Could not find signing key'],
    [
      'of another file',
      async () => file(`${tarball('xz')}.asc`, await signature('gz', key.privateKey)),
      'php-8.4.25.tar.xz.asc: Signed digest did not match',
    ],
    [
      'that is missing',
      async () => rmSync(join(data.archives, `${tarball('bz2')}.asc`)),
      'php-8.4.25.tar.bz2.asc cannot be read',
    ],
    [
      'that is not a signature',
      async () => file(`${tarball('gz')}.asc`, '<!doctype html>'),
      'php-8.4.25.tar.gz.asc: ',
    ],
    [
      'of tomorrow',
      async () => file(`${tarball('gz')}.asc`, await signature('gz', key.privateKey, before(-1))),
      'php-8.4.25.tar.gz.asc: Signature creation time is in the future',
    ],
    [
      'by two keys',
      async () =>
        file(
          `${tarball('gz')}.asc`,
          (await sign({
            message: await createMessage({ binary: readFileSync(join(data.archives, tarball('gz'))) }),
            signingKeys: [key.privateKey, other.privateKey],
            detached: true,
            date: before(1),
          })) as string,
        ),
      'does not hold one signature',
    ],
    ['of a tarball that changed', async () => data.pack('8.4.25', 'other'), 'did not match'],
  ])('promote refuses a signature %s', async (_what, spoil, message) => {
    await addKey(key.armored, ...MANAGER);
    await signAll(key.privateKey);
    await spoil();
    const texts = data.texts();
    expect(await promote()).toMatchObject({ code: 1, notes: expect.stringContaining(message) });
    expect(data.texts()).toEqual(texts);
  });

  it('promote refuses a signature by the key of another branch, a revoked one and an expired one', async () => {
    await addKey(key.armored, '--manager', 'calvinb', '--branch', '8.5');
    await addKey(other.armored, ...MANAGER);
    await signAll(key.privateKey);
    expect(await promote()).toMatchObject({ code: 1, notes: expect.stringContaining('Could not find') });

    const { publicKey } = await revokeKey({ key: other.privateKey, format: 'object', date: before(2) });
    expect(await addKey(publicKey.armor())).toMatchObject({ code: 0 });
    await signAll(other.privateKey);
    expect(await promote()).toMatchObject({ code: 1, notes: expect.stringContaining('revoked') });

    const expired = await newKey({ keyExpirationTime: 10 * 86_400 });
    await addKey(expired.armored, ...MANAGER);
    for (const archive of ['gz', 'bz2', 'xz']) {
      // Made before the key expired, which is what the time in a signature says and nobody can check.
      file(`${tarball(archive)}.asc`, await signature(archive, expired.privateKey, before(25)));
    }
    expect(await promote()).toMatchObject({ code: 1, notes: expect.stringContaining('expired') });
  });

  it('promote refuses a key that is not the one of its fingerprint', async () => {
    await addKey(key.armored, ...MANAGER);
    data.write(
      'product.json',
      JSON.stringify(data.json('product.json')).replace(key.fingerprint, other.fingerprint),
    );
    await signAll(key.privateKey);
    expect(await promote()).toMatchObject({
      code: 1,
      notes: expect.stringContaining(`The public key of ${other.fingerprint} is that of ${key.fingerprint}.`),
    });
  });

  it('promote needs the tarballs, and nothing of all this without a public key of the branch', async () => {
    const manifest = data.manifest('8.4.25', data.pack('8.4.25'));
    data.write(
      'product.json',
      JSON.stringify({
        ...data.json('product.json'),
        signing_keys: [{ fingerprint: key.fingerprint, manager: 'calvinb', branches: ['8.4'] }],
      }),
    );
    expect(await promote('--manifest', manifest, '--dry-run')).toMatchObject({ code: 0 });
    expect(await addKey(key.armored)).toMatchObject({ code: 0 });
    expect(await promote('--manifest', manifest)).toMatchObject({
      code: 2,
      notes: expect.stringContaining('Releases of 8.4 are signed: add --tarballs'),
    });
  });

  it('correct replaces them with the digests', async () => {
    await addKey(key.armored, ...MANAGER);
    await signAll(key.privateKey);
    await promote();
    const first = current().signatures;
    data.pack('8.4.25', 'packed again');
    const correct = () => run('correct', '8.4.25', '--reason', 'again', '--tarballs', data.archives);
    expect(await correct()).toMatchObject({ code: 1, notes: expect.stringContaining('did not match') });
    await signAll(key.privateKey);
    expect(await correct()).toMatchObject({ code: 0 });
    expect(Object.keys(current().signatures)).toEqual(Object.keys(first));
    expect(current().signatures[tarball('gz')]).not.toEqual(first[tarball('gz')]);
    expect(await run('correct', '8.4.25', '--reason', 'late', '--date', '2026-08-26')).toMatchObject({
      code: 0,
    });
    expect(current().signatures[tarball('gz')]).toBeDefined();
  });

  it.each<[string, () => string | Uint8Array, readonly string[], number, string]>([
    ['a private key', () => key.privateKey.armor(), MANAGER, 1, 'holds a private key'],
    ['two keys', () => key.armored + other.armored, MANAGER, 1, 'does not hold one key'],
    ['a file without keys', () => 'key', MANAGER, 1, 'holds no OpenPGP keys'],
    ['a key of nobody', () => key.armored, [], 1, 'is not on record: add --manager and --branch'],
    ['a key for no branch', () => key.armored, ['--manager', 'calvinb'], 1, 'signs no branch yet'],
    ['a malformed branch', () => key.armored, ['--branch', '8'], 2, '--branch must be a branch like 8.4'],
  ])('add-key rejects %s', async (_what, content, args, code, message) => {
    const result = await run('add-key', file('key.asc', content()), ...args);
    expect([result.code, result.notes]).toEqual([code, expect.stringContaining(message)]);
    expect(data.json('product.json').signing_keys).toBeUndefined();
  });

  it.each<[string, (armored: string) => string]>([
    ['with CR LF', (text) => text.replace(/\r?\n/g, '\r\n')],
    ['with a byte order mark', (text) => `\uFEFF${text}`],
    ['with blanks at the ends of its lines', (text) => text.replace(/-----$/gm, '-----  ')],
    [
      'with the headers of GnuPG',
      (text) => text.replace(/-----\r?\n/, '-----\nVersion: GnuPG v2\nComment: x\n'),
    ],
    ['in a message', (text) => `This is mine:\n\n${text}\nBest regards\n`],
  ])('reads armour %s', async (_what, change) => {
    expect(await addKey(change(key.armored), ...MANAGER)).toMatchObject({ code: 0 });
    for (const archive of ['gz', 'bz2', 'xz']) {
      file(`${tarball(archive)}.asc`, change(await signature(archive, key.privateKey)));
    }
    expect(await promote()).toMatchObject({ code: 0 });
  });

  it('add-key reads a binary key, and says whose key it is when another name is given', async () => {
    const binary = (await readKey({ armoredKey: key.armored })).write();
    expect(await run('add-key', file('key.gpg', binary), ...MANAGER)).toMatchObject({ code: 0 });
    expect(await addKey(key.armored, '--manager', 'saki')).toMatchObject({
      code: 1,
      notes: expect.stringContaining(`${key.fingerprint} is the key of calvinb.`),
    });
  });
});
