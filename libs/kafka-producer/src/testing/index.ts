export { type Cluster, openCluster } from '../cluster/cluster.ts';
export { createProduceChannel } from '../cluster/produce-channel.ts';
export type { PartitionResponse } from '../wire/produce-request.ts';
export { encodeRecordBatch, type ProducerIdentity } from '../wire/record-batch.ts';
