import type { FieldReader, FieldWriter } from './fields.ts';

/**
 * The layouts that know leader epochs (KIP-320), which are newer than kafkajs: a broker that was deposed as leader and has
 * not noticed does not answer a request with the epoch of its successor.
 */

/** Where the epoch is not known; a broker then does not compare it. */
export const NO_EPOCH = -1;

/** Far more than any cluster has; each may be connected to. */
const MAX_BROKERS = 1_000;

/** @throws Error for more brokers than a cluster has: to read as many as a liar names takes seconds */
export const checkBrokers = (count: number): void => {
  if (count > MAX_BROKERS) throw new Error(`a cluster of ${count} brokers is not believed`);
};

const readBrokers = <Broker>(reader: FieldReader, read: (reader: FieldReader) => Broker): Broker[] => {
  const count = reader.readInt32();
  checkBrokers(count);
  return Array.from({ length: Math.max(count, 0) }, () => read(reader));
};

/** Metadata, version 7: version 6 with the epoch of each leader. */
export const readMetadata7 = (reader: FieldReader) => ({
  throttleTime: reader.readInt32(),
  brokers: readBrokers(reader, (broker) => ({
    nodeId: broker.readInt32(),
    host: broker.readString(),
    port: broker.readInt32(),
    rack: broker.readString(),
  })),
  clusterId: reader.readString(),
  controllerId: reader.readInt32(),
  topicMetadata: reader.readArray((topic) => ({
    topicErrorCode: topic.readInt16(),
    topic: topic.readString(),
    isInternal: topic.readBoolean(),
    partitionMetadata: topic.readArray((partition) => ({
      partitionErrorCode: partition.readInt16(),
      partitionId: partition.readInt32(),
      leader: partition.readInt32(),
      leaderEpoch: partition.readInt32(),
      replicas: partition.readArray((node) => node.readInt32()),
      isr: partition.readArray((node) => node.readInt32()),
      offlineReplicas: partition.readArray((node) => node.readInt32()),
    })),
  })),
});

export interface ListOffsetsOptions {
  readonly replicaId: number;
  readonly isolationLevel: number;
  readonly topics: readonly {
    readonly topic: string;
    readonly partitions: readonly { partition: number; leaderEpoch: number; timestamp: string }[];
  }[];
}

/** ListOffsets, version 4: version 3 with the epoch of the leader that is asked. */
export const writeListOffsets4 = (options: ListOffsetsOptions, writer: () => FieldWriter): FieldWriter =>
  writer()
    .writeInt32(options.replicaId)
    .writeInt8(options.isolationLevel)
    .writeArray(
      options.topics.map(({ topic, partitions }) =>
        writer()
          .writeString(topic)
          .writeArray(
            partitions.map(({ partition, leaderEpoch, timestamp }) =>
              writer().writeInt32(partition).writeInt32(leaderEpoch).writeInt64(timestamp),
            ),
          ),
      ),
    );

export const readListOffsets4 = (reader: FieldReader) => ({
  throttleTime: reader.readInt32(),
  responses: reader.readArray((topic) => ({
    topic: topic.readString(),
    partitions: topic.readArray((partition) => ({
      partition: partition.readInt32(),
      errorCode: partition.readInt16(),
      timestamp: partition.readInt64().toString(),
      offset: partition.readInt64().toString(),
      leaderEpoch: partition.readInt32(),
    })),
  })),
});
