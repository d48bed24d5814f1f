import type { LogStatus } from '@workspace/schemas';
import type { Timer, Timers } from '@workspace/service-process';
import { Acceptance, type CheckResult, type FailureCause, type Outage } from '../domain/acceptance.ts';
import type { IdempotencyStore } from './idempotency-store.ts';
import type { OperationLog } from './operation-log.ts';
import type { RecordSearch } from './record-search.ts';

/** What clients get: called for each submission that is answered. */
export interface SubmissionOutcomes {
  /** a submission was newly accepted */
  accepted(): void;
  /** one failed, not by its client's fault, nor by a history that only its own key has */
  failed(cause: Exclude<FailureCause, 'clock'>): void;
}

export interface AcceptanceWatch extends SubmissionOutcomes {
  outage(): Outage | undefined;
  close(): void;
}

export interface AcceptanceWatchOptions {
  log: Pick<OperationLog, 'status'>;
  store: Pick<IdempotencyStore, 'status'>;
  search: Pick<RecordSearch, 'find'>;
  /** whether keys that are new to the store are searched for */
  isSearchNeeded: () => boolean;
  /** milliseconds between two checks while submissions fail */
  intervalMs: number;
  /** milliseconds that a record may be old when it reaches a broker */
  recordAgeMs: number;
  timers: Timers;
  onFailed?: ((cause: FailureCause) => void) | undefined;
}

/** Kafka's own default of `message.timestamp.after.max.ms`. */
const MOST_AHEAD_MS = 3_600_000;

/** A broker's answer to records that are too old or too new by its own clock, which may be wrong when that of the cluster is not. */
const TIME_REJECTED = 'INVALID_TIMESTAMP';

/** No submission, later than any record: its search reads nothing, and shows whether it could. */
const NOTHING = { submissionId: '00000000-0000-0000-0000-000000000000', from: new Date(8.64e15) };

/** Follows what clients get and, while submissions fail, checks whether the cause lasts: nothing is written for that. */
export const watchAcceptance = (options: AcceptanceWatchOptions): AcceptanceWatch => {
  const { log, store, search, timers } = options;
  const acceptance = new Acceptance();
  let timer: Timer | undefined;
  let isWatching = false;
  let isClosed = false;

  const isClockWrong = ({ clock }: LogStatus): boolean => {
    const { aheadMs = 0 } = clock ?? {};
    return aheadMs < -options.recordAgeMs || aheadMs > MOST_AHEAD_MS;
  };

  const causeIn = (status: LogStatus): FailureCause =>
    isClockWrong(status) || status.error === TIME_REJECTED ? 'clock' : 'kafka';

  /** Each needs what those before it need, but for the permission to read, without which records are written, too. */
  const check = async (cause: FailureCause): Promise<CheckResult> => {
    if (cause === 'key-store') return store.status().error === undefined ? 'works' : 'fails';
    const gap = await search.find(NOTHING).then(
      (found) => found.gap,
      () => 'unreadable',
    );
    if (cause === 'search' && gap !== undefined && options.isSearchNeeded()) return 'fails';
    const status = log.status();
    const { connected, error, isRejecting, underReplication } = status;
    if (gap === 'no-majority' || underReplication?.isStopped || isClockWrong(status)) return 'fails';
    if (!connected && !isRejecting) return 'fails';
    return error === undefined ? 'works' : 'unknown';
  };

  /** Checks after each interval for as long as submissions fail. */
  const watch = (): void => {
    timer = timers.setTimeout(() => void checkOnce(), options.intervalMs, undefined);
    timer.unref();
  };
  const checkOnce = async (): Promise<void> => {
    const { cause } = acceptance;
    const began = timers.now();
    if (cause !== undefined) acceptance.checked(await check(cause), began);
    isWatching = acceptance.cause !== undefined && !isClosed;
    if (isWatching) watch();
  };

  return {
    accepted: () => acceptance.accepted(),
    failed: (reported) => {
      const cause = reported === 'kafka' ? causeIn(log.status()) : reported;
      acceptance.failed(cause, timers.now());
      options.onFailed?.(cause);
      if (isWatching || isClosed) return;
      isWatching = true;
      watch();
    },
    outage: () => acceptance.outage(timers.now()),
    close: () => {
      isClosed = true;
      timers.clearTimeout(timer);
    },
  };
};
