// `tsx libs/workspace/src/print-test-summary.ts`: the closing line of .ci/run, from the reports of the test runs.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { readReports, sum, summaryText } from './test-summary.ts';
import { workspaceRoot } from './workspace-root.ts';

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

const total = sum([...reports.values()]);
process.stdout.write(`${summaryText({ ...total, failed: total.failed + missing.length })}\n`);
process.exit(total.failed + missing.length > 0 || total.passed === 0 ? 1 : 0);
