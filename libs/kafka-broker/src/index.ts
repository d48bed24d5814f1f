export { type Availability, kafkaAvailable } from './availability.ts';
export type { Broker, BrokerOptions } from './broker.ts';
export type { ConsumedRecord } from './consume.ts';
export { type ContainerBroker, dockerAnswers, startContainerBroker } from './container.ts';
export { describeWithKafka } from './describe-with-kafka.ts';
export { jarsCached } from './jars.ts';
export type { Credentials } from './listeners.ts';
export { type Cluster, type StandaloneBroker, startBroker, startCluster } from './start.ts';
export { type TopicOptions, withAdmin } from './topics.ts';
