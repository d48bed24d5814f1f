import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What one runner reported, and the sum of several. Counts are tests. */
export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/** The members of a Jest JSON report that count. */
interface JestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  numRuntimeErrorTestSuites: number;
}

/** One Jest report. A suite that could not run at all counts as a failure: its tests are unknown, not absent. */
export const tallyOf = (report: JestReport): Tally => ({
  passed: report.numPassedTests,
  failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
  skipped: report.numPendingTests + report.numTodoTests,
});

export const sum = (tallies: readonly Tally[]): Tally =>
  tallies.reduce(
    (total, one) => ({
      passed: total.passed + one.passed,
      failed: total.failed + one.failed,
      skipped: total.skipped + one.skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );

/** `12 passed, 0 failed`, with `, 3 skipped` when there are any. */
export const sentence = ({ passed, failed, skipped }: Tally): string =>
  `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`;

/** The reports of a folder by file name without ending, e.g. `ops-intake-e2e`. */
export const readReports = (folder: string): Map<string, Tally> =>
  new Map(
    readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .map((file) => [
        file.slice(0, -'.json'.length),
        tallyOf(JSON.parse(readFileSync(join(folder, file), 'utf8')) as JestReport),
      ]),
  );
