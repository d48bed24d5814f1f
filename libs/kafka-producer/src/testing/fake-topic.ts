import type { PartitionResponse } from '../wire/produce-request.ts';
import { createFakePartition, type FakePartition } from './fake-partition.ts';

export interface FakeTopic {
  name: string;
  /** node that leads each partition, -1 for none */
  leaders: number[];
  replicas: number[];
  /** those of one partition */
  replicasOf(partition: number): number[];
  inSync: number[];
  settings: Record<string, string>;
  partitions: FakePartition[];
  /** The partition as seen by a node that takes itself for its leader; undefined at others. */
  at(node: number, partition: number): FakePartition | undefined;
  /** Appends to that; a promise when the answer has to wait for other replicas. */
  append(
    node: number,
    partition: number,
    batch: Buffer,
    timeoutMs: number,
  ): PartitionResponse | Promise<PartitionResponse>;
  /** the leader of each partition, as a node knows it */
  leadersAt(node: number): readonly number[];
  /** the epoch of that leader */
  epochAt(node: number, partition: number): number;
}

/** A topic whose partitions the nodes lead by turns, and which all of them have. */
export const createFakeTopic = (
  nodes: number[],
  partitions: number,
  settings: Record<string, string>,
): FakeTopic => {
  const topic: FakeTopic = {
    name: 't',
    leaders: Array.from({ length: partitions }, (_, partition) => (partition % nodes.length) + 1),
    replicas: nodes,
    replicasOf: () => topic.replicas,
    inSync: nodes,
    settings,
    partitions: Array.from({ length: partitions }, () => createFakePartition()),
    at: (node, partition) => (topic.leaders[partition] === node ? topic.partitions[partition] : undefined),
    append: (_node, partition, batch) => topic.partitions[partition]!.append(batch),
    leadersAt: () => topic.leaders,
    epochAt: () => 0,
  };
  return topic;
};
