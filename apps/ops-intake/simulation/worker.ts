import { parentPort, workerData } from 'node:worker_threads';
import type { FaultName } from './fault-names.ts';
import { loadChanged } from '@workspace/testing/source-changes';
import { FIXES } from './fixes.ts';
import type { ScheduleResult } from './schedule.ts';

/** Which schedules a thread runs, until it is ended. */
export interface Task {
  readonly first: number;
  /** from one seed to the next */
  readonly step: number;
  readonly faults: readonly FaultName[];
  /** name of the fix to take out */
  readonly without: string | undefined;
}

/** What came of one schedule. */
export interface Report extends Omit<ScheduleResult, 'parts'> {
  readonly seed: number;
}

const { first, step, faults, without } = workerData as Task;
if (without !== undefined) loadChanged(FIXES[without]!.changes);
const { runSchedule } = await import('./schedule.ts');
for (let seed = first; ; seed += step) {
  const { violations, answers } = await runSchedule({ seed, faults });
  parentPort!.postMessage({ seed, violations, answers } satisfies Report);
}
