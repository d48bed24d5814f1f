import { hash } from 'node:crypto';
import { writeHex } from './hex-text.ts';
import type { FillRandomly } from './randomness.ts';

/** Namespace of the submission ids, a random UUID of this service. */
const NAMESPACE = Buffer.from('5f0c2f6e9c1d4f6b8a7e3d2c1b0a9f8e', 'hex');

/**
 * The submission id a key stands for: UUIDv5, so that every instance and every retry names the record alike.
 * Keys of different principals never meet.
 */
export const submissionIdOf = (key: string, principal?: string): string => {
  const name = principal === undefined ? key : JSON.stringify([principal, key]);
  // As a text, the digest costs a third of what it costs as a buffer.
  const digest = hash('sha1', hashedOf(name), 'binary');
  for (let at = 0; at < newId.length; at += 1) newId[at] = digest.charCodeAt(at);
  return uuidOf(newId, 5);
};

/** What is hashed of most names: the namespace, and room for what follows it. */
const hashed = Buffer.concat([NAMESPACE, Buffer.alloc(512)]);
/** No character takes more bytes. */
const MOST_BYTES_OF_CHARACTER = 3;

/** The beginnings of it, by their length: a view of a buffer is larger than a key. */
const views: Buffer[] = [];

/** Namespace and name, until this is called again. */
const hashedOf = (name: string): Buffer => {
  const room = hashed.length - NAMESPACE.length;
  if (name.length * MOST_BYTES_OF_CHARACTER > room) return Buffer.concat([NAMESPACE, Buffer.from(name)]);
  const length = NAMESPACE.length + hashed.write(name, NAMESPACE.length);
  return (views[length] ??= hashed.subarray(0, length));
};

/** Buffers that are used again: strings put together from pieces leave more than ten times the garbage. */
const uuidText = Buffer.from('........-....-....-....-............');
const newId = Buffer.alloc(16);

/** The UUID of the first 16 bytes, in which it sets version and variant (RFC 9562). */
export const uuidOf = (bytes: Buffer, version: number): string => {
  bytes[6] = ((bytes[6] as number) & 0x0f) | (version << 4);
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  writeHex(uuidText, 0, bytes, 0, 4);
  writeHex(uuidText, 9, bytes, 4, 6);
  writeHex(uuidText, 14, bytes, 6, 8);
  writeHex(uuidText, 19, bytes, 8, 10);
  writeHex(uuidText, 24, bytes, 10, 16);
  return uuidText.toString('latin1');
};

/** A new submission id: UUIDv7, which contains the time of the submission; the other 74 bits are random. */
export const newSubmissionId = (now: Date, fillRandomly: FillRandomly): string => {
  newId.writeUIntBE(now.getTime(), 0, 6);
  fillRandomly(newId, 6);
  return uuidOf(newId, 7);
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
