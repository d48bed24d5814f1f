import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { workspaceRoot } from '@workspace/testing';
import { adapters, files, layers, libraries, options } from '../layers.cjs';

/** A file of an app or a library, one line in it that a rule forbids, and the rule. */
type Row = readonly [file: string, code: string, rule: string];

const IMPORTS: readonly Row[] = [
  ['domain/a.ts', "import '../http/ok.ts'", 'domain-imports-its-inner-layers'],
  [
    'domain/c.ts',
    "import type { FastifyInstance } from 'fastify'; export type A = FastifyInstance",
    'domain-imports-what-the-table-lists',
  ],
  [
    'application/f.ts',
    "import '@workspace/service-kit/problems'",
    'application-imports-what-the-table-lists',
  ],
  ['application/a.ts', "import '../adapters/prometheus/ok.ts'", 'application-imports-its-inner-layers'],
  ['http/a.ts', "import '../adapters/prometheus/ok.ts'", 'http-imports-its-inner-layers'],
  ['http/f.ts', "export const late = () => import('redis')", 'http-imports-what-the-table-lists'],
  ['adapters/prometheus/a.ts', "import '../../http/ok.ts'", 'adapters-imports-its-inner-layers'],
  ['adapters/prometheus/b.ts', "import '../memory/ok.ts'", 'one-technology-per-adapter-folder'],
  ['adapters/mainframe/a.ts', "import 'redis'", 'adapters-imports-what-the-table-lists'],
  ['app.ts', "import './metrics.ts'", 'app-imports-its-inner-layers'],
  ['config.ts', "import './adapters/prometheus/ok.ts'", 'config-imports-its-inner-layers'],
  ['problems.ts', "import './http/ok.ts'", 'problems-imports-its-inner-layers'],
  ['cli/a.ts', "import '../app.ts'", 'cli-imports-its-inner-layers'],
  ['settings.ts', "import './domain/ok.ts'", 'settings-imports-its-inner-layers'],
  ['extension-points.ts', "import './features.ts'", 'extension-points-imports-its-inner-layers'],
  ['extension-points.ts', "import './features.ts'", 'only-entry-points-import-the-options'],
  ['http/g.ts', "import '../features/jwt/ok.ts'", 'core-imports-no-option'],
  ['http/h.ts', "import '../features-cli.ts'", 'only-entry-points-import-the-options'],
  ['cli/b.ts', "import '../features/jwt/ok.ts'", 'core-imports-no-option'],
  ['features/jwt/a.ts', "import '../tokens/ok.ts'", 'options-import-no-other-option'],
  ['features/jwt/b.ts', "import '../../adapters/prometheus/ok.ts'", 'features-imports-its-inner-layers'],
  ['features/jwt/d.ts', "import '../../adapters/prometheus/ok.ts'", 'only-options-about-databases-open-them'],
  ['features/bridge/a.ts', "import 'jose'", 'features-imports-what-the-table-lists'],
  ['main.ts', "import './helpers/a.ts'", 'src-has-the-layers-of-the-map'],
  // Which imports tuf-js: main.ts reaches it by another file.
  ['main.ts', "import './helpers/a.ts'", 'no-command-line-in-a-service'],
];

/** What no row of the table lists, once for each row. */
const UNLISTED: readonly Row[] = [
  ...Object.keys(layers).map((layer): Row => [
    files.includes(layer) ? `apps/unlisted/src/${layer}.ts` : `apps/unlisted/src/${layer}/a.ts`,
    "import 'node:repl'",
    `${layer}-imports-what-the-table-lists`,
  ]),
  ...Object.entries({ adapters, features: options }).flatMap(([layer, folders]) =>
    Object.keys(folders).map((folder): Row => [
      `apps/unlisted/src/${layer}/${folder}/a.ts`,
      "import 'typescript'",
      `${layer}-${folder}-imports-what-the-table-lists`,
    ]),
  ),
  ...Object.entries(libraries).flatMap(([library, { parts = {} }]): Row[] => [
    [`libs/${library}/src/unlisted.ts`, "import 'typescript'", `${library}-imports-what-the-table-lists`],
    ...Object.keys(parts).map((part): Row => [
      `libs/${library}/src/${part}/unlisted.ts`,
      "import 'typescript'",
      `${library}-${part}-imports-what-the-table-lists`,
    ]),
  ]),
];

const LIBRARY_IMPORTS: readonly Row[] = [
  ['logging/src/a.ts', "import '../../service-kit/src/index.ts'", 'logging-imports-what-the-table-lists'],
  [
    'release-catalogue/src/rules/b.ts',
    "import '../files/data-folder.ts'",
    'release-catalogue-rules-imports-what-the-table-lists',
  ],
  ['service-kit/src/a.ts', "import '@workspace/service-process'", 'service-kit-imports-what-the-table-lists'],
];

const GLOBALS: readonly Row[] = [
  ['domain/1.ts', 'export const { env } = process', 'no-undef'],
  ['domain/2.ts', "export const a = fetch('http://localhost')", 'no-undef'],
  ['domain/3.ts', 'export const a = performance.now()', 'no-undef'],
  ['domain/4.ts', 'export const a = Math.random()', 'no-restricted-syntax'],
  ['domain/5.ts', 'export const { random } = Math', 'no-restricted-syntax'],
  ['domain/6.ts', 'export const a = setInterval(() => {}, 1)', 'no-undef'],
  ['domain/7.ts', 'export const a = new Date()', 'no-restricted-syntax'],
  ['domain/8.ts', 'export const a = Date.now()', 'no-restricted-syntax'],
  ['domain/9.ts', "export const a = Date['now']()", 'no-restricted-syntax'],
  ['domain/10.ts', 'export const a = globalThis', 'no-restricted-globals'],
  [
    'domain/11.ts',
    "import { randomUUID } from 'node:crypto'; export const a = randomUUID()",
    'no-restricted-imports',
  ],
  ['domain/12.ts', 'export const a = crypto.randomUUID()', 'no-undef'],
  ['domain/13.ts', "console.log('a')", 'no-undef'],
  ['application/1.ts', 'export const a = setTimeout(() => {}, 1)', 'no-undef'],
  ['application/2.ts', 'export const a = Date()', 'no-restricted-syntax'],
  ['application/3.ts', 'export const a = process.hrtime()', 'no-undef'],
  [
    'application/4.ts',
    "import { run } from '@workspace/service-process'; export const a = run",
    'no-restricted-imports',
  ],
  ['http/1.ts', 'export const a = process.env', 'no-undef'],
  ['http/2.ts', 'export const a = Math.random()', 'no-restricted-syntax'],
  ['http/3.ts', 'export const a = new Date()', 'no-restricted-syntax'],
  [
    'http/4.ts',
    "import { randomBytes } from 'node:crypto'; export const a = randomBytes(1)",
    'no-restricted-imports',
  ],
  ['http/5.ts', "export const a = fetch('http://localhost')", 'no-undef'],
  ['adapters/prometheus/1.ts', 'export const a = process.env.A', 'no-restricted-syntax'],
  ['adapters/prometheus/2.ts', 'export const { env } = process', 'no-restricted-syntax'],
  [
    'adapters/prometheus/3.ts',
    "import { run } from '@workspace/service-process'; export const a = run",
    'no-restricted-imports',
  ],
  [
    'adapters/prometheus/4.ts',
    "export const a = () => import('@workspace/service-kit')",
    'no-restricted-syntax',
  ],
  ['features/jwt/1.ts', "export const a = fetch('http://localhost')", 'no-undef'],
  ['features/jwt/2.ts', 'export const a = Date.now()', 'no-restricted-syntax'],
  ['adapters/prometheus/5.ts', "export const a = fetch('http://localhost')", 'no-undef'],
  ['app.ts', 'export const a = Date.now()', 'no-restricted-syntax'],
  ['config.ts', 'export const a = process.env', 'no-undef'],
  // What `npm test` runs.
  ...[
    "it('a', () => undefined, 5_000)",
    "it.only('a', () => undefined, 5_000)",
    "it.each([1])('a', () => undefined, 5_000)",
    'beforeAll(() => undefined, 5_000)',
    "export const a = () => eventually('a', () => true, 5_000)",
    'jest.setTimeout(5_000)',
    'jest.retryTimes(2)',
    'export const a = () => expect(performance.now()).toBeLessThan(5_000)',
    'export const a = (began: number) => expect(Date.now() - began).toBeLessThan(5_000)',
    'export const a = AbortSignal.timeout(5_000)',
  ].map((code, index): Row => [`domain/${index}.test.ts`, code, 'no-restricted-syntax']),
  ['domain/a.test.ts', '// eslint-disable-next-line eqeqeq\nexport const a = 1 == 1', 'workspace/reasons'],
];

/** What a layer may do, so that the rows above do not pass because everything fails. */
const ALLOWED: Readonly<Record<string, string>> = {
  'domain/ok.ts':
    "import { createHash } from 'node:crypto'; export const a = createHash('sha1'); export const b = new Date(0)",
  'domain/ok.test.ts': "it('a', () => undefined); export const a = Date.now() - 5_000",
  'application/ok.ts':
    "import '../domain/ok.ts'; import type { Clock } from '@workspace/service-process'; export type A = Clock",
  'http/ok.ts':
    "import '../application/ok.ts'; import type { FastifyInstance } from 'fastify'; export type A = FastifyInstance",
  'adapters/prometheus/ok.ts':
    "import '../../application/ok.ts'; import { Counter } from 'prom-client'; export const a = Counter",
  'adapters/memory/ok.ts': "import '../../application/ok.ts'; export const a = Date.now()",
  'features/jwt/ok.ts':
    "import '../../http/ok.ts'; import { jwtVerify } from 'jose'; export const a = jwtVerify",
  'features/tokens/ok.ts': "import '../../application/ok.ts'",
  'features.ts': "import './features/jwt/ok.ts'; import './features/tokens/ok.ts'",
  'features/export/ok.ts':
    "import '../../cli/ok.ts'; import { Command } from '@workspace/release-cli'; export type A = Command",
  'cli/ok.ts': "import '../domain/ok.ts'",
  'features-cli.ts': "import './features/export/ok.ts'",
  'release-data.ts': "import './features.ts'; import './features-cli.ts'",
  'metrics.ts': "import './adapters/prometheus/ok.ts'",
  'main.ts':
    "import './features.ts'; import './http/ok.ts'; import './adapters/prometheus/ok.ts'; export const a = process.env",
};

/** A workspace of its own with the rules, the packages and the libraries of this one. */
let root: string;
const sourceOf = (name: string, file: string): string => `apps/${name}/src/${file}`;
const write = (file: string, code: string): void => {
  mkdirSync(join(root, dirname(file)), { recursive: true });
  writeFileSync(join(root, file), `${code};\n`);
};
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'rules-'));
  symlinkSync(join(workspaceRoot, 'node_modules'), join(root, 'node_modules'));
  for (const file of ['tsconfig.base.json', 'package.json'])
    cpSync(join(workspaceRoot, file), join(root, file));
  cpSync(join(workspaceRoot, 'libs'), join(root, 'libs'), { recursive: true });
  // Two apps, as app.ts breaks a rule of each kind.
  for (const [app, rows] of Object.entries({ imports: IMPORTS, globals: GLOBALS })) {
    for (const [file, code] of Object.entries(ALLOWED)) write(sourceOf(app, file), code);
    for (const [file, code] of rows) write(sourceOf(app, file), code);
  }
  write(sourceOf('imports', 'helpers/a.ts'), "import 'tuf-js'; export const a = 1");
  for (const [file, code] of LIBRARY_IMPORTS) write(`libs/${file}`, code);
  for (const [file, code] of UNLISTED) write(file, code);
  // These rules need no types, which would take a minute. The rule on projects of Nx has a test of its own kind: the graph.
  write(
    'eslint.config.js',
    `import rules from ${JSON.stringify(join(workspaceRoot, 'eslint.config.js'))};
     const off = { '@typescript-eslint/no-floating-promises': 'off', '@typescript-eslint/no-misused-promises': 'off', '@nx/enforce-module-boundaries': 'off' };
     export default [...rules, { files: ['**/*.ts'], languageOptions: { parserOptions: { projectService: false } }, rules: off }]`,
  );
  // Packages are links here, and rules name their paths.
  write(
    'rules.cjs',
    `const rules = require(${JSON.stringify(join(workspaceRoot, '.dependency-cruiser.cjs'))});
     module.exports = { ...rules, options: { ...rules.options, preserveSymlinks: true } }`,
  );
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** file → names of the rules that it breaks */
type Broken = Map<string, string[]>;
const grouped = (pairs: Iterable<readonly [string, string]>): Broken => {
  const broken: Broken = new Map();
  for (const [file, rule] of pairs) broken.set(file, [...(broken.get(file) ?? []), rule]);
  return broken;
};
const bin = (name: string): string => join(workspaceRoot, 'node_modules/.bin', name);

describe('import rules', () => {
  let broken: Broken;
  beforeAll(() => {
    const { stdout } = spawnSync(
      bin('depcruise'),
      ['--config', 'rules.cjs', '--output-type', 'json', 'apps', 'libs'],
      {
        cwd: root,
        encoding: 'utf8',
        maxBuffer: 1e9,
      },
    );
    const { summary } = JSON.parse(stdout) as {
      summary: { violations: { from: string; rule: { name: string } }[] };
    };
    broken = grouped(summary.violations.map(({ from, rule }) => [from, rule.name]));
  });

  it.each(IMPORTS)('reject %s with %s', (file, _code, rule) => {
    expect(broken.get(sourceOf('imports', file))).toContain(rule);
  });

  it.each(UNLISTED)('reject %s with %s', (file, _code, rule) => {
    expect(broken.get(file)).toContain(rule);
  });

  it.each(LIBRARY_IMPORTS)('reject libs/%s with %s', (file, _code, rule) => {
    expect(broken.get(`libs/${file}`)).toContain(rule);
  });

  it.each(Object.keys(ALLOWED).filter((file) => !['main.ts', 'metrics.ts'].includes(file)))(
    'accept %s',
    (file) => {
      const rules = (broken.get(sourceOf('imports', file)) ?? []).filter((rule) => rule !== 'no-orphan');
      expect(rules).toEqual([]);
    },
  );
});

describe('rules on globals and names', () => {
  let broken: Broken;
  beforeAll(() => {
    const { stdout } = spawnSync(bin('eslint'), ['--format', 'json', 'apps'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 1e9,
    });
    const files = JSON.parse(stdout) as {
      filePath: string;
      messages: { ruleId: string | null; message: string }[];
    }[];
    broken = grouped(
      files.flatMap(({ filePath, messages }) =>
        messages.map(({ ruleId, message }) => [filePath.slice(root.length + 1), ruleId ?? message] as const),
      ),
    );
  });

  it.each(GLOBALS)('reject in %s: %s', (file, _code, rule) => {
    expect(broken.get(sourceOf('globals', file))).toContain(rule);
  });

  it.each(Object.keys(ALLOWED))('accept %s', (file) => {
    expect(broken.get(sourceOf('globals', file)) ?? []).toEqual([]);
  });
});

it('has a row for every rule on layers and libraries', () => {
  const config = execFileSync(
    process.execPath,
    [
      '-e',
      'console.log(JSON.stringify(require(process.argv[1]).forbidden.map((rule) => rule.name)))',
      join(workspaceRoot, '.dependency-cruiser.cjs'),
    ],
    { encoding: 'utf8' },
  );
  const names = (JSON.parse(config) as string[]).filter((name) =>
    /-its-inner-layers$|-what-the-table-lists$/.test(name),
  );
  const tested = new Set([...IMPORTS, ...UNLISTED].map(([, , rule]) => rule));
  expect(names.filter((name) => !tested.has(name))).toEqual([]);
});
