import { randomUUID } from 'node:crypto';
import type { Identity } from './access-token.ts';
import { fingerprintOf, newSubmissionId, submissionIdOf } from '../domain/submission-id.ts';
import { type Claim, type IdempotencyStore, type KeyClaim, StoreUnavailable } from './idempotency-store.ts';
import { AppendError, type PendingAppend, type OperationLog, type Receipt } from './operation-log.ts';
import type { Submission } from '../domain/submission.ts';
import {
  type AcceptedSubmission,
  acceptedSubmission,
  toRecord,
  type TraceContext,
} from './submission-record.ts';

/** The key was used with another payload, or another Partition-Key. */
export class KeyReused extends Error {
  override readonly name = 'KeyReused';
}

/** Why it cannot be said whether the submission is in the log. */
export type UnknownReason =
  /** this attempt, or an earlier one with the same key, was sent and not answered */
  | 'no-answer'
  /** another request with this key is being processed */
  | 'in-flight'
  /** this attempt published nothing; the store cannot be asked about earlier ones */
  | 'store-unavailable';

/** The submission may be in the log: only the log can tell, by the submission id. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
  readonly reason: UnknownReason;
  readonly submissionId: string;
  constructor(reason: UnknownReason, submissionId: string, options?: ErrorOptions) {
    super(`${reason}: ${submissionId}`, options);
    this.reason = reason;
    this.submissionId = submissionId;
  }
}

export interface Submit {
  submission: Submission;
  now: Date;
  idempotencyKey?: string | undefined;
  principal?: string | undefined;
  /** how the principal was authenticated */
  authType?: Identity['type'] | undefined;
  /** keeps submissions together, in one partition and in order */
  partitionKey?: string | undefined;
  trace: TraceContext;
}

/** Principals, undefined without authentication, by the ids of their submissions. */
export type SubmissionsInFlight = Map<string, string | undefined>;

export interface SubmitOperationsOptions {
  log: OperationLog;
  store: IdempotencyStore;
  /** milliseconds after which the caller is told what is known by then */
  deadlineMs: number;
  /** submissions without a key that are on their way, for who asks what became of them */
  inFlight: SubmissionsInFlight;
}

/**
 * Takes submissions to the log, each at most once per Idempotency-Key.
 * @throws AppendError when the submission is not in the log, OutcomeUnknown when it may be, KeyReused
 */
export type SubmitOperations = (submit: Submit) => Promise<SubmitResult>;

export interface SubmitResult {
  accepted: AcceptedSubmission;
  /** whether the answer is that to an earlier request with the same key */
  replayed: boolean;
}

/**
 * Waits for a record at most until the deadline. Then it is taken back if it is still ours (not published), or left to
 * its fate: a send is never given up, because the next one on the same producer would lose messages.
 */
const withinDeadline = <Answer>(
  { settled, withdraw }: PendingAppend,
  deadlineMs: number,
  /** what to answer to a receipt */
  answerTo: (receipt: Receipt) => Answer,
  /** called when the record is settled, however late */
  onSettled?: () => void,
): Promise<Answer> =>
  // One promise and no async functions: every submission comes through here.
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      if (!withdraw()) reject(new AppendError('log-unavailable', 'unknown'));
    }, deadlineMs);
    settled.then(
      (receipt) => {
        clearTimeout(timer);
        onSettled?.();
        resolve(answerTo(receipt));
      },
      (error: Error) => {
        clearTimeout(timer);
        onSettled?.();
        reject(error);
      },
    );
  });

export const createSubmitOperations = ({
  log,
  store,
  deadlineMs,
  inFlight,
}: SubmitOperationsOptions): SubmitOperations => {
  const append = (submit: Submit, submissionId: string): PendingAppend => {
    return log.append(toRecord(submit.submission, { ...submit, submissionId }));
  };

  const submitOnce = (submit: Submit, id: string): Promise<SubmitResult> => {
    const { operations } = submit.submission;
    const pending = append(submit, id);
    inFlight.set(id, submit.principal);
    return withinDeadline(
      pending,
      deadlineMs,
      (receipt) => ({ accepted: acceptedSubmission(id, operations, receipt), replayed: false }),
      () => inFlight.delete(id),
    );
  };

  const claimKey = (claim: KeyClaim): Promise<Claim> =>
    store.claim(claim).catch((error: unknown) => {
      if (!(error instanceof StoreUnavailable)) throw error;
      throw new OutcomeUnknown('store-unavailable', claim.id, { cause: error });
    });

  /** @param id made from the key, so it stands for it in the store */
  const submitWithKey = async (submit: Submit, id: string): Promise<SubmitResult> => {
    const { submission, principal } = submit;
    const fingerprint = fingerprintOf(submission.bytes, submit.partitionKey);
    const claim: KeyClaim = { id, fingerprint, owner: randomUUID(), principal };
    const result = await claimKey(claim);
    if (result.state === 'answered') return { accepted: result.answer, replayed: true };
    if (result.state === 'reused') throw new KeyReused();
    if (result.state === 'in-flight') throw new OutcomeUnknown('in-flight', id);

    const { settled, withdraw } = append(submit, id);
    // The store learns the final outcome, however late, and not what the caller was told at the deadline.
    const recorded = settled.then(
      async (receipt) => {
        await store.settle(claim, {
          outcome: 'acknowledged',
          answer: acceptedSubmission(id, submission.operations, receipt),
        });
        return receipt;
      },
      async (error: AppendError) => {
        await store.settle(claim, { outcome: error.outcome === 'unknown' ? 'unknown' : 'rejected' });
        throw error;
      },
    );
    try {
      return await withinDeadline({ settled: recorded, withdraw }, deadlineMs, (receipt) => ({
        accepted: acceptedSubmission(id, submission.operations, receipt),
        replayed: false,
      }));
    } catch (error) {
      // This attempt may have published nothing; the submission may be in the log all the same.
      throw result.outcomeUnknown ? new OutcomeUnknown('no-answer', id, { cause: error }) : error;
    }
  };

  return async (submit) => {
    const { idempotencyKey: key, principal, now } = submit;
    const id = key === undefined ? newSubmissionId(now) : submissionIdOf(key, principal);
    try {
      return await (key === undefined ? submitOnce(submit, id) : submitWithKey(submit, id));
    } catch (error) {
      const isUnknown = error instanceof AppendError && error.outcome === 'unknown';
      throw isUnknown ? new OutcomeUnknown('no-answer', id, { cause: error }) : error;
    }
  };
};
