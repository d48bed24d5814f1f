import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '@workspace/testing';

const nx = (...args: string[]): string =>
  execFileSync('npx', ['nx', ...args], {
    cwd: workspaceRoot,
    encoding: 'utf8',
    env: { ...process.env, NX_DAEMON: 'false' },
  });

interface Graph {
  graph: { dependencies: Record<string, { target: string }[]> };
}

const edges = (): Record<string, string[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'graph-'));
  try {
    nx('graph', `--file=${join(folder, 'graph.json')}`);
    const { graph } = JSON.parse(readFileSync(join(folder, 'graph.json'), 'utf8')) as Graph;
    return Object.fromEntries(
      Object.entries(graph.dependencies).map(([from, to]) => [from, to.map(({ target }) => target).sort()]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const affectedBy = (...files: string[]): string[] =>
  (
    JSON.parse(nx('show', 'projects', '--affected', `--files=${files.join(',')}`, '--json')) as string[]
  ).sort();

// With source analysis off, or @nx/js missing, the graph has no edges, affected misses dependents and the built
// package.json files have no dependencies, all of it without an error. Hence these tests.
describe('the Nx graph', () => {
  it('has the edges of the map', () => {
    const found = edges();
    for (const app of ['release-web', 'ops-intake', 'ip-locate']) {
      expect(found[app]).toEqual(expect.arrayContaining(['logging', 'schemas', 'service-kit']));
      expect(
        found[app]!.filter((other) => ['release-web', 'ops-intake', 'ip-locate'].includes(other)),
      ).toEqual([]);
    }
    expect(found['service-kit']).toEqual(['ip-addresses', 'logging', 'schemas', 'testing']);
    expect(found['testing']).toEqual(['logging']);
    expect(found['ip-addresses']).toEqual([]);
    expect(found['logging']).toEqual([]);
    expect(found['schemas']).toEqual([]);
  });

  it('has the projects of the map and no others', () => {
    // Nx takes every file named project.json for a project, a data file too.
    expect((JSON.parse(nx('show', 'projects', '--json')) as string[]).sort()).toEqual([
      'chart',
      'docker',
      'documentation',
      'file-lock',
      'ip-addresses',
      'ip-locate',
      'kafka-broker',
      'kafka-producer',
      'logging',
      'ops-intake',
      'rate-limit-store',
      'release-catalogue',
      'release-cli',
      'release-web',
      'schemas',
      'service-kit',
      'shell-completions',
      'testing',
      'workspace',
    ]);
  });

  it('lets a change touch what depends on it and nothing else', () => {
    expect(affectedBy('apps/ip-locate/src/app.ts')).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(ops-intake|release-web)$/)]),
    );
    expect(affectedBy('apps/ip-locate/src/app.ts')).toContain('ip-locate');
    expect(affectedBy('libs/schemas/src/problem.ts')).toEqual(
      expect.arrayContaining(['ip-locate', 'ops-intake', 'release-web', 'schemas', 'service-kit']),
    );
  });
});

it('type-checks every file of the workspace in the gate', () => {
  const lines = (command: string, ...args: string[]): string[] =>
    execFileSync(command, args, { cwd: workspaceRoot, encoding: 'utf8' }).split('\n').filter(Boolean);
  const checked = new Set(lines('npx', 'tsc', '-p', '.ci/tsconfig.json', '--listFilesOnly'));
  // Its types are generated: e2e/submitter-examples.test.ts of ops-intake checks it with tsc.
  const sources = lines('git', 'ls-files', '*.ts', ':!apps/ops-intake/examples/submitters').map((file) =>
    join(workspaceRoot, file),
  );
  expect(sources.filter((file) => !checked.has(file))).toEqual([]);
});
