import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '@workspace/testing';

/** The apps whose options are folders, and tests of theirs that name no option. */
const APPS = {
  'ip-locate': ['test/contract.test.ts', 'test/caching.test.ts', 'test/caller.test.ts', 'test/index.test.ts'],
  'ops-intake': ['test/operations.test.ts', 'test/readme.test.ts', 'test/partition-key.test.ts'],
  'release-web': [
    'test/contract.test.ts',
    'test/api.test.ts',
    'test/open-api.test.ts',
    'test/http-caching.test.ts',
    'test/release-pages.test.ts',
    'test/yanked.test.ts',
  ],
} as const;
type App = keyof typeof APPS;

const ROOT_FILES = [
  'tsconfig.base.json',
  'package.json',
  'jest.preset.js',
  'jest.fast-check.cjs',
  'jest.reads.cjs',
  'jest.sequencer.js',
];

const optionsOf = (app: App): string[] =>
  readdirSync(join(workspaceRoot, 'apps', app, 'src/features')).toSorted();

/** Options that the newest commit changed which changes any; nightly, all: `OPTIONS=all`. */
const isChosen = ((): ((app: App, option: string) => boolean) => {
  const wanted = process.env['OPTIONS'];
  if (wanted === 'all') return () => true;
  if (wanted) return (_app, option) => wanted.split(',').includes(option);
  const changed = execFileSync(
    'git',
    ['log', '-1', '--format=', '--name-only', '--', 'apps/*/src/features/*'],
    { cwd: workspaceRoot, encoding: 'utf8' },
  );
  return (app, option) => changed.includes(`apps/${app}/src/features/${option}/`);
})();

const chosen = (Object.keys(APPS) as App[]).flatMap((app) =>
  optionsOf(app)
    .filter((option) => isChosen(app, option))
    .map((option): [App, string] => [app, option]),
);
// The gate has time for two.
const cases = process.env['OPTIONS'] ? chosen : chosen.slice(0, 2);

/** A copy of the workspace in which one app lacks an option: its folder, its import, and its line in each list. */
const without = (root: string, app: App, option: string): void => {
  for (const file of [...ROOT_FILES, '.dependency-cruiser.cjs'])
    cpSync(join(workspaceRoot, file), join(root, file));
  symlinkSync(join(workspaceRoot, 'node_modules'), join(root, 'node_modules'));
  for (const folder of ['libs', `apps/${app}`])
    cpSync(join(workspaceRoot, folder), join(root, folder), { recursive: true });
  // Packages are links here, and rules name their paths.
  writeFileSync(
    join(root, 'rules.cjs'),
    `const rules = require('./.dependency-cruiser.cjs');
     module.exports = { ...rules, options: { ...rules.options, preserveSymlinks: true } }`,
  );
  rmSync(join(root, 'apps', app, 'src/features', option), { recursive: true });
  // A service and a command line may have a list each.
  const imported = new RegExp(`import \\{ (\\w+) \\} from './features/${option}/[^\n]*\\n`);
  const lists = globSync(join(root, 'apps', app, 'src/features*.ts')).filter((file) =>
    imported.test(readFileSync(file, 'utf8')),
  );
  if (lists.length === 0) throw new Error(`no list imports ${option}`);
  for (const list of lists) {
    const text = readFileSync(list, 'utf8');
    const [line, name] = imported.exec(text)!;
    const left = text.replace(line, '').replace(new RegExp(`\\s*\\b${name}\\b,?`), '');
    expect(left).not.toMatch(new RegExp(`\\b${name}\\b|/${option}/`));
    writeFileSync(list, left);
  }
  // What an app is made of: tests of the option itself go with it.
  writeFileSync(
    join(root, 'apps', app, 'tsconfig.product.json'),
    JSON.stringify({ extends: './tsconfig.json', include: ['src'], exclude: ['src/**/*.test.ts'] }),
  );
};

const run = (cwd: string, command: string, ...args: string[]): void => {
  const { status, stdout, stderr } = spawnSync(join(workspaceRoot, 'node_modules/.bin', command), args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  if (status !== 0) throw new Error(`${command}:\n${stdout}${stderr}`);
};

describe('an app without one of its options', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'removal-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it.each(cases)('compiles, keeps the rules on imports and passes tests: %s without %s', (app, option) => {
    without(root, app, option);
    const folder = join(root, 'apps', app);
    run(root, 'tsc', '-p', join(folder, 'tsconfig.product.json'));
    run(root, 'depcruise', '--config', 'rules.cjs', `apps/${app}/src`);
    run(folder, 'jest', ...APPS[app]);
  });

  it('is tried for some option', () => {
    expect(cases.length).toBeGreaterThan(0);
  });
});
