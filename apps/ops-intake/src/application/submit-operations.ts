import { randomUUID } from 'node:crypto';
import type { Identity } from './access-token.ts';
import { fingerprintOf, newSubmissionId, submissionIdOf } from '../domain/submission-id.ts';
import {
  type Claim,
  type IdempotencyStore,
  type KeyClaim,
  type Settlement,
  StoreUnavailable,
} from './idempotency-store.ts';
import {
  AppendError,
  type AppendListener,
  type LogRecord,
  type OperationLog,
  type PendingAppend,
  type Receipt,
} from './operation-log.ts';
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
 * What is done once the fate of a record is known, however late, and before its caller is told.
 * @returns a promise when the caller has to wait for it
 */
type OnSettled = (settlement: Settlement) => Promise<void> | undefined;

/**
 * One record on its way, for a caller who waits no longer than until the deadline. Then it is taken back if it is still ours
 * (not published), or left to its fate: a send is never given up, because the next one on the same producer would lose
 * messages.
 */
class Delivery implements AppendListener {
  readonly #id: string;
  readonly #operations: number;
  readonly #onSettled: OnSettled;
  readonly #resolve: (result: SubmitResult) => void;
  readonly #reject: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #pending: PendingAppend | undefined;

  constructor(
    id: string,
    operations: number,
    onSettled: OnSettled,
    resolve: (result: SubmitResult) => void,
    reject: (error: unknown) => void,
  ) {
    this.#id = id;
    this.#operations = operations;
    this.#onSettled = onSettled;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(log: OperationLog, record: LogRecord, deadlineMs: number): void {
    this.#timer = setTimeout(Delivery.#expire, deadlineMs, this);
    this.#pending = log.append(record, this);
  }

  static #expire(delivery: Delivery): void {
    if (!delivery.#pending?.withdraw()) delivery.#fail(new AppendError('log-unavailable', 'unknown'));
  }

  acknowledged(receipt: Receipt): void {
    const accepted = acceptedSubmission(this.#id, this.#operations, receipt);
    const settling = this.#onSettled({ outcome: 'acknowledged', answer: accepted });
    if (settling === undefined) this.#answer(accepted);
    else
      settling.then(
        () => this.#answer(accepted),
        (error) => this.#fail(error),
      );
  }

  failed(error: AppendError): void {
    const fail = (reason: unknown): void => this.#fail(reason);
    const settling = this.#onSettled({ outcome: error.outcome === 'unknown' ? 'unknown' : 'rejected' });
    if (settling === undefined) fail(error);
    else settling.then(() => fail(error), fail);
  }

  #answer(accepted: AcceptedSubmission): void {
    clearTimeout(this.#timer);
    this.#resolve({ accepted, replayed: false });
  }

  #fail(error: unknown): void {
    clearTimeout(this.#timer);
    const isUnknown = error instanceof AppendError && error.outcome === 'unknown';
    this.#reject(isUnknown ? new OutcomeUnknown('no-answer', this.#id, { cause: error }) : error);
  }
}

export const createSubmitOperations = ({
  log,
  store,
  deadlineMs,
  inFlight,
}: SubmitOperationsOptions): SubmitOperations => {
  const deliver = (submit: Submit, id: string, onSettled: OnSettled): Promise<SubmitResult> =>
    // One promise and no async functions: every submission comes through here.
    new Promise((resolve, reject) => {
      const { submission } = submit;
      new Delivery(id, submission.operations, onSettled, resolve, reject).start(
        log,
        toRecord(id, submission, submit),
        deadlineMs,
      );
    });

  const submitOnce = (submit: Submit, id: string): Promise<SubmitResult> => {
    inFlight.set(id, submit.principal);
    return deliver(submit, id, () => void inFlight.delete(id));
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

    let settle: (settlement: Settlement) => void = () => undefined;
    // The store learns the final outcome, however late, and not what the caller was told at the deadline. `then` is called
    // here, so that the store's span is part of the request's trace: the log calls back from its connection.
    const settled = new Promise<Settlement>((resolve) => (settle = resolve)).then((settlement) =>
      store.settle(claim, settlement),
    );
    try {
      return await deliver(submit, id, (settlement) => {
        settle(settlement);
        return settled;
      });
    } catch (error) {
      if (!result.outcomeUnknown || error instanceof OutcomeUnknown) throw error;
      // This attempt may have published nothing; the submission may be in the log all the same.
      throw new OutcomeUnknown('no-answer', id, { cause: error });
    }
  };

  return (submit) => {
    const { idempotencyKey: key, principal, now } = submit;
    return key === undefined
      ? submitOnce(submit, newSubmissionId(now))
      : submitWithKey(submit, submissionIdOf(key, principal));
  };
};
