import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readReports, sentence, sum, tallyOf } from './tally.ts';

const report = {
  numPassedTests: 3,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
};

describe('the tally of .ci/run', () => {
  it('sums the reports of a folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tally-'));
    writeFileSync(join(folder, 'a-test.json'), JSON.stringify(report));
    writeFileSync(
      join(folder, 'b-e2e.json'),
      JSON.stringify({ ...report, numFailedTests: 1, numPendingTests: 2 }),
    );
    const reports = readReports(folder);
    expect([...reports.keys()].sort()).toEqual(['a-test', 'b-e2e']);
    expect(sentence(sum([...reports.values()]))).toBe('6 passed, 1 failed, 2 skipped');
  });

  it('counts a suite that could not run as a failure, and says nothing of skips when there are none', () => {
    expect(sentence(tallyOf({ ...report, numRuntimeErrorTestSuites: 1 }))).toBe('3 passed, 1 failed');
  });
});
