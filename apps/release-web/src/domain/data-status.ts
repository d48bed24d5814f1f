import type { Violation } from '@workspace/release-catalogue';

/** How the data stands: what is served, and what is wrong with a newer state of the files. */
export interface DataStatus {
  readonly revision: Date;
  readonly faults: readonly Violation[];
}
