export { awsLogin, oauthLogin } from './cluster/bearer-login.ts';
export { openProducer, type Producer, type ProducerOptions, type ProducerStatus } from './producer.ts';
export type { DeliveryOutcome, ProduceAttempt, ProduceObserver } from './partition/sequenced-batches.ts';
export {
  AppendError,
  type AppendFailure,
  type AppendListener,
  type LogRecord,
  type PendingAppend,
  type Receipt,
} from './record.ts';
export { TopicUnreadable } from './search/record-search.ts';
export type { KafkaSettings } from './settings.ts';
