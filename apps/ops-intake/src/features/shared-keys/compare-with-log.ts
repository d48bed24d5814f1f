import type { FoundRecord } from '@workspace/schemas';
import { CLOCK_SKEW_MS } from '../../application/log-lookup.ts';
import { LogUnreadable, type NewestRecords } from '../../application/record-search.ts';
import { principalOfRecord } from '../../application/submission-record.ts';
import { isSubmissionId, timeOfSubmissionId } from '../../domain/submission-id.ts';
import { CallFailed } from './call-failed.ts';
import type { SharedStoreOptions } from './store-server.ts';

export interface CompareOptions extends Pick<SharedStoreOptions, 'log' | 'ttlMs' | 'clock' | 'logger'> {
  /** since when the store has kept every key, as it says: what is older is looked up anyway */
  since: () => Date | undefined;
  /** Whether the store has a key. @throws CallFailed */
  isKnown: (id: string, principal: string | undefined) => Promise<boolean>;
  /** The store lacks a key that it should have: it starts again. @throws CallFailed */
  onForgotten: (id: string) => Promise<void>;
}

/**
 * Whether the store has the newest keys of the log. The log is the truth: a store that lacks one of them is an older copy, or is new,
 * although it may say that it is old, and no instance was there to notice.
 */
export interface ComparedWithLog {
  /** false until the store was compared with the log since it was reached last */
  readonly isDone: boolean;
  /** The store was away, and may be another one. */
  again(): void;
  /** Compares, unless that is done or under way. What fails is done again by the next call. */
  compare(): Promise<void>;
}

export const compareWithLog = (options: CompareOptions): ComparedWithLog => {
  const { log, ttlMs, clock, since, logger, isKnown, onForgotten } = options;
  /** how often the store was reached, and which of these times it was compared */
  let reached = 1;
  let compared = 0;
  let comparing = false;

  const hasKey = ({ headers: { ce_id: id = '' } }: FoundRecord): boolean =>
    isSubmissionId(id) && timeOfSubmissionId(id) === undefined;

  /** Of a time of which the store says that it remembers all. */
  const missing = async ({ newest }: NewestRecords): Promise<string | undefined> => {
    const now = clock();
    const kept = Math.max(now.getTime() - ttlMs, (since() ?? now).getTime()) + CLOCK_SKEW_MS;
    const isWanted = (record: FoundRecord): boolean =>
      hasKey(record) && Date.parse(record.headers['ce_time'] ?? '') > kept;
    for (const record of await newest(new Date(kept), isWanted)) {
      const { ce_id: id = '' } = record.headers;
      if (!(await isKnown(id, principalOfRecord(record)))) return id;
    }
    return undefined;
  };

  return {
    get isDone() {
      return log === undefined || compared === reached;
    },
    again: () => (reached += 1),
    compare: async () => {
      if (log === undefined || compared === reached || comparing) return;
      comparing = true;
      const current = reached;
      try {
        const id = await missing(log);
        if (id !== undefined) await onForgotten(id);
        compared = current;
      } catch (error) {
        const isExpected = error instanceof CallFailed || error instanceof LogUnreadable;
        logger[isExpected ? 'debug' : 'error']({ err: error }, 'comparing the key store with the topic');
      } finally {
        comparing = false;
      }
    },
  };
};
