export { encodeRecordBatch } from '../wire/record-batch.ts';
export { decodeRecordBatch, type DecodedRecord } from '../wire/kafkajs-protocol.ts';
export { frameCollector } from '../wire/response-frames.ts';
export { describeBrokers } from './broker-suite.ts';
export type { FakeBrokers } from './broker-state.ts';
export { createFakeBrokers } from './fake-brokers.ts';
export { createFakePartition, type FakePartition, type StoredBatch } from './fake-partition.ts';
export { int16, int32, text } from './protocol-fields.ts';
