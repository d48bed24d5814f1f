import type { Timers } from '@workspace/service-process';
import type { FoundRecord, SearchGap } from '@workspace/schemas';
import { LogUnreadable, type RecordSearch } from './record-search.ts';
import { type AcceptedSubmission, acceptedSubmission } from './submission-record.ts';

/** Clocks of instances, brokers and the key store may differ by this much. */
export const CLOCK_SKEW_MS = 60_000;

/**
 * Whether a store may have forgotten keys that were settled in it since then.
 * @param since since when it has kept every key; undefined: it was not asked yet
 */
export const mayHaveForgotten = (since: Date | undefined, then: Date): boolean =>
  since === undefined || since.getTime() + CLOCK_SKEW_MS > then.getTime();

/** Now by our own clock or by that of the log, the earlier: ours may be ahead of that of an instance that still sends something. */
export const earlierNow = (now: Date, log: Pick<RecordSearch, 'time'>): Date =>
  new Date(Math.min(now.getTime(), log.time() ?? Infinity));

/** Why the log does not say whether it has a submission. */
export type LookupGap =
  | SearchGap
  | 'log-unreadable'
  /** too many ask at the same time */
  | 'busy';

export interface LookupResult {
  readonly found?: FoundRecord;
  /** undefined with nothing found: the log does not have it */
  readonly gap?: LookupGap;
  /** when the oldest records were written that were read */
  readonly from: Date;
}

/**
 * Searches the log for few at a time.
 * @param began when the submission was made, by any clock
 * @param client who asks: no client may keep others from searching
 */
export type LogLookup = (submissionId: string, began: Date, client?: string) => Promise<LookupResult>;

export interface LogLookupLimits {
  /** most searches at the same time */
  readonly concurrent: number;
  /** most of one client */
  readonly ofClient?: number;
  /** how long those beyond `concurrent` wait for their queue; without it the log is `busy` for them at once */
  readonly queue?: { readonly waitMs: number; readonly timers: Timers };
}

export const createLogLookup = (
  search: Pick<RecordSearch, 'find'>,
  { concurrent, ofClient = concurrent, queue }: LogLookupLimits,
): LogLookup => {
  /** whose searches are running, a name for each */
  const searching: string[] = [];
  /** begin the searches that wait, the first one first */
  const waiting: (() => void)[] = [];

  /** @returns whether it may search, perhaps after it has waited */
  const enter = (client: string): Promise<boolean> | boolean => {
    const own = searching.filter((name) => name === client).length;
    if (searching.length < concurrent && own < ofClient) {
      searching.push(client);
      return true;
    }
    if (!queue) return false;
    const { waitMs, timers } = queue;
    return new Promise((resolve) => {
      const begin = (): void => {
        timers.clearTimeout(timer);
        searching.push(client);
        resolve(true);
      };
      const giveUp = (): void => {
        waiting.splice(waiting.indexOf(begin), 1);
        resolve(false);
      };
      const timer = timers.setTimeout(giveUp, waitMs, undefined);
      waiting.push(begin);
    });
  };

  return async (submissionId, began, client = '') => {
    const from = new Date(Math.max(0, began.getTime() - CLOCK_SKEW_MS));
    if (!(await enter(client))) return { from, gap: 'busy' };
    try {
      return { from, ...(await search.find({ submissionId, from })) };
    } catch (error) {
      if (error instanceof LogUnreadable) return { from, gap: 'log-unreadable' };
      throw error;
    } finally {
      searching.splice(searching.indexOf(client), 1);
      waiting.shift()?.();
    }
  };
};

/** The answer to a submission whose record was found. */
export const answerOfRecord = (id: string, record: FoundRecord): AcceptedSubmission =>
  acceptedSubmission(id, (JSON.parse(record.value.toString()) as unknown[]).length, record);
