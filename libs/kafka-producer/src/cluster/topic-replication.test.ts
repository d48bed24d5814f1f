import { replicationSettings, replicationWarning, underReplication } from './topic-replication.ts';

describe('the replication of a topic that is made', () => {
  it.each<[number, Record<string, string>, Record<string, string>]>([
    [5, { 'min.insync.replicas': '1' }, { 'min.insync.replicas': '2' }],
    [4, { 'min.insync.replicas': '3' }, {}],
    [2, {}, {}],
    [-1, { 'default.replication.factor': '3' }, { 'min.insync.replicas': '2' }],
  ])('of %i replicas on brokers with %j has %j', (factor, defaults, settings) => {
    expect(replicationSettings(factor, new Map(Object.entries(defaults)))).toEqual(settings);
  });
});

describe('the replication of the topic', () => {
  it.each([
    { factor: 2, minInSync: 2, brokers: 3 },
    // A cluster of one cannot do better; the log says so, and /health stays up.
    { factor: 1, minInSync: 1, brokers: 1 },
    // Without the right to read the setting nothing can be said of it.
    { factor: 3, minInSync: undefined, brokers: 3 },
  ])('is as promised with %j', (replication) => {
    expect(replicationWarning(replication)).toBeUndefined();
  });

  it.each([
    [2, 2],
    [5, 3],
  ])('is too low with one replica in a cluster of %s brokers, and could be %s', (brokers, better) => {
    expect(replicationWarning({ factor: 1, minInSync: 1, brokers })).toBe(
      `replication factor 1 in a cluster of ${brokers} brokers: losing one broker loses acknowledged records; raise it to ${better}, with min.insync.replicas=2`,
    );
  });
});

describe('the replicas in sync', () => {
  it.each([1, undefined])('are fewer than there should be with min.insync.replicas=%s', (minInSync) => {
    const reason = '2 of 3 replicas in sync in partition 4: the topic has fewer copies than it should';
    const seen = underReplication([{ partition: 4, replicas: 3, inSync: 2 }], minInSync);
    expect(seen).toEqual({ partitions: 1, isStopped: false, reason });
  });

  it('are told of the partition that has the fewest, and how many others lack some', () => {
    const partitions = [3, 1, 2].map((inSync, partition) => ({ partition, replicas: 4, inSync }));
    expect(underReplication(partitions, 2)).toEqual({
      partitions: 3,
      isStopped: true,
      reason:
        '1 of 4 replicas in sync in partition 1 (2 more are under-replicated): no record can be written (min.insync.replicas=2)',
    });
  });
});
