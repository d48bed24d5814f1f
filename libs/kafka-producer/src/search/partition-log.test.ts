import type { Cluster } from '../cluster/cluster.ts';
import { beginningSince, openPartitionLog, type PartitionLog } from './partition-log.ts';

/** @param times when the records from `earliest` on were written */
const logWith = (earliest: number, times: readonly number[]) =>
  ({
    earliest: async () => earliest,
    firstSince: async (time) => {
      const at = times.findIndex((one) => one >= time);
      return at < 0 ? undefined : earliest + at;
    },
  }) as Partial<PartitionLog> as PartitionLog;

it.each([
  ['all of it is of that time', 0, [100, 101], { first: 0, start: 0, isCut: false }],
  ['it begins with records of that time, and had others', 5, [100], { first: 5, start: 5, isCut: true }],
  ['it has records of before', 5, [89, 99, 100], { first: 7, start: 6, isCut: false }],
  ['clocks may have been ahead of its first record', 5, [90, 99, 100], { first: 7, start: 6, isCut: true }],
  ['it has none of that time', 5, [89], { first: 20, start: 19, isCut: false }],
  ['it is empty, and was not', 20, [], { first: 20, start: 20, isCut: true }],
])('begins to read a log where it has to when %s', async (_what, earliest, times, expected) => {
  expect(await beginningSince(logWith(earliest, times), 100, 20, 10)).toEqual(expected);
});

describe('the offsets of a partition', () => {
  const METADATA = { leaders: [7, 8], epochs: [3, 4], replicas: [[7], [8]], underReplicated: [] };
  /** A leader that gives one offset to every question, and what it was asked. */
  const openWith = async (offset: string | undefined) => {
    const asked: unknown[] = [];
    const connection = {
      request: async (api: string, body: unknown) => {
        asked.push([api, body]);
        return { responses: offset === undefined ? [] : [{ partitions: [{ partition: 1, offset }] }] };
      },
    };
    const cluster = {
      connectionTo: async (node: number) => {
        asked.push(node);
        return connection;
      },
    } as unknown as Cluster;
    const settings = { topic: 't', requestTimeoutMs: 1_000 } as Parameters<typeof openPartitionLog>[1];
    const metadata = METADATA as unknown as Parameters<typeof openPartitionLog>[3];
    return { log: await openPartitionLog(cluster, settings, 1, metadata), asked };
  };
  const question = (timestamp: string) => [
    'ListOffsets',
    {
      replicaId: 2 ** 31 - 1,
      isolationLevel: 0,
      topics: [{ topic: 't', partitions: [{ partition: 1, leaderEpoch: 4, timestamp }] }],
    },
  ];

  it('are asked of its leader in its epoch, as a replica that sees what followers do not have yet', async () => {
    const { log, asked } = await openWith('12');
    expect([await log.end(), await log.earliest(), await log.firstSince(99)]).toEqual([12, 12, 12]);
    expect(asked).toEqual([8, question('-1'), question('-2'), question('99')]);
  });

  it('are none of a time that no record has, nor of a time before 1970', async () => {
    const { log, asked } = await openWith('-1');
    expect([await log.firstSince(99), await log.firstSince(-5)]).toEqual([undefined, undefined]);
    expect(asked.at(-1)).toEqual(question('0'));
    expect(await (await openWith('0')).log.firstSince(99)).toBe(0);
  });

  it('are none when the leader gives no answer about it', async () => {
    expect(await (await openWith(undefined)).log.end()).toBe(-1);
  });
});
