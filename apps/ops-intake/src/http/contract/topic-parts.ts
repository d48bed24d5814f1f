import type { TSchema } from '@sinclair/typebox';

/** What an option adds to the description of the topic. */
export interface TopicParts {
  /** of the brokers */
  readonly protocol?: 'kafka-secure';
  /** headers that every record has */
  readonly headers?: Readonly<Record<string, TSchema>>;
  /** the same of the record that is the example */
  readonly exampleHeaders?: Readonly<Record<string, string>>;
  /** members of the Kafka binding of each message */
  readonly messageBinding?: object;
  /** channels, operations and messages beside those of the topic */
  readonly channels?: Readonly<Record<string, object>>;
  readonly operations?: Readonly<Record<string, object>>;
  readonly messages?: Readonly<Record<string, object>>;
}
