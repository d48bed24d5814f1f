import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failuresOf, gatePasses, readReports, sum, summaryOf, summaryText } from './test-summary.ts';

const report = {
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

  it('says which tests failed, and why, in a few lines each', () => {
    const test = {
      fullName: 'a proxy answers',
      status: 'failed',
      failureMessages: ['\u001b[31mExpected\u001b[39m: 1'],
    };
    const file = {
      name: '/somewhere/proxy.test.ts',
      message: 'all of it',
      status: 'failed',
      assertionResults: [],
    };
    const testResults = [
      { ...file, assertionResults: [test, { ...test, status: 'passed' }] },
      { ...file, message: `cannot be read${'\n    at x'.repeat(100)}` },
    ];
    const [failed, unread] = failuresOf({ ...report, testResults });
    expect(failed).toBe('proxy.test.ts: a proxy answers\n  Expected: 1');
    expect(unread!.split('\n')).toHaveLength(21);
    expect(unread).toMatch(/^proxy\.test\.ts\n  cannot be read\n/);
    expect(failuresOf(report)).toEqual([]);
  });
});
