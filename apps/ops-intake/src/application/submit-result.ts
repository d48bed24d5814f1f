import type { Outcome } from '@workspace/schemas';
import type { AcceptedSubmission } from './submission-record.ts';
import type { NumberDenied } from './take-number.ts';

/** Why it is not known whether the submission is in the log. */
export type UnknownReason =
  /** this attempt, or an earlier one with the same key, was sent and not answered */
  | 'no-answer'
  /** another request with this key is being processed */
  | 'in-flight'
  /** this attempt published nothing; the store cannot be asked about earlier ones */
  | 'store-unavailable';

/** What became of a submission, as far as it is known when the caller is answered. */
export type SubmissionOutcome = Outcome<
  {
    readonly answer: AcceptedSubmission;
    /** whether it was accepted by an earlier request with the same key */
    readonly replayed: boolean;
  },
  { readonly reason: UnknownReason; readonly submissionId: string }
>;

/** This attempt published nothing. `perhapsAs`: an earlier one with the same key may have, under this submission id. */
export type OutOfSequence = NumberDenied & { readonly perhapsAs?: string };

/** The key was used with another payload, Partition-Key, Sequence or schema, for the submission of this id. */
export interface KeyReused {
  readonly outcome: 'key-reused';
  readonly submissionId: string;
}

export type SubmitResult = SubmissionOutcome | OutOfSequence | KeyReused;

/** Receives the outcome of a submission, once: an object instead of a promise, of which a stream would leave many. */
export interface SubmitListener {
  resolved(result: SubmitResult): void;
  failed(error: unknown): void;
}
