import {
  openProducer,
  type Producer,
  type ProducerOptions,
  TopicUnreadable,
} from '@workspace/kafka-producer';
import type { OperationLog } from '../../application/operation-log.ts';
import { LogUnreadable, type NewestRecords, type RecordSearch } from '../../application/record-search.ts';
import { isOfSubmission } from '../../application/submission-record.ts';
import { withoutFrame } from '../../domain/schema-frame.ts';

/** The log and its search, and when it is known whether Kafka is there. */
export type KafkaLog = OperationLog & RecordSearch & NewestRecords & Pick<Producer, 'probed'>;

/** The header with a submission's id, see `toRecord`. */
const ID_HEADER = 'ce_id';

/** A look-up begins a minute before its window, since clocks differ, and the index has to reach back as far. */
const INDEX_MARGIN_MS = 2 * 60_000;

/** What the search keeps in memory of the submissions of the last while. */
export const submissionIndex = (windowMs: number): NonNullable<ProducerOptions['search']['index']> => ({
  header: ID_HEADER,
  windowMs: windowMs + INDEX_MARGIN_MS,
  intervalMs: 1_000,
});

/** The operation log on Kafka. A submission's id is also its record's key, unless the client chose another. */
export const openKafkaLog = (options: ProducerOptions): KafkaLog => {
  const producer = openProducer(options);
  const logUnreadable = (error: unknown): never => {
    if (error instanceof TopicUnreadable) throw new LogUnreadable(error.message, { cause: error });
    throw error;
  };
  return {
    ...producer,
    newest: (since, isWanted) =>
      producer
        .newest(
          since,
          (record) => isWanted(record) && isOfSubmission(withoutFrame(record.value), record.headers),
        )
        .catch(logUnreadable),
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
        .catch(logUnreadable),
  };
};
