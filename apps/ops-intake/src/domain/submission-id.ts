import { createHash } from 'node:crypto';

/** Namespace of the submission ids, a random UUID of this service. */
const NAMESPACE = Buffer.from('5f0c2f6e9c1d4f6b8a7e3d2c1b0a9f8e', 'hex');

/**
 * The submission id a key stands for: UUIDv5, so that every instance and every retry names the record alike.
 * Keys of different principals never meet.
 */
export const submissionIdOf = (key: string, principal?: string): string => {
  const name = principal === undefined ? key : JSON.stringify([principal, key]);
  const hash = createHash('sha1').update(NAMESPACE).update(name).digest();
  hash[6] = ((hash[6] as number) & 0x0f) | 0x50;
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
};

/** Tells payloads apart, to the byte. */
export const fingerprintOf = (bytes: Buffer): string =>
  createHash('sha256').update(bytes).digest('base64url');
