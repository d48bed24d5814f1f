import {
  openProducer,
  type Producer,
  type ProducerOptions,
  TopicUnreadable,
} from '@workspace/kafka-producer';
import type { OperationLog } from '../../application/operation-log.ts';
import { LogUnreadable, type RecordSearch } from '../../application/record-search.ts';
import { isOfSubmission } from '../../application/submission-record.ts';
import { withoutFrame } from './schema-ids.ts';

/** The log and its search, and when it is known whether Kafka is there. */
export type KafkaLog = OperationLog & RecordSearch & Pick<Producer, 'probed'>;

/** The header with a submission's id, see `toRecord`. */
export const ID_HEADER = 'ce_id';

/** The operation log on Kafka. A submission's id is also its record's key, unless the client chose another. */
export const openKafkaLog = (options: ProducerOptions): KafkaLog => {
  const producer = openProducer(options);
  return {
    ...producer,
    find: ({ submissionId, from }) =>
      producer
        .find({
          header: { name: ID_HEADER, value: submissionId },
          likelyKey: submissionId,
          from,
          isWanted: ({ value, headers }) => isOfSubmission(withoutFrame(value), headers),
        })
        .then(({ found, ...rest }) => ({
          ...rest,
          ...(found && { found: { ...found, value: withoutFrame(found.value) } }),
        }))
        .catch((error: unknown) => {
          if (error instanceof TopicUnreadable) throw new LogUnreadable(error.message, { cause: error });
          throw error;
        }),
  };
};
