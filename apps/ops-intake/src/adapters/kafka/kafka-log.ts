import {
  openProducer,
  type Producer,
  type ProducerOptions,
  TopicUnreadable,
} from '@workspace/kafka-producer';
import { AppendError, type OperationLog } from '../../application/operation-log.ts';
import { LogUnreadable, type RecordSearch } from '../../application/record-search.ts';

/** The log and its search, and when it is known whether Kafka is there. */
export type KafkaLog = OperationLog & Pick<RecordSearch, 'find'> & Pick<Producer, 'probed'>;

/** The operation log on Kafka. A submission is found by its CloudEvents id, which is its key, too, unless the client chose another. */
export const openKafkaLog = (options: ProducerOptions): KafkaLog => {
  const producer = openProducer(options);
  return {
    append: (record, listener) =>
      producer.append(record, {
        acknowledged: (receipt) => listener.acknowledged(receipt),
        failed: ({ failure, outcome, cause }) =>
          listener.failed(new AppendError(failure, outcome, { cause })),
      }),
    find: ({ submissionId, from, until }) =>
      producer
        .find({ header: { name: 'ce_id', value: submissionId }, likelyKey: submissionId, from, until })
        .catch((error: unknown) => {
          if (error instanceof TopicUnreadable) throw new LogUnreadable(error.message, { cause: error });
          throw error;
        }),
    isFull: producer.isFull,
    status: producer.status,
    probed: producer.probed,
    close: producer.close,
  };
};
