import type { LogRecord, RecordOutcome } from '@workspace/schemas';
import { type ClientNetwork, ClientShares } from '@workspace/http-connections';
import type { Timers } from '@workspace/service-process';
import type { OperationLog } from '../../application/operation-log.ts';
import { type Rejection, toRejectedRecord } from './rejected-record.ts';

/**
 * What became of the record of a rejected submission: `written`, `dropped` because too much was waiting, or `failed`: not
 * written, or perhaps not.
 */
export type RejectionOutcome = 'written' | 'dropped' | 'failed';

export interface RejectedSubmissionsOptions {
  /** the topic of rejected submissions */
  log: Pick<OperationLog, 'append' | 'status' | 'close'>;
  /** whether records have the submission itself */
  withBodies: boolean;
  /** most bytes of a submission that fit into a record; a larger one is left out */
  bodyBytes: number;
  /** most bytes that wait or are on their way, divided among principals; a single record may have more */
  queueBytes: number;
  timers: Timers;
  onOutcome: (outcome: RejectionOutcome) => void;
}

interface Entry {
  readonly record: LogRecord;
  readonly bytes: number;
  readonly client: readonly [ClientNetwork];
}

/** About what a record takes beside its value and its problem. */
const RECORD_BYTES = 2_048;

/** Between two attempts while the topic cannot be written. */
const RETRY_MS = 1_000;

/**
 * Writes rejected submissions to a topic of their own. Nothing waits for it: what the topic does not take now waits here, up to
 * a limit, and what finds no room is dropped and counted.
 */
export class RejectedSubmissions {
  readonly #options: RejectedSubmissionsOptions;
  readonly #waiting: Entry[] = [];
  #records = 0;
  readonly #shares: ClientShares;
  #isDropping = false;
  #isRetryDue = false;
  #isClosed = false;

  constructor(options: RejectedSubmissionsOptions) {
    this.#options = options;
    this.#shares = new ClientShares(options.queueBytes);
  }

  /** what waits or is on its way */
  get queued(): { records: number; bytes: number } {
    return { records: this.#records, bytes: this.#shares.used };
  }

  /** what an operator has to act on */
  get warning(): string | undefined {
    const { connected, error = connected ? undefined : 'not connected' } = this.#options.log.status();
    if (!this.#isDropping) return error;
    return `rejected submissions are dropped, since too much is waiting${error === undefined ? '' : `: ${error}`}`;
  }

  /** Takes a rejected submission, or drops it. */
  keep(rejection: Rejection): void {
    const { withBodies, bodyBytes, onOutcome } = this.#options;
    const length = rejection.bytes?.length ?? 0;
    const withBody = withBodies && length <= bodyBytes;
    const bytes = RECORD_BYTES + rejection.problem.length + (withBody ? length : 0);
    const client = [{ network: rejection.identity.principal, shares: 1 }] as const;
    this.#isDropping = this.#isClosed || (this.#records > 0 && !this.#shares.hasRoom(client, bytes));
    if (this.#isDropping) {
      onOutcome('dropped');
      return;
    }
    this.#records += 1;
    this.#shares.add(client, bytes);
    const entry = { record: toRejectedRecord(rejection, withBody), bytes, client };
    if (this.#waiting.length > 0) this.#waiting.push(entry);
    else this.#send(entry);
  }

  /** Lets what is on its way end. @returns how many records were not written */
  async close(): Promise<number> {
    this.#isClosed = true;
    await this.#options.log.close();
    const left = this.#waiting.splice(0);
    for (const entry of left) this.#leave(entry, 'failed');
    return left.length;
  }

  #send(entry: Entry): void {
    this.#options.log.append(entry.record, { settled: (outcome) => this.#settled(entry, outcome) }, Infinity);
  }

  #settled(entry: Entry, outcome: RecordOutcome): void {
    if (outcome.outcome === 'accepted') {
      this.#leave(entry, 'written');
      for (const next of this.#waiting.splice(0)) this.#send(next);
      return;
    }
    if (outcome.outcome === 'unknown' || outcome.reason === 'record-too-large') this.#leave(entry, 'failed');
    else this.#waiting.push(entry);
    if (this.#waiting.length > 0) this.#sendAgainLater();
  }

  /** One record finds out whether the topic can be written again; the others follow it. */
  #sendAgainLater(): void {
    if (this.#isRetryDue || this.#isClosed) return;
    this.#isRetryDue = true;
    const timer = this.#options.timers.setTimeout(() => this.#sendAgain(), RETRY_MS, undefined);
    timer.unref();
  }

  #sendAgain(): void {
    this.#isRetryDue = false;
    const next = this.#isClosed ? undefined : this.#waiting.shift();
    if (next) this.#send(next);
  }

  #leave({ bytes, client }: Entry, outcome: RejectionOutcome): void {
    this.#records -= 1;
    this.#shares.add(client, -bytes);
    if (this.#records === 0) this.#isDropping = false;
    this.#options.onOutcome(outcome);
  }
}
