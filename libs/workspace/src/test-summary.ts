import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { workspaceRoot } from '@workspace/testing';

/** Numbers of tests in one report, or in several added up. */
export interface TestSummary {
  passed: number;
  failed: number;
  skipped: number;
}

/** The members of a Jest JSON report that are counted or printed. */
export interface JestReport {
  /** epoch milliseconds */
  startTime: number;
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  numRuntimeErrorTestSuites: number;
  testResults: {
    /** path of the file */
    name: string;
    /** epoch milliseconds */
    endTime: number;
    /** why the file could not run, or all its failures */
    message: string;
    status: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] | null }[];
  }[];
}

/** One run of a project's tests. */
export interface TestRun {
  project: string;
  /** target of Nx: `test`, `e2e` */
  target: string;
  /** undefined when Jest wrote none, because it crashed or was ended */
  report?: JestReport | undefined;
  /** whether the run failed, whatever its report says: Jest also exits with 1 after tests that all passed */
  hasFailed: boolean;
}

export interface Failure {
  /** file and test, or what else failed */
  title: string;
  message: string;
  /** a shell command for the root of the workspace that runs this, and nothing else, again */
  command: string;
}

/** How much of a failure's message is printed: the expectation and the place. */
const FAILURE_LINES = 20;

/** Summarises one Jest report. A suite that could not run counts as one failure, since its tests are unknown. */
export const summaryOf = (report: JestReport): TestSummary => ({
  passed: report.numPassedTests,
  failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
  skipped: report.numPendingTests + report.numTodoTests,
});

/** Seconds that the tests of a report took. */
export const secondsOf = ({ startTime, testResults }: JestReport): number =>
  Math.max(0, ...testResults.map(({ endTime }) => endTime - startTime)) / 1_000;

/** What failed in one run, nothing left out: each test, each file that could not run, or the run as a whole. */
export const failuresOf = (run: TestRun): Failure[] => {
  const { project, target, report } = run;
  const whole = (message: string): Failure[] => [
    { title: `${project}:${target}`, message, command: `npx nx ${target} ${project}` },
  ];
  if (!report) return whole('Jest wrote no report: it crashed, or was ended.');
  const failures = report.testResults.flatMap(({ name, message, status, assertionResults }) => {
    const file = relative(workspaceRoot, name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (status === 'failed' && failed.length === 0)
      return [{ title: file, message, command: commandOf(target, file) }];
    return failed.map(({ fullName, failureMessages }) => ({
      title: `${file}: ${fullName}`,
      message: (failureMessages ?? []).join('\n'),
      command: commandOf(target, file, fullName),
    }));
  });
  return failures.length === 0 && run.hasFailed ? whole('It failed, though no test of it did.') : failures;
};

interface Target {
  options?: { command?: string; commands?: string[] };
}
const targetsIn = (file: string, member: 'targets' | 'targetDefaults'): Record<string, Target> =>
  (JSON.parse(readFileSync(join(workspaceRoot, file), 'utf8')) as Record<string, Record<string, Target>>)[
    member
  ]!;

/** The command by which Nx runs Jest, for one file or one test of it. */
const commandOf = (target: string, file: string, test?: string): string => {
  let folder = dirname(file);
  while (!existsSync(join(workspaceRoot, folder, 'project.json'))) folder = dirname(folder);
  const { command, commands } = {
    ...targetsIn('nx.json', 'targetDefaults')[target]?.options,
    ...targetsIn(join(folder, 'project.json'), 'targets')[target]?.options,
  };
  const jest = (command ?? commands![0]!).replace(/ --json --outputFile=\S+/, '').replace('jest', 'npx jest');
  // Jest takes the name for a regular expression.
  const only =
    test === undefined ? '' : ` -t ${quoted(`^${test.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`)}`;
  return `cd ${folder} && ${jest} ${relative(folder, file)}${only}`;
};
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * The end of a log: the first lines of each message, then what failed, and how to run it again. Of a long log, often only the
 * end is kept, or read.
 */
export const failureLines = (failures: readonly Failure[]): string[] => [
  ...failures.flatMap(({ title, message }) => [
    `FAILED ${title}`,
    ...stripVTControlCharacters(message)
      .trim()
      .split('\n')
      .filter((line) => !/^ +at .*node_modules/.test(line))
      .slice(0, FAILURE_LINES)
      .map((line) => `  ${line}`),
    '',
  ]),
  `${failures.length} failed. To run ${failures.length === 1 ? 'it' : 'one'} again:`,
  ...failures.flatMap(({ title, command }) => [title, `  ${command}`]),
];

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
