import type { ClientNetwork } from '@workspace/http-connections';
import type { Identity } from './identity.ts';
import { fingerprintOf } from '../domain/submission-id.ts';
import type { Submission } from '../domain/submission.ts';
import type { TraceContext } from './submission-record.ts';

export interface Submit {
  submission: Submission;
  now: Date;
  idempotencyKey?: string | undefined;
  principal?: string | undefined;
  /** how the principal was authenticated */
  authType?: Identity['type'] | undefined;
  /** what it counts in among others in the queue; undefined for lines of streams, which have shares of their own */
  clients?: readonly ClientNetwork[] | undefined;
  /** keeps submissions together, in one partition and in order */
  partitionKey?: string | undefined;
  /** headers of its record besides those that all have */
  recordHeaders?: Readonly<Record<string, string>> | undefined;
  /** number in the series of the Partition-Key, which it needs */
  sequence?: number | undefined;
  trace: TraceContext;
  /** for a submission with a key that has to be queued after another one */
  order?: SubmissionOrder | undefined;
}

/** `refused`: there was no room, or no Kafka, and what comes after it would overtake it when it is submitted again. */
export type QueueResult = 'queued' | 'refused';

/** The position of a submission among others that are submitted at the same time. */
export interface SubmissionOrder {
  /** resolves when the one before it is queued, or will not be; undefined for the first one. `refused`: neither may this one be */
  readonly before: Promise<QueueResult> | undefined;
  /** Called when it is queued, or when the queue has refused it; after that, it does nothing. */
  over(result: QueueResult): void;
}

/** What a submission with the same key has to have, too. */
export const fingerprintOfSubmit = ({ submission, partitionKey, sequence }: Submit): string =>
  fingerprintOf(submission.bytes, partitionKey, sequence, submission.schema?.type);
