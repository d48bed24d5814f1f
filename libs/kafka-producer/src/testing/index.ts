export { encodeRecordBatch } from '../wire/record-batch.ts';
export { decodeRecordBatch, type DecodedRecord } from '../wire/kafkajs-protocol.ts';
export { frameCollector } from '../wire/response-frames.ts';
export { type BrokersUnderTest, describeBrokers } from './broker-suite.ts';
export { createFakeBrokers, type FakeBrokers, type FakeTopic } from './fake-brokers.ts';
export { createFakePartition, type FakePartition, type StoredBatch } from './fake-partition.ts';
