import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '@workspace/testing';
import {
  failureLines,
  failuresOf,
  gatePasses,
  readReports,
  secondsOf,
  sum,
  summaryOf,
  summaryText,
} from './test-summary.ts';

const report = {
  startTime: 0,
  numPassedTests: 3,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
  testResults: [],
};

describe('the test summary of .ci/run', () => {
  it('sums the reports of a folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'test-summary-'));
    writeFileSync(join(folder, 'a-test.json'), JSON.stringify(report));
    writeFileSync(
      join(folder, 'b-e2e.json'),
      JSON.stringify({ ...report, numFailedTests: 1, numPendingTests: 2 }),
    );
    const reports = readReports(folder);
    rmSync(folder, { recursive: true });
    expect([...reports.keys()].sort()).toEqual(['a-test', 'b-e2e']);
    expect(summaryText(sum([...reports.values()].map(summaryOf)))).toBe('6 passed, 1 failed, 2 skipped');
  });

  it('passes only when everything ran and nothing failed', () => {
    const all = { passed: 3, failed: 0, skipped: 0 };
    expect(gatePasses(all)).toBe(true);
    expect(gatePasses({ ...all, skipped: 1 })).toBe(false);
    expect(gatePasses({ ...all, failed: 1 })).toBe(false);
    expect(gatePasses({ ...all, passed: 0 })).toBe(false);
  });

  it('counts a suite that could not run as a failure, and omits skipped tests if there are none', () => {
    expect(summaryText(summaryOf({ ...report, numRuntimeErrorTestSuites: 1 }))).toBe('3 passed, 1 failed');
  });
});

describe('what failed', () => {
  const passed = { fullName: 'passes', status: 'passed', failureMessages: null };
  const failed = (fullName: string) => ({
    fullName,
    status: 'failed',
    failureMessages: [
      '\u001b[31mExpected\u001b[39m: 1\n    at x (a.test.ts:1:1)\n    at y (/node_modules/jest/z.js:1:1)',
    ],
  });
  const fileOf = (
    file: string,
    message: string,
    ...assertionResults: (typeof passed | ReturnType<typeof failed>)[]
  ) => ({
    name: join(workspaceRoot, file),
    endTime: 1_500,
    message,
    status: 'failed',
    assertionResults,
  });
  const run = (project: string, target: string, ...testResults: ReturnType<typeof fileOf>[]) => ({
    project,
    target,
    hasFailed: true,
    report: { ...report, testResults },
  });

  it.each([
    [
      'a test',
      run('schemas', 'test', fileOf('libs/schemas/src/a.test.ts', '', failed("it's (1.5)"), passed)),
      "libs/schemas/src/a.test.ts: it's (1.5)",
      "cd libs/schemas && npx jest src/a.test.ts -t '^it'\\''s \\(1\\.5\\)$'",
    ],
    [
      'a test of the built service',
      run('ip-locate', 'e2e', fileOf('apps/ip-locate/e2e/a.test.ts', '', failed('fails'))),
      'apps/ip-locate/e2e/a.test.ts: fails',
      "cd apps/ip-locate && npx jest -c e2e/jest.config.js e2e/a.test.ts -t '^fails$'",
    ],
    [
      'a test in the engine of docker',
      run('docker', 'e2e', fileOf('docker/e2e/a.test.ts', '', failed('fails'))),
      'docker/e2e/a.test.ts: fails',
      "cd docker && engine/run npx jest -c e2e/jest.config.js e2e/a.test.ts -t '^fails$'",
    ],
    [
      'a file that does not compile',
      run('schemas', 'test', fileOf('libs/schemas/src/a.test.ts', 'Cannot find module')),
      'libs/schemas/src/a.test.ts',
      'cd libs/schemas && npx jest src/a.test.ts',
    ],
    [
      'a project whose Jest crashed, or was ended after a time, without a report',
      { project: 'schemas', target: 'test', hasFailed: false },
      'schemas:test',
      'npx nx test schemas',
    ],
    [
      'a project whose tests passed, but not Jest',
      run('schemas', 'test'),
      'schemas:test',
      'npx nx test schemas',
    ],
  ])('is %s: by name, with the command that runs it again', (_what, one, title, command) => {
    const failures = failuresOf(one);
    expect(failures).toMatchObject([{ title, command }]);
    const lines = failureLines([...failures, ...failures]);
    expect(lines.slice(-5)).toEqual([
      '2 failed. To run one again:',
      title,
      `  ${command}`,
      title,
      `  ${command}`,
    ]);
    expect(lines).toContain(`FAILED ${title}`);
  });

  it('is said with the first lines of the message, in plain text, without the lines of packages', () => {
    const long = `Cannot be read${'\n    at x'.repeat(100)}`;
    const file = 'libs/schemas/src/a.test.ts';
    const lines = failureLines(
      failuresOf(run('schemas', 'test', fileOf(file, '', failed('fails')), fileOf(file, long))),
    );
    expect(lines.slice(0, 4)).toEqual([
      `FAILED ${file}: fails`,
      '  Expected: 1',
      '      at x (a.test.ts:1:1)',
      '',
    ]);
    expect(lines).toHaveLength(4 + 22 + 5);
  });

  it('is nothing after a run that passed', () => {
    expect(failuresOf({ project: 'schemas', target: 'test', report, hasFailed: false })).toEqual([]);
  });

  it('comes after the time that the last file took', () => {
    expect(
      secondsOf({ ...report, testResults: [fileOf('a', ''), { ...fileOf('b', ''), endTime: 500 }] }),
    ).toBe(1.5);
    expect(secondsOf(report)).toBe(0);
  });
});
