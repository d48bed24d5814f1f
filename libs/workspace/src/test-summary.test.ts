import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatePasses, readReports, sum, summaryOf, summaryText } from './test-summary.ts';

const report = {
  numPassedTests: 3,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
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
    expect(summaryText(sum([...reports.values()]))).toBe('6 passed, 1 failed, 2 skipped');
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
