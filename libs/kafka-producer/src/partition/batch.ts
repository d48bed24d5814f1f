import type { LogRecord } from '@workspace/schemas';
import { encodeRecordBatch, type ProducerIdentity } from '../wire/record-batch.ts';
import type { QueuedRecord } from './record-queue.ts';

/** Records under one sequence number: their bytes stay until their outcome is known. */
export interface Batch {
  readonly records: readonly QueuedRecord[];
  readonly bytes: Buffer;
  readonly sequence: number;
  readonly writtenAt: number;
}

/** A batch is as old as its oldest record, so that a broker that takes nothing older takes none of it. */
const oldestOf = (records: readonly LogRecord[], now: number): number => {
  let oldest = now;
  for (const { timestamp = now } of records) if (timestamp < oldest) oldest = timestamp;
  return oldest;
};

/**
 * @param writtenAt by the monotonic clock
 * @param now milliseconds since 1970
 */
export const batchOf = (
  queued: readonly QueuedRecord[],
  identity: ProducerIdentity,
  sequence: number,
  writtenAt: number,
  now: number,
): Batch => {
  const records = queued.map(({ record }) => record);
  const timestamp = oldestOf(records, now);
  const bytes = encodeRecordBatch(records, { identity, baseSequence: sequence, timestamp });
  return { records: queued, bytes, sequence, writtenAt };
};
