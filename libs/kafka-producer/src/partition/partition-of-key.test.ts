import fc from 'fast-check';
import { Partitioners } from 'kafkajs';
import { partitionOfKey } from './partition-of-key.ts';

const byKafkajs = (key: string, partitions: number): number =>
  Partitioners.DefaultPartitioner()({
    topic: 't',
    partitionMetadata: Array.from({ length: partitions }, (_, partitionId) => ({
      partitionId,
      leader: 1,
      partitionErrorCode: 0,
      replicas: [],
      isr: [],
    })),
    message: { key, value: '' },
  });

describe('partitionOfKey', () => {
  it('puts every key where kafkajs does', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 50 }),
        fc.integer({ min: 1, max: 50 }),
        (key, count) => {
          expect(partitionOfKey(key, count)).toBe(byKafkajs(key, count));
        },
      ),
      { numRuns: 200 },
    );
  });
});
