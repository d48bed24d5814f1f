export { type Availability, kafkaAvailable } from './availability.ts';
export type { Broker } from './broker.ts';
export type { ConsumedRecord } from './consume.ts';
export { dockerAnswers, startContainerBroker } from './container.ts';
export { describeWithKafka } from './describe-with-kafka.ts';
export { sayFirstStart } from './first-start.ts';
export { type Cluster, type StandaloneBroker, startBroker, startCluster } from './start.ts';
export { statusLine } from './status-line.ts';
export { withAdmin } from './topics.ts';
