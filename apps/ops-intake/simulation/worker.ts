import { parentPort, workerData } from 'node:worker_threads';
import type { FaultName } from './fault-names.ts';
import { MENDS, takeOut } from './mends.ts';
import type { ScheduleResult } from './schedule.ts';

/** Which schedules a thread runs, until it is ended. */
export interface Task {
  readonly first: number;
  /** from one seed to the next */
  readonly step: number;
  readonly faults: readonly FaultName[];
  /** name of the mend to take out */
  readonly without: string | undefined;
}

/** What came of one schedule. */
export interface Report extends Omit<ScheduleResult, 'parts'> {
  readonly seed: number;
}

const { first, step, faults, without } = workerData as Task;
if (without !== undefined) takeOut(MENDS[without]!);
const { runSchedule } = await import('./schedule.ts');
for (let seed = first; ; seed += step) {
  const { violations, answers } = await runSchedule({ seed, faults });
  parentPort!.postMessage({ seed, violations, answers } satisfies Report);
}
