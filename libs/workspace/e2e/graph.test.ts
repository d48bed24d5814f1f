import { join } from 'node:path';
import { workspaceOutput, workspaceRoot } from '@workspace/testing';
import { getParsedCommandLineOfConfigFile, sys } from 'typescript';

/** Projects, cached targets, and what of them a change of each file concerns: `P lint` are the projects whose `lint` runs again. */
interface Affected {
  readonly projects: readonly string[];
  readonly tasks: readonly string[];
}
const ALL = 'all' as const;
const APPS = ['ip-locate', 'ops-intake', 'release-web'];
/** What is built of the services, or runs them. */
const AROUND = ['chart', 'docker', 'documentation', 'workspace'];

type Row = readonly [
  file: string,
  /** projects that `nx affected` selects */
  projects: readonly string[] | typeof ALL,
  /** projects by the cached target that runs again; others' results come from the cache */
  again: Readonly<Record<string, readonly string[] | typeof ALL>>,
];
const everything = { build: ALL, data: ALL, e2e: ALL, lint: ALL, test: ALL, typecheck: ALL };

const TABLE: readonly Row[] = [
  ['README.md', ['documentation'], { build: ['documentation'], test: ['documentation'] }],
  [
    '.github/SECURITY.md',
    ['ip-locate', ...AROUND],
    { build: ['documentation'], test: ['docker', 'documentation'] },
  ],
  [
    'CHANGELOG.md',
    ['docker', 'documentation'],
    { build: ['documentation'], test: ['docker', 'documentation'] },
  ],
  ['.github/workflows/ci.yml', ['docker', 'documentation'], { test: ['docker'] }],
  ['.ci/run', ['docker', 'documentation'], { test: ['docker'] }],
  [
    'docker/README.md',
    ['docker', 'documentation'],
    { build: ['documentation'], test: ['docker', 'documentation'] },
  ],
  [
    'docker/runbooks/overload.md',
    ['chart', 'docker', 'documentation'],
    { build: ['documentation'], e2e: ['chart'], test: ['docker', 'documentation'] },
  ],
  ['docker/compose.yaml', ['docker'], { lint: ['docker'], test: ['docker'], typecheck: ['docker'] }],
  [
    'docker/helm/three-services/files/alerts.yaml',
    ['chart', 'docker'],
    { e2e: ['chart'], lint: ['chart'], test: ['docker'], typecheck: ['chart'] },
  ],
  [
    'docker/tools/program',
    ['ops-intake', ...AROUND],
    { e2e: ['chart'], lint: ['docker'], test: ['docker'], typecheck: ['docker'] },
  ],
  ['docker/images/sbom.js', ['docker'], { lint: ['docker'], test: ['docker'], typecheck: ['docker'] }],
  [
    'apps/release-web/data/product.json',
    ['release-web', ...AROUND],
    {
      build: ['documentation', 'release-web'],
      lint: ['release-web', ...AROUND],
      test: ['docker', 'documentation', 'release-web', 'workspace'],
      typecheck: ['release-web', ...AROUND],
    },
  ],
  [
    'apps/ip-locate/src/domain/csv-row.ts',
    ['ip-locate', ...AROUND],
    {
      build: ['documentation', 'ip-locate'],
      e2e: ['chart'],
      lint: ['ip-locate', ...AROUND],
      test: ['docker', 'documentation', 'ip-locate', 'workspace'],
      typecheck: ['ip-locate', ...AROUND],
    },
  ],
  [
    'apps/ip-locate/docs/fields.md',
    ['ip-locate', ...AROUND],
    { build: ['documentation'], test: ['documentation', 'ip-locate'] },
  ],
  [
    'apps/ip-locate/e2e/start.test.ts',
    ['ip-locate', ...AROUND],
    { lint: ['ip-locate', 'workspace'], test: ['ip-locate'], typecheck: ['ip-locate'] },
  ],
  [
    'libs/kafka-producer/src/index.ts',
    ['kafka-producer', 'ops-intake', ...AROUND],
    {
      build: ['documentation', 'ops-intake'],
      e2e: ['chart'],
      lint: ['kafka-producer', 'ops-intake', ...AROUND],
      test: ['docker', 'documentation', 'kafka-producer', 'ops-intake', 'workspace'],
      typecheck: ['kafka-producer', 'ops-intake', ...AROUND],
    },
  ],
  [
    'libs/release-catalogue/src/index.ts',
    ['release-catalogue', 'release-cli', 'release-web', ...AROUND],
    {
      build: ['documentation', 'release-cli', 'release-web'],
      e2e: ['chart'],
      lint: ['release-catalogue', 'release-cli', 'release-web', ...AROUND],
      test: ['docker', 'documentation', 'release-catalogue', 'release-cli', 'release-web', 'workspace'],
      typecheck: ['release-catalogue', 'release-cli', 'release-web', ...AROUND],
    },
  ],
  [
    'libs/documentation/src/main.ts',
    ['chart', 'documentation', 'workspace'],
    {
      build: ['documentation'],
      e2e: ['chart'],
      lint: ['documentation', 'workspace'],
      test: ['documentation'],
      typecheck: ['documentation'],
    },
  ],
  ['eslint.config.js', ALL, { lint: ALL }],
  ['libs/workspace/layers.cjs', ALL, { lint: ALL, test: ['workspace'], typecheck: ['workspace'] }],
  ['jest.preset.js', ALL, { test: ALL }],
  ['jest.sequencer.js', ALL, { test: ALL }],
  ['esbuild.preset.js', [...APPS, 'release-cli', ...AROUND], { build: [...APPS, 'release-cli'] }],
  [
    'esbuild.licenses.js',
    [...APPS, 'release-cli', ...AROUND],
    { build: [...APPS, 'release-cli'], test: ['workspace'] },
  ],
  ['.npmrc', ALL, everything],
  ['.node-version', ALL, everything],
  ['package-lock.json', ALL, everything],
  ['tsconfig.base.json', ALL, everything],
  ['.prettierrc.json', [], {}],
];

const { affected, edges, roots, targets } = JSON.parse(
  workspaceOutput('node', join(__dirname, 'affected.js'), ...TABLE.map(([file]) => file)),
) as {
  affected: Record<string, Affected>;
  edges: Record<string, readonly string[]>;
  /** folders of projects */
  roots: Record<string, string>;
  /** the cached tasks that exist, `project:target` */
  targets: readonly string[];
};
const tasksOf = (target: string): string[] =>
  targets.filter((task) => task.endsWith(`:${target}`)).map((task) => task.split(':')[0]!);

// With source analysis off, or @nx/js missing, the graph has no edges, affected misses dependents and the built
// package.json files have no dependencies, all of it without an error. Hence these tests.
describe('the Nx graph', () => {
  it('has the edges of the map', () => {
    for (const app of APPS) {
      expect(edges[app]).toEqual(
        expect.arrayContaining(['logging', 'schemas', 'service-kit', 'service-process']),
      );
      expect(edges[app]!.filter((other) => [...APPS, ...AROUND].includes(other))).toEqual([]);
    }
    expect(edges['service-kit']).toEqual(
      expect.arrayContaining(['http-connections', 'ip-addresses', 'logging', 'schemas', 'testing']),
    );
    expect(edges['service-process']).toEqual(
      expect.arrayContaining(['http-connections', 'logging', 'schemas', 'service-kit', 'testing']),
    );
    expect(edges['api-reference']).toEqual(['http-connections', 'service-kit', 'testing']);
    expect(edges['testing']).toEqual(['logging']);
    expect(edges['http-connections']).toEqual(['testing']);
    expect(edges['ip-addresses']).toEqual([]);
    expect(edges['logging']).toEqual([]);
    expect(edges['schemas']).toEqual([]);
  });

  it('has no cycle', () => {
    const cycles: string[][] = [];
    const walk = (path: readonly string[]): void => {
      for (const next of edges[path.at(-1)!]!) {
        if (path.includes(next)) cycles.push([...path.slice(path.indexOf(next)), next]);
        else walk([...path, next]);
      }
    };
    for (const project of Object.keys(edges)) walk([project]);
    expect(cycles).toEqual([]);
  });

  it('has no project outside the folders of the map', () => {
    // Nx takes every file named project.json for a project, a data file too.
    const folders = Object.values(roots).filter(
      (root) => !/^(apps|libs)\/[^/]+$|^docker(\/helm)?$/.test(root),
    );
    expect(folders).toEqual([]);
  });
});

describe('a change', () => {
  it.each(TABLE)('of %s concerns exactly what depends on it', (file, projects, again) => {
    const found = affected[file]!;
    expect(found.projects).toEqual(projects === ALL ? Object.keys(edges).sort() : [...projects].sort());
    const expected = Object.entries(again).flatMap(([target, names]) =>
      (names === ALL ? tasksOf(target) : names).map((name) => `${name}:${target}`),
    );
    expect(found.tasks).toEqual(expected.sort());
  });
});

it('type-checks every file of the workspace', () => {
  const lines = (...patterns: string[]): string[] =>
    workspaceOutput('git', 'ls-files', ...patterns)
      .split('\n')
      .filter(Boolean);
  const configurations = tasksOf('typecheck').map((project) => join(roots[project]!, 'tsconfig.json'));
  const checked = new Set(
    configurations.flatMap(
      (file) =>
        getParsedCommandLineOfConfigFile(
          join(workspaceRoot, file),
          {},
          { ...sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
        )!.fileNames,
    ),
  );
  // Its types are generated: e2e/submitter-examples.test.ts of ops-intake checks it with tsc.
  const sources = lines('*.ts', ':!apps/ops-intake/examples/submitters').map((file) =>
    join(workspaceRoot, file),
  );
  expect(sources.filter((file) => !checked.has(file))).toEqual([]);
});
