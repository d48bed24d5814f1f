import { describeWithKafka } from '@workspace/kafka-broker';
import { describeWith, missingTools } from '@workspace/testing';

/** `describe` where Kafka can be started and these programs are installed; elsewhere it says what is missing, and fails in CI. */
export const describeWithKafkaAnd = (tools: readonly string[], name: string, suite: () => void): void =>
  missingTools(...tools).length === 0 ? describeWithKafka(name, suite) : describeWith(tools, name, suite);
