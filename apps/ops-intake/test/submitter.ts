import {
  createSubmitOperations,
  type SubmitOperationsOptions,
} from '../src/application/submit-operations.ts';
import type { IdempotencyStore } from '../src/application/idempotency-store.ts';
import type { Submit } from '../src/application/submit.ts';
import type { SubmitResult } from '../src/application/submit-result.ts';

/** Submits, and resolves with what the client gets. */
export const createSubmitter = (
  options: SubmitOperationsOptions,
): ((submit: Submit) => Promise<SubmitResult>) => {
  const submitOperations = createSubmitOperations(options);
  return (submit) => new Promise((resolved, failed) => submitOperations(submit, { resolved, failed }));
};

/** The same store, which answers later, as one outside of the process. */
export const answersLater = ({ sync: _sync, ...store }: IdempotencyStore): IdempotencyStore => store;
