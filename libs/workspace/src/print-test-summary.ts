// `tsx libs/workspace/src/print-test-summary.ts`: the end of .ci/run, from the reports of the test runs: what failed, and the sums.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { workspaceRoot } from '@workspace/testing';
import { failuresOf, gatePasses, readReports, sum, summaryOf, summaryText } from './test-summary.ts';

const projectsWith = (target: string): string[] =>
  JSON.parse(
    execFileSync('nx', ['show', 'projects', '--with-target', target, '--json'], {
      cwd: workspaceRoot,
      encoding: 'utf8',
    }),
  ) as string[];

const reports = readReports(join(workspaceRoot, 'reports'));
const expected = ['test', 'e2e'].flatMap((target) =>
  projectsWith(target).map((project) => `${project}-${target}`),
);
const missing = expected.filter((name) => !reports.has(name));
for (const name of missing) process.stderr.write(`${name} did not run: no report\n`);

const counted = sum([...reports.values()].map(summaryOf));
const total = { ...counted, failed: counted.failed + missing.length };
if (total.skipped > 0) process.stderr.write('the gate runs everything: a skipped test fails it\n');
for (const [name, report] of reports)
  for (const failure of failuresOf(report)) process.stdout.write(`FAILED in ${name}: ${failure}\n`);
process.stdout.write(`${summaryText(total)}\n`);
process.exit(gatePasses(total) ? 0 : 1);
