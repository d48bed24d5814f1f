import { randomUUID } from 'node:crypto';
import { fingerprintOf, type IdempotencyStore, submissionIdOf } from './idempotency.ts';
import { AppendError, type Appending, type OperationLog, type Receipt } from './operation-log.ts';
import type { Submission } from './submission.ts';
import { toRecord } from './submission-record.ts';
import { randomTraceHex, traceContext } from './trace-context.ts';

/** The answer to a submission that every in-sync replica has. */
export interface Accepted {
  message: string;
  submissionId: string;
  operations: number;
  topic: string;
  partition: number;
  offset: number;
}

/** A key that cannot be served now. */
export class KeyConflict extends Error {
  override readonly name = 'KeyConflict';
  readonly conflict: 'in-flight' | 'reused';
  constructor(conflict: 'in-flight' | 'reused') {
    super(conflict);
    this.conflict = conflict;
  }
}

/** The submission may be in the log: only the log can tell, by the submission id. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
  readonly submissionId: string;
  constructor(submissionId: string, options: ErrorOptions) {
    super(submissionId, options);
    this.submissionId = submissionId;
  }
}

export interface Submit {
  submission: Submission;
  now: Date;
  idempotencyKey?: string | undefined;
  principal?: string | undefined;
  traceparent?: string | undefined;
  tracestate?: string | undefined;
}

export interface IntakeOptions {
  log: OperationLog;
  store: IdempotencyStore;
  /** milliseconds after which the caller is told what is known by then */
  deadlineMs: number;
  /** a store that failed after the log had answered: the answer stands, the memory of it does not */
  onStoreFault: (error: unknown) => void;
}

/**
 * Takes submissions to the log, each at most once per Idempotency-Key.
 * @throws AppendError when the submission is not in the log, OutcomeUnknown when it may be; KeyConflict, StoreUnavailable
 */
export type Intake = (submit: Submit) => Promise<{ accepted: Accepted; replayed: boolean }>;

/**
 * Waits for a record at most until the deadline. Then it is taken back if it is still ours (not published), or left to
 * its fate: a send is never given up, because the next one on the same producer would lose messages.
 */
const withinDeadline = ({ settled, withdraw }: Appending, deadlineMs: number): Promise<Receipt> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      if (!withdraw()) reject(new AppendError('log-unavailable', 'unknown'));
    }, deadlineMs);
    settled.then(resolve, reject).finally(() => clearTimeout(timer));
  });

export const createIntake = ({ log, store, deadlineMs, onStoreFault }: IntakeOptions): Intake => {
  const append = (submit: Submit, submissionId: string): Appending => {
    const { submission, now, traceparent, tracestate } = submit;
    const trace = traceContext({ traceparent, tracestate }, randomTraceHex);
    return log.append(toRecord(submission, { submissionId, now, trace }));
  };

  const acceptedAs = (submissionId: string, { operations }: Submission, receipt: Receipt): Accepted => ({
    message: `${operations} ${operations === 1 ? 'operation' : 'operations'} accepted`,
    submissionId,
    operations,
    ...receipt,
  });

  const submitAnyway = async (submit: Submit, id: string) => {
    const receipt = await withinDeadline(append(submit, id), deadlineMs);
    return { accepted: acceptedAs(id, submit.submission, receipt), replayed: false };
  };

  /** @param id made from the key, so it stands for it in the store */
  const submitOnce = async (submit: Submit, id: string) => {
    const { submission } = submit;
    const fingerprint = fingerprintOf(submission.bytes);
    const owner = randomUUID();
    const claim = await store.claim(id, fingerprint, owner);
    if (claim.state === 'answered') return { accepted: claim.answer, replayed: true };
    if (claim.state !== 'reserved') throw new KeyConflict(claim.state);

    const { settled, withdraw } = append(submit, id);
    // The store follows the truth, however late, and not what the caller was told at the deadline.
    const recorded = settled.then(
      async (receipt) => {
        await store.complete(id, fingerprint, owner, acceptedAs(id, submission, receipt)).catch(onStoreFault);
        return receipt;
      },
      async (error: AppendError) => {
        const told =
          error.outcome === 'unknown' ? store.doubt(id, fingerprint, owner) : store.release(id, owner);
        await told.catch(onStoreFault);
        throw error;
      },
    );
    const receipt = await withinDeadline({ settled: recorded, withdraw }, deadlineMs);
    return { accepted: acceptedAs(id, submission, receipt), replayed: false };
  };

  return async (submit) => {
    const { idempotencyKey: key, principal } = submit;
    const id = key === undefined ? randomUUID() : submissionIdOf(key, principal);
    try {
      return await (key === undefined ? submitAnyway(submit, id) : submitOnce(submit, id));
    } catch (error) {
      const isUnknown = error instanceof AppendError && error.outcome === 'unknown';
      throw isUnknown ? new OutcomeUnknown(id, { cause: error }) : error;
    }
  };
};
