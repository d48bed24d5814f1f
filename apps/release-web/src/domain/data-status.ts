import type { Finding } from './finding.ts';

/** How the data stands: what is served, and what is wrong with a newer state of the files. */
export interface DataStatus {
  readonly revision: Date;
  readonly faults: readonly Finding[];
}
