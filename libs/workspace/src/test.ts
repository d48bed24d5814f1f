// `npm test`: all unit and contract tests. Options are handed on to Nx. It prints a line for each project, and at its end what failed;
// all that the tests print is in reports/npm-test.log.
import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { stripVTControlCharacters } from 'node:util';
import { workspaceRoot } from '@workspace/testing';
import {
  failureLines,
  failuresOf,
  type JestReport,
  secondsOf,
  sum,
  summaryOf,
  summaryText,
  type TestRun,
} from './test-summary.ts';

/** Longer than the tests of any project take on the busiest machine: what takes longer hangs where Jest cannot end it. */
const HANG_MS = 3_600_000;
const TAIL = 30;

const reports = join(workspaceRoot, 'reports');
const say = (line: string): void => void process.stdout.write(`${line}\n`);

mkdirSync(reports, { recursive: true });
// One of before would look like one of a run that crashed.
for (const file of globSync('*-test.json', { cwd: reports })) rmSync(join(reports, file));
const reportOf = (project: string): JestReport | undefined => {
  const file = join(reports, `${project}-test.json`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as JestReport) : undefined;
};

// tsx hands its own tsconfig on, as a path from here, and tasks that run tsx in the folder of a project would not find it.
delete process.env['TSX_TSCONFIG_PATH'];
const began = performance.now();
const given = process.argv.slice(2);
// The one that takes longest first.
const all = given.some((option) => /^(-p|--projects)(=|$)/.test(option)) ? [] : ['--projects=ops-intake,*'];
const options = [...all, ...given, '--outputStyle=static'];
const nx = spawn('nx', ['run-many', '-t', 'test', ...options], {
  cwd: workspaceRoot,
  stdio: ['inherit', 'pipe', 'pipe'],
  timeout: HANG_MS,
});
const exit = new Promise<number | null>((resolve) => nx.once('close', resolve));
const printed = new PassThrough();
for (const stream of [nx.stdout, nx.stderr]) stream.pipe(printed, { end: false });
void exit.then(() => printed.end());
const log = printed.pipe(createWriteStream(join(reports, 'npm-test.log')));

const runs = new Map<string, TestRun>();
const lines: string[] = [];
let isPlan = false;
for await (const coded of createInterface({ input: printed })) {
  const line = stripVTControlCharacters(coded);
  lines.push(line);
  // Before that, Nx lists the projects that have no tests.
  isPlan ||= line.includes('Running target');
  const [, planned] = /^- ([\w-]+)$/.exec(line) ?? [];
  if (isPlan && planned) runs.set(planned, { project: planned, target: 'test', hasFailed: true });
  const [, failed] = /^- ([\w-]+):test$/.exec(line) ?? [];
  if (failed) runs.get(failed)!.hasFailed = true;
  const [, ended, isCached] = /^\S nx run ([\w-]+):test( .*cache.*)?$/.exec(line) ?? [];
  if (!ended) continue;
  const report = reportOf(ended);
  runs.set(ended, { project: ended, target: 'test', report, hasFailed: false });
  const result = report ? summaryText(summaryOf(report)) : 'no report';
  const time = isCached ? 'cached' : report ? `${secondsOf(report).toFixed(0)} s` : '';
  say(`${ended.padEnd(20)} ${result.padEnd(24)} ${time}`.trimEnd());
}
const status = await exit;
await finished(log);

const failures = [...runs.values()].flatMap(failuresOf);
const total = sum([...runs.values()].flatMap(({ report }) => (report ? [summaryOf(report)] : [])));
say(`${summaryText(total)} in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
const passed = status === 0 && total.passed > 0 && failures.length === 0;
if (!passed) {
  say('\nAll that the tests printed is in reports/npm-test.log.\n');
  const nxFailed = [...lines.slice(-TAIL), 'Nx ran no tests, or failed.'];
  for (const line of failures.length > 0 ? failureLines(failures) : nxFailed) say(line);
}
process.exit(passed ? 0 : 1);
