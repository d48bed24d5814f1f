import type { Receipt } from './operation-log.ts';

/** The answer to a submission that every in-sync replica has. */
export interface AcceptedSubmission {
  message: string;
  submissionId: string;
  operations: number;
  topic: string;
  partition: number;
  offset: number;
}

/** The answer to a submission of so many operations, now that it is in the log. */
export const acceptedSubmission = (
  submissionId: string,
  operations: number,
  receipt: Receipt,
): AcceptedSubmission => ({
  message: `${operations} ${operations === 1 ? 'operation' : 'operations'} accepted`,
  submissionId,
  operations,
  topic: receipt.topic,
  partition: receipt.partition,
  offset: receipt.offset,
});
