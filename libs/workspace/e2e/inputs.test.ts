import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceOutput, workspaceRoot } from '@workspace/testing';

/** The files on which the result of a target depends, by Nx: when one of them changes, it runs again. */
const inputsOf = (target: string): Set<string> =>
  new Set(
    (
      JSON.parse(workspaceOutput('npx', 'nx', 'show', 'target', 'inputs', target, '--json')) as {
        files: string[];
      }
    ).files,
  );

const tracked = new Set(workspaceOutput('git', 'ls-files').split('\n').filter(Boolean));
/** What the last run of a project's tests read of the workspace; see jest.reads.cjs. */
const readsOf = (project: string): string[] => {
  const report = join(workspaceRoot, 'reports/reads', project);
  if (!existsSync(report))
    throw new Error(`no reads of ${project} are recorded: run nx test ${project} first`);
  return readFileSync(report, 'utf8')
    .split('\n')
    .filter((file) => tracked.has(file));
};

const undeclared = (reads: readonly string[], inputs: ReadonlySet<string>): string[] =>
  [...new Set(reads)].filter((file) => !inputs.has(file)).sort();

const projects = JSON.parse(
  workspaceOutput('npx', 'nx', 'show', 'projects', '--with-target', 'test', '--json'),
) as string[];

// Otherwise Nx shows an old result from its cache after such a file has changed: a green test that would fail.
describe.each(projects)('the tests of %s', (project) => {
  it('read only files that are inputs of theirs, and would be noticed if one were none', () => {
    const reads = readsOf(project);
    const inputs = inputsOf(`${project}:test`);
    expect(undeclared(reads, inputs)).toEqual([]);
    const [one] = reads;
    if (one !== undefined) {
      inputs.delete(one);
      expect(undeclared(reads, inputs)).toEqual([one]);
    }
  });
});
