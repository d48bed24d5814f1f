import { execFileSync } from 'node:child_process';
import { describeWith, runTool } from '@workspace/service-kit/testing';
import { documents, filesIn, read, workspace } from './files.ts';

interface Job {
  permissions?: Record<string, string>;
  'timeout-minutes'?: number;
  steps: { uses?: string; with?: Record<string, unknown> }[];
}
interface Workflow {
  permissions?: Record<string, string>;
  jobs: Record<string, Job>;
}

const WORKFLOWS = filesIn('.github/workflows', '.yml');
const workflow = (file: string) => documents(file)[0] as Workflow;

describe('the workflows', () => {
  it('are there', () => {
    const names = WORKFLOWS.map((file) => file.split('/').at(-1));
    expect(names).toEqual(
      expect.arrayContaining(['chart.yml', 'ci.yml', 'codeql.yml', 'dependencies.yml', 'images.yml']),
    );
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

// Built from its Go module on first use, in ten seconds.
describeWith(['go', 'shellcheck'], 'the shell', () => {
  jest.setTimeout(300_000);
  const scripts = execFileSync('git', ['grep', '-lE', '^#!.*sh$'], { cwd: workspace, encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);

  it('of every script passes shellcheck', async () => {
    expect(scripts).toEqual(
      expect.arrayContaining(['.ci/run', '.ci/install-tools', 'docker/engine/run', 'docker/tools/program']),
    );
    await runTool(
      'shellcheck',
      scripts.map((script) => `${workspace}/${script}`),
    );
    await expect(
      runTool('shellcheck', ['-s', 'bash', '-'], 'echo $undefined_and_unquoted\n'),
    ).rejects.toThrow('SC2086');
  });

  it('of every workflow, and the workflows themselves, pass actionlint', async () => {
    const actionlint = (await runTool(`${workspace}/docker/tools/program`, ['actionlint'])).trim();
    await runTool(
      actionlint,
      WORKFLOWS.map((file) => `${workspace}/${file}`),
    );
    await expect(runTool(actionlint, ['-'], 'on: push\njobs: { x: { steps: [] } }')).rejects.toThrow(
      'runs-on',
    );
  });
});
