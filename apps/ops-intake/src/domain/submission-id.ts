import { createHash, randomUUID } from 'node:crypto';

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

/** A new submission id: UUIDv7, so that it tells when the submission came; the other 74 bits are random. */
export const newSubmissionId = (now: Date): string => {
  const time = now.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether a text can be a submission id: a UUID in lowercase. */
export const isSubmissionId = (text: string): boolean => UUID.test(text);

/** When a submission came, for ids of `newSubmissionId`; one made from a key does not tell. */
export const timeOfSubmissionId = (id: string): Date | undefined =>
  UUID.exec(id)?.[1] === '7' ? new Date(parseInt(id.slice(0, 8) + id.slice(9, 13), 16)) : undefined;

/** Tells submissions apart that were sent with the same key: payload, to the byte, and Partition-Key. */
export const fingerprintOf = (bytes: Buffer, partitionKey?: string): string => {
  const hash = createHash('sha256');
  // No payload begins like this: it is a JSON array.
  if (partitionKey !== undefined) hash.update(`${partitionKey}\0`);
  return hash.update(bytes).digest('base64url');
};
