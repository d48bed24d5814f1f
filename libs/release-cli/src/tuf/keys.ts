import { spawnSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Key } from '@tufjs/models';
import { CommandRejected } from '../terminal.ts';

/** Signs bytes. */
export type Sign = (bytes: Buffer) => Buffer;

/** A public key as TUF has it: Ed25519, or ECDSA on P-256, which tokens and cloud services have. */
const tufKey = (key: KeyObject): Key => {
  const { keyType, scheme, value } = tufValue(key);
  // Canonical JSON does not escape the line breaks of a key in PEM.
  const canonical = `{"keytype":"${keyType}","keyval":{"public":"${value}"},"scheme":"${scheme}"}`;
  const keyID = hash('sha256', canonical);
  return new Key({ keyID, keyType, scheme, keyVal: { public: value } });
};

const tufValue = (key: KeyObject) => {
  if (key.asymmetricKeyType === 'ed25519') {
    // The last 32 bytes of the structure are the key itself.
    const raw = key.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
    return { keyType: 'ed25519', scheme: 'ed25519', value: raw };
  }
  if (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1') {
    const pem = String(key.export({ format: 'pem', type: 'spki' }));
    return { keyType: 'ecdsa', scheme: 'ecdsa-sha2-nistp256', value: pem };
  }
  throw new CommandRejected('A key is Ed25519 or ECDSA on P-256.');
};

/** @param file PEM: a public key, or a private one, of which only the public part is used */
export const publicKeyOf = (file: string): Key => tufKey(readKey(file, createPublicKey));

/** Signs with a private key in a PEM file. */
export const signWithFile = (file: string): Sign => {
  const key = readKey(file, createPrivateKey);
  return (bytes) => sign(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', bytes, key);
};

/** Signs with a command, which reads the bytes and writes the signature: a token or a key service keeps the key. */
export const signWithCommand =
  (command: string): Sign =>
  (bytes) => {
    const { status, signal, stdout, stderr } = spawnSync('/bin/sh', ['-c', command], { input: bytes });
    if (status !== 0)
      throw new CommandRejected(`--sign-with ended with ${status ?? signal}: ${String(stderr).trim()}`);
    return stdout;
  };

const readKey = (file: string, parse: (pem: Buffer) => KeyObject): KeyObject => {
  const pem = readFileSync(file);
  try {
    return parse(pem);
  } catch (error) {
    throw new CommandRejected(`${file} is not a key in PEM: ${(error as Error).message}`);
  }
};
