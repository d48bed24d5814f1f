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
  // The values of UtilsTest.testMurmur2 in Apache Kafka, as partitions.
  it.each([
    ['21', -973_932_308],
    ['foobar', -790_332_482],
    ['a-little-bit-long-string', -985_981_536],
    ['a-little-bit-longer-string', -1_486_304_829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58_897_971],
    ['abc', 479_470_107],
  ])('puts %s where Kafka’s Java client does', (key, hash) => {
    expect(partitionOfKey(key, 1_000_003)).toBe((hash & 0x7fffffff) % 1_000_003);
  });

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
