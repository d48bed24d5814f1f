// `tsx libs/workspace/src/print-test-summary.ts`: the end of .ci/run, from the reports of the test runs: what failed, and the sums.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { workspaceRoot } from '@workspace/testing';
import {
  failureLines,
  failuresOf,
  gatePasses,
  readReports,
  sum,
  summaryOf,
  summaryText,
  type TestRun,
} from './test-summary.ts';

const reports = readReports(join(workspaceRoot, 'reports'));
const runsOf = (target: string): TestRun[] =>
  (
    JSON.parse(
      execFileSync('nx', ['show', 'projects', '--with-target', target, '--json'], {
        cwd: workspaceRoot,
        encoding: 'utf8',
      }),
    ) as string[]
  ).map((project) => ({ project, target, report: reports.get(`${project}-${target}`), hasFailed: false }));

const runs = ['test', 'e2e'].flatMap(runsOf);
const counted = sum(runs.flatMap(({ report }) => (report ? [summaryOf(report)] : [])));
const missing = runs.filter(({ report }) => !report);
const total = { ...counted, failed: counted.failed + missing.length };
if (total.skipped > 0) process.stderr.write('CI runs everything: a skipped test fails it\n');
const failures = runs.flatMap(failuresOf);
const lines = failures.length > 0 ? failureLines(failures) : [];
process.stdout.write(`${[...lines, summaryText(total)].join('\n')}\n`);
process.exit(gatePasses(total) ? 0 : 1);
