import { documents, filesIn, read } from './files.ts';

interface Job {
  permissions?: Record<string, string>;
  'timeout-minutes'?: number;
  'continue-on-error'?: unknown;
  if?: string;
  needs?: string | string[];
  /** a workflow of this repository, in place of steps */
  uses?: string;
  steps?: { uses?: string; run?: string; 'continue-on-error'?: unknown; with?: Record<string, unknown> }[];
}
interface Workflow {
  permissions?: Record<string, string>;
  jobs: Record<string, Job>;
}

const WORKFLOWS = filesIn('.github/workflows', '.yml');
const workflow = (file: string) => documents(file)[0] as Workflow;
const GATE = './.github/workflows/gate.yml';

const neededBy = (jobs: Workflow['jobs'], name: string): string[] =>
  [jobs[name]?.needs ?? []].flat().flatMap((needed) => [needed, ...neededBy(jobs, needed)]);

/** Jobs that write to a registry, a release or a site although the gate has not passed for their commit. */
const publishedWithoutGate = ({ jobs }: Workflow): string[] =>
  Object.entries(jobs)
    .filter(([, { permissions = {} }]) =>
      ['packages', 'contents', 'id-token', 'pages'].some((right) => permissions[right] === 'write'),
    )
    .filter(([name]) => {
      const before = neededBy(jobs, name);
      const gate = before.some(
        (needed) => jobs[needed]?.uses === GATE && jobs[needed]?.['continue-on-error'] === undefined,
      );
      // A condition such as always() runs a job although one that it needs has failed or was skipped. That of the gate itself may
      // skip it, and what needs it with it.
      return (
        !gate || [name, ...before].some((job) => jobs[job]?.if !== undefined && jobs[job]?.uses !== GATE)
      );
    })
    .map(([name]) => name);

describe('the workflows', () => {
  it('are there', () => {
    const names = WORKFLOWS.map((file) => file.split('/').at(-1));
    expect(names).toEqual(
      expect.arrayContaining([
        'chart.yml',
        'ci.yml',
        'codeql.yml',
        'dependencies.yml',
        'gate.yml',
        'images.yml',
      ]),
    );
  });

  it.each(WORKFLOWS)('%s takes actions only by commit, saying which version that is', (file) => {
    const uses = read(file)
      .split('\n')
      .filter((line) => line.includes('uses:'));
    expect(uses.length).toBeGreaterThan(0);
    for (const line of uses)
      expect(line).toMatch(
        /uses: ([\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*|\.\/\.github\/workflows\/[a-z]+\.yml)$/,
      );
  });

  it.each(WORKFLOWS)('%s has only the rights it needs, and an end', (file) => {
    const { permissions, jobs } = workflow(file);
    // Nothing but reading is granted to all jobs; a job that may do more says so itself.
    expect(
      Object.entries(permissions ?? { missing: 'write' }).filter(([, right]) => right !== 'read'),
    ).toEqual([]);
    for (const job of Object.values(jobs)) {
      // The called workflow has its own limit.
      if (job.uses === undefined) expect(job['timeout-minutes']).toBeGreaterThan(0);
      for (const step of job.steps ?? []) {
        if (step.uses?.startsWith('actions/checkout@'))
          expect(step.with?.['persist-credentials']).toBe(false);
      }
    }
  });

  it.each(WORKFLOWS)('%s publishes only what passed the gate', (file) => {
    expect(publishedWithoutGate(workflow(file))).toEqual([]);
  });

  it('have a gate that is the whole gate, and fails when it does', () => {
    const { jobs } = workflow('.github/workflows/gate.yml');
    const steps = Object.values(jobs).flatMap((job) => [
      job,
      ...(job.steps ?? []).map((step) => ({ ...step, if: undefined })),
    ]);
    expect(steps.filter((step) => step['continue-on-error'] !== undefined || step.if !== undefined)).toEqual(
      [],
    );
    const runs = Object.values(jobs).flatMap(({ steps = [] }) => steps.map(({ run }) => run));
    expect(runs.filter((run) => run?.endsWith(' bash .ci/run'))).toHaveLength(1);
  });

  it.each([
    ['without the gate', { needs: [] }],
    ['after another job only', { needs: 'other' }],
    ['even after a failed gate', { needs: ['gate'], if: 'always()' }],
  ])('are caught when a job publishes %s', (_title, change) => {
    const { jobs } = workflow('.github/workflows/images.yml');
    const other = { steps: [] };
    expect(
      publishedWithoutGate({ jobs: { ...jobs, other, image: { ...jobs['image'], ...change } } }),
    ).toEqual(['image']);
    const unstrict = { ...jobs['gate'], 'continue-on-error': true };
    expect(publishedWithoutGate({ jobs: { ...jobs, gate: unstrict } })).toEqual(['image']);
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
