export { awsLogin, oauthLogin } from './cluster/bearer-login.ts';
export type { ProduceAttempt, ProduceObserver } from './partition/produce-observer.ts';
export { openProducer, type Producer, type ProducerOptions, type ProducerStatus } from './producer.ts';
export type { AppendListener, LogRecord, PendingAppend } from './record.ts';
export type { TopicNeeds, Weakness } from './cluster/topic-settings.ts';
export { TopicUnreadable } from './search/record-search.ts';
export type { KafkaSettings } from './settings.ts';
export type { Runtime } from './wire/runtime.ts';
