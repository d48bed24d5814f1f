import { createKeyLookup, type KeyLookupOptions } from './key-lookup.ts';
import { createLogLookup } from './log-lookup.ts';
import type { RecordSearch } from './record-search.ts';
import { type AttemptContext, type AttemptOptions, SubmissionAttempt } from './submission-attempt.ts';
import type { Submit } from './submit.ts';
import type { SubmitListener } from './submit-result.ts';
import { createTakeNumber } from './take-number.ts';

export interface SubmitOperationsOptions extends AttemptOptions, Omit<KeyLookupOptions, 'lookUp'> {
  readonly search: RecordSearch;
}

/** Submissions that may search the log at the same time; more wait in a queue. */
const MOST_LOOKUPS = 16;

/**
 * Takes submissions to the log, each at most once per Idempotency-Key.
 * @param listener may be called before this returns
 */
export type SubmitOperations = (submit: Submit, listener: SubmitListener) => void;

export const createSubmitOperations = (options: SubmitOperationsOptions): SubmitOperations => {
  const { store, deadlineMs, timers, search } = options;
  // Half of the deadline is for the search itself.
  const queue = { waitMs: deadlineMs / 2, timers };
  const lookUp = createLogLookup(search, { concurrent: MOST_LOOKUPS, queue });
  const context: AttemptContext = {
    ...options,
    ...createKeyLookup({ ...options, lookUp }),
    takeNumber: createTakeNumber(store, lookUp),
    owners: 0,
  };
  return (submit, listener) => new SubmissionAttempt(submit, listener, context).start();
};
