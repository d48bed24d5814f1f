import { createHash, randomFillSync } from 'node:crypto';
import {
  fingerprintOf,
  isSubmissionId,
  newSubmissionId,
  submissionIdOf,
  timeOfSubmissionId,
} from './submission-id.ts';

const NOW = new Date('2026-11-22T08:30:00.123Z');
const NAMESPACE = '5f0c2f6e9c1d4f6b8a7e3d2c1b0a9f8e';

describe('the id of a new submission', () => {
  it('is a UUIDv7 with the time of the submission', () => {
    const id = newSubmissionId(NOW, randomFillSync);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(isSubmissionId(id)).toBe(true);
    expect(timeOfSubmissionId(id)).toEqual(NOW);
  });

  it('is another one each time, in any of its random digits', () => {
    const ids = Array.from({ length: 20_000 }, () => newSubmissionId(NOW, randomFillSync));
    expect(new Set(ids).size).toBe(ids.length);
    const digits = (at: number) => new Set(ids.map((id) => id[at])).size;
    const random = [...ids[0]!].flatMap((character, at) => (at > 14 && character !== '-' ? [at] : []));
    // The first digit of the fourth group holds the variant's two bits.
    expect(random.map(digits)).toEqual(random.map((at) => (at === 19 ? 4 : 16)));
  });
});

describe('the id of a key', () => {
  it('is the UUIDv5 of the key, with its principal', () => {
    const uuid = (name: string): string => {
      const hash = createHash('sha1').update(Buffer.from(NAMESPACE, 'hex')).update(name).digest('hex');
      const variant = ((parseInt(hash[16]!, 16) & 3) | 8).toString(16);
      return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-5${hash.slice(13, 16)}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
    };
    for (const key of ['order-17', 'é', '', '€'.repeat(170), 'k'.repeat(171), '€'.repeat(999)])
      expect(submissionIdOf(key)).toBe(uuid(key));
    expect(submissionIdOf('order-17', 'desk')).toBe(uuid('["desk","order-17"]'));
    expect(timeOfSubmissionId(submissionIdOf('order-17'))).toBeUndefined();
  });
});

it.each(['', 'x', 'UUID', ...['0', ' ', '-'].flatMap((more) => [`${more}ID`, `ID${more}`])])(
  'no submission has the id %j',
  (form) => {
    const id = newSubmissionId(NOW, randomFillSync);
    const text = form === 'UUID' ? id.toUpperCase() : form.replace('ID', id);
    expect([isSubmissionId(text), timeOfSubmissionId(text)]).toEqual([false, undefined]);
  },
);

describe('the fingerprint of a submission', () => {
  const bytes = Buffer.from('[1]');

  it('is the SHA-256 of the payload where nothing else distinguishes it', () => {
    expect(fingerprintOf(bytes)).toBe(createHash('sha256').update(bytes).digest('base64url'));
  });

  it('is another one for each payload, Partition-Key, Sequence and schema', () => {
    // A Sequence comes with a Partition-Key, which has a character at least.
    const orders = [
      [],
      ['1'],
      ['12'],
      ...['1', '12'].flatMap((key) => [0, 1, 2, 12].map((number) => [key, number])),
    ];
    const all = [bytes, Buffer.from('[2]')].flatMap((payload) =>
      (orders as [string?, number?][]).flatMap(([partitionKey, sequence]) =>
        [undefined, 'orders.v1', '1'].map((type) => fingerprintOf(payload, partitionKey, sequence, type)),
      ),
    );
    expect(new Set(all).size).toBe(all.length);
    expect(fingerprintOf(Buffer.from(bytes), '1', 0, 'orders.v1')).toBe(
      fingerprintOf(bytes, '1', 0, 'orders.v1'),
    );
  });
});
