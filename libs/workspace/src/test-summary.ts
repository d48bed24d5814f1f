import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Numbers of tests in one report, or in several added up. */
export interface TestSummary {
  passed: number;
  failed: number;
  skipped: number;
}

/** The members of a Jest JSON report that are counted or printed. */
export interface JestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  numRuntimeErrorTestSuites: number;
  testResults: {
    /** path of the file */
    name: string;
    /** why the file could not run, or all its failures */
    message: string;
    status: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] | null }[];
  }[];
}

/** How much of a failure's message is printed: the expectation and the place. */
const FAILURE_LINES = 20;

/** Summarises one Jest report. A suite that could not run counts as one failure, since its tests are unknown. */
export const summaryOf = (report: JestReport): TestSummary => ({
  passed: report.numPassedTests,
  failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
  skipped: report.numPendingTests + report.numTodoTests,
});

/**
 * What failed in one report, a text for each test: its title, then the first lines of its message. The log of a whole gate is
 * long, and often only its end is kept.
 */
export const failuresOf = ({ testResults }: JestReport): string[] =>
  testResults.flatMap(({ name, message, status, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    return status === 'failed' && failed.length === 0
      ? [failureText(basename(name), message)]
      : failed.map((test) =>
          failureText(`${basename(name)}: ${test.fullName}`, (test.failureMessages ?? []).join('\n')),
        );
  });

const failureText = (title: string, message: string): string =>
  [title, ...stripVTControlCharacters(message).trim().split('\n').slice(0, FAILURE_LINES)].join('\n  ');

/** Adds up several summaries. */
export const sum = (summaries: readonly TestSummary[]): TestSummary =>
  summaries.reduce(
    (total, one) => ({
      passed: total.passed + one.passed,
      failed: total.failed + one.failed,
      skipped: total.skipped + one.skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );

/** `12 passed, 0 failed`, followed by `, 3 skipped` if tests were skipped. */
export const summaryText = ({ passed, failed, skipped }: TestSummary): string =>
  `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`;

/** Whether the gate may pass: something ran, nothing failed, and nothing was left out for want of a tool. */
export const gatePasses = ({ passed, failed, skipped }: TestSummary): boolean =>
  passed > 0 && failed === 0 && skipped === 0;

/** Reads all reports of a folder. Keys are file names without their extension, e.g. `ops-intake-e2e`. */
export const readReports = (folder: string): Map<string, JestReport> =>
  new Map(
    readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .map((file) => [
        file.slice(0, -'.json'.length),
        JSON.parse(readFileSync(join(folder, file), 'utf8')) as JestReport,
      ]),
  );
