export { awsLogin, oauthLogin } from './cluster/bearer-login.ts';
export type { ProduceObserver } from './partition/produce-observer.ts';
export { openProducer, type Producer, type ProducerOptions } from './producer.ts';
export { TopicUnreadable } from './search/record-search.ts';
export type { KafkaSettings } from './settings.ts';
export type { Runtime } from './wire/runtime.ts';
