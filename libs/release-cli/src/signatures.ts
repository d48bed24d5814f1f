import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  branchOf,
  type Catalogue,
  type Digests,
  type Signatures,
  type SigningKey,
} from '@workspace/release-catalogue';
import type { Key, Signature } from 'openpgp';
import { CommandRejected, rejection, type Terminal, UsageError } from './terminal.ts';

/** Large, and only needed for keys and signatures. */
const openPgp = () => import('openpgp');

const ARMOURED = /^-----BEGIN PGP [^]*?^-----END PGP [A-Z ]+-----[ \t]*$/gm;

const fingerprintOf = (key: Key): string => key.getFingerprint().toUpperCase();

/**
 * The public keys in a file, in ASCII armour or binary.
 * @returns by fingerprint, in ASCII armour
 */
export const readPublicKeys = async (file: string): Promise<ReadonlyMap<string, string>> => {
  const { readKeys } = await openPgp();
  const bytes = await readFile(file);
  // Decoded without a byte order mark, which editors on Windows add. openpgp reads the first block only; a file of several keys can have several.
  const blocks = new TextDecoder().decode(bytes).match(ARMOURED);
  const read = blocks
    ? Promise.all(blocks.map((armoredKeys) => readKeys({ armoredKeys })))
    : Promise.all([readKeys({ binaryKeys: bytes })]);
  const keys = (await read.catch(rejection((why) => `${file} holds no OpenPGP keys: ${why}.`))).flat();
  if (keys.some((key) => key.isPrivate())) {
    throw new CommandRejected(`${file} holds a private key. Export the public one: gpg --export --armor.`);
  }
  return new Map(keys.map((key) => [fingerprintOf(key), lineFeeds(key.armor())]));
};

const lineFeeds = (text: string): string => `${text.replace(/\r\n/g, '\n').trimEnd()}\n`;

export interface SignedFiles {
  readonly version: string;
  readonly digests: Digests;
  /** the folder with the tarballs, each with its signature beside it */
  readonly tarballs: string | undefined;
  readonly now: Date;
}

/**
 * Verifies the signature of each file of a release by the keys on record for its branch.
 * @returns undefined while no public key of the branch is on record
 * @throws CommandRejected when a signature is missing, is wrong or is by another key
 */
export const verifiedSignatures = async (
  { product }: Catalogue,
  { version, digests, tarballs, now }: SignedFiles,
  terminal: Terminal,
): Promise<Signatures | undefined> => {
  const branch = branchOf(version);
  const onRecord = (product.signing_keys ?? []).filter(
    ({ branches, public_key }) => branches.includes(branch) && public_key !== undefined,
  );
  if (onRecord.length === 0) return undefined;
  if (tarballs === undefined) {
    throw new UsageError(`Releases of ${branch} are signed: add --tarballs, with an .asc file for each.`);
  }
  const keys = await Promise.all(onRecord.map(readOnRecord));
  const signatures: [string, Signatures[string]][] = [];
  for (const [name, sha256] of digests) {
    const bytes = await readFile(join(tarballs, name));
    if (hash('sha256', bytes) !== sha256) {
      throw new CommandRejected(`${name} changed while it was read.`);
    }
    const asc = await readFile(join(tarballs, `${name}.asc`)).catch(
      rejection((why) => `${name}.asc cannot be read: ${why}.`),
    );
    const signature = await verified(name, bytes, new TextDecoder().decode(asc), keys, now);
    terminal.note(`signed by ${signature.fingerprint} ${name}`);
    signatures.push([name, signature]);
  }
  return Object.fromEntries(signatures);
};

const readOnRecord = async ({ fingerprint, public_key }: SigningKey): Promise<Key> => {
  const { readKey } = await openPgp();
  const key = await readKey({ armoredKey: public_key! }).catch(
    rejection((why) => `The public key of ${fingerprint} cannot be read: ${why}.`),
  );
  if (fingerprintOf(key) === fingerprint) return key;
  throw new CommandRejected(`The public key of ${fingerprint} is that of ${fingerprintOf(key)}.`);
};

/** The signature without comments, once it is verified. */
const verified = async (
  name: string,
  bytes: Uint8Array,
  armoredSignature: string,
  keys: readonly Key[],
  date: Date,
): Promise<Signatures[string]> => {
  const { createMessage, readSignature, verify } = await openPgp();
  const rejected = rejection((why) => `${name}.asc: ${why}.`);
  const signature: Signature = await readSignature({ armoredSignature }).catch(rejected);
  const message = await createMessage({ binary: bytes });
  const { signatures } = await verify({ message, signature, verificationKeys: [...keys], date });
  const [first, ...others] = signatures;
  if (!first || others.length > 0) throw new CommandRejected(`${name}.asc does not hold one signature.`);
  await first.verified.catch(rejected);
  const signer = keys.find((key) => key.getKeys(first.keyID).length > 0)!;
  // The time in a signature is what the signer says: an expired key could sign as of last year.
  await signer.getSigningKey(first.keyID, date).catch(rejected);
  return { fingerprint: fingerprintOf(signer), armored: lineFeeds(signature.armor()) };
};
