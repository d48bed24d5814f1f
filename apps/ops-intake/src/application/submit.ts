import type { ClientNetwork } from '@workspace/http-connections';
import { fingerprintOf } from '../domain/submission-id.ts';
import type { Submission } from '../domain/submission.ts';
import type { SubmissionContext, ToRecord } from './submission-record.ts';

export interface Submit extends SubmissionContext {
  submission: Submission;
  idempotencyKey?: string | undefined;
  /** what it counts in among others in the queue; undefined for lines of streams, which have shares of their own */
  clients?: readonly ClientNetwork[] | undefined;
  /** for a submission that has to be queued after another one */
  order?: SubmissionOrder | undefined;
  /** `toRecord` when left out */
  toRecord?: ToRecord;
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
