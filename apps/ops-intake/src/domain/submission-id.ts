import { hash } from 'node:crypto';
import type { FillRandomly } from './randomness.ts';

/** Namespace of the submission ids, a random UUID of this service. */
const NAMESPACE = Buffer.from('5f0c2f6e9c1d4f6b8a7e3d2c1b0a9f8e', 'hex');

/**
 * The submission id a key stands for: UUIDv5, so that every instance and every retry names the record alike.
 * Keys of different principals never meet.
 */
export const submissionIdOf = (key: string, principal?: string): string => {
  const name = principal === undefined ? key : JSON.stringify([principal, key]);
  const hashed = Buffer.allocUnsafe(NAMESPACE.length + Buffer.byteLength(name));
  NAMESPACE.copy(hashed);
  hashed.write(name, NAMESPACE.length);
  // As a text, the digest costs a third of what it costs as a buffer.
  return uuidOf(hash('sha1', hashed, 'hex'), 5);
};

/** The UUID of the first 32 hex digits, with its version and variant (RFC 9562). */
export const uuidOf = (hex: string, version: number): string => {
  const variant = '89ab'[parseInt(hex[16]!, 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${version}${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/** A new submission id: UUIDv7, which contains the time of the submission; the other 74 bits are random. */
export const newSubmissionId = (now: Date, fillRandomly: FillRandomly): string => {
  const bytes = Buffer.allocUnsafe(16);
  bytes.writeUIntBE(now.getTime(), 0, 6);
  fillRandomly(bytes, 6);
  return uuidOf(bytes.toString('hex'), 7);
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether a text can be a submission id: a UUID in lowercase. */
export const isSubmissionId = (text: string): boolean => UUID.test(text);

/** When a submission came, for ids of `newSubmissionId`; one made from a key has no time. */
export const timeOfSubmissionId = (id: string): Date | undefined =>
  UUID.exec(id)?.[1] === '7' ? new Date(parseInt(id.slice(0, 8) + id.slice(9, 13), 16)) : undefined;

/**
 * Distinguishes submissions that were sent with the same key, by payload, to the byte, Partition-Key, Sequence and schema.
 * @param sequence only with a Partition-Key: alone, it would be taken for one
 * @param type `ce_type` of the record; undefined for that of the built-in schema
 */
export const fingerprintOf = (
  bytes: Buffer,
  partitionKey?: string,
  sequence?: number,
  type?: string,
): string => {
  // No payload begins like these, nor one like another: it is a JSON array, and a Partition-Key is printable.
  let prefix = '';
  if (type !== undefined) prefix += `\0${type}\0`;
  if (partitionKey !== undefined) prefix += `${partitionKey}\0`;
  if (sequence !== undefined) prefix += `${sequence}\0`;
  return hash('sha256', prefix === '' ? bytes : Buffer.concat([Buffer.from(prefix), bytes]), 'base64url');
};
