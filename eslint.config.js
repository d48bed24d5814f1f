import { createRequire } from 'node:module';
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

const { files, layers, libraries } = createRequire(import.meta.url)('./libs/workspace/layers.cjs');

const restricted = (selector, message) => ({ selector, message });
const CLOCK_AND_RANDOMNESS = [
  restricted(
    "NewExpression[callee.name='Date'][arguments.length=0], CallExpression[callee.name='Date']",
    'Time is an argument: take `now: Date`.',
  ),
  restricted(
    "MemberExpression[object.name='Date'][property.name='now']",
    'Time is an argument: take `now: Date`.',
  ),
  restricted("MemberExpression[object.name='Math'][property.name='random']", 'Randomness is an argument.'),
  restricted(
    'VariableDeclarator[init.name=/^(Date|Math)$/], MemberExpression[object.name=/^(Date|Math)$/][computed=true]',
    'Call the members of Date and Math by their names, so that these rules see them.',
  ),
];
/** `import()` hides names from the rule on imported names. */
const LATE_IMPORT_OF_LIBRARY = restricted(
  'ImportExpression[source.value=/^@workspace/]',
  'Import libraries of the workspace by name, at the top.',
);
const ENVIRONMENT = restricted(
  "MemberExpression[object.name='process'][property.name='env'], VariableDeclarator[init.name='process']",
  'Only entry points read the environment.',
);

/** Which globals and which names of modules a layer may use: `libs/workspace/layers.cjs` has the lists. */
const layerRules = Object.entries(layers).map(([layer, { globals, names }]) => ({
  files: [files.includes(layer) ? `apps/*/src/${layer}.ts` : `apps/*/src/${layer}/**/*.ts`],
  ignores: ['**/*.test.ts'],
  languageOptions: { globals: Object.fromEntries(globals.map((name) => [name, 'readonly'])) },
  rules: {
    'no-undef': 'error',
    'no-restricted-globals': ['error', 'globalThis', 'eval', 'Function'],
    'no-restricted-imports': [
      'error',
      { paths: Object.entries(names).map(([name, allowImportNames]) => ({ name, allowImportNames })) },
    ],
    'no-restricted-syntax': [
      'error',
      ...(globals.includes('process') ? [] : CLOCK_AND_RANDOMNESS),
      ...(layer === 'cli' ? [] : [ENVIRONMENT]),
      LATE_IMPORT_OF_LIBRARY,
    ],
  },
}));

/** Tools for development and tests may read it anywhere. */
const environmentInMainOnly = {
  files: [`libs/{${[...Object.keys(libraries), 'release-cli'].join()}}/src/**/*.ts`],
  ignores: ['**/{main,cli}.ts', '**/*.test.ts', '**/testing/**'],
  rules: {
    'no-restricted-syntax': ['error', ENVIRONMENT],
    'no-restricted-globals': [
      'error',
      { name: 'fetch', message: 'Use httpRequest of @workspace/http-client.' },
    ],
  },
};

const boundaries = {
  files: ['**/*.ts'],
  plugins: { '@nx': nx },
  rules: {
    '@nx/enforce-module-boundaries': [
      'error',
      {
        enforceBuildableLibDependency: false,
        allow: [],
        depConstraints: [
          // What services and their libraries may use is in layers.cjs.
          { sourceTag: '*', onlyDependOnLibsWithTags: ['*'] },
          {
            sourceTag: 'type:cli',
            onlyDependOnLibsWithTags: ['type:catalogue', 'type:contract', 'type:dev'],
          },
          {
            sourceTag: 'type:dev',
            onlyDependOnLibsWithTags: ['type:contract', 'type:dev', 'type:logging'],
          },
        ],
      },
    ],
  },
};

/** One way to write a function; only generators have no arrow. */
const arrowFunctions = {
  create: (context) => ({
    'FunctionDeclaration[generator=false]': (node) =>
      context.report({ node, message: 'Write it as a constant with an arrow function.' }),
  }),
};

/** Whoever switches a rule off says why: `eslint-disable-next-line rule -- reason`. */
const reasons = {
  create: ({ sourceCode, report }) => ({
    Program: () =>
      sourceCode
        .getAllComments()
        .filter(({ value }) => /^\s*eslint-disable/.test(value) && !/ -- \S/.test(value))
        .forEach(({ loc }) => report({ loc, message: 'Say why: `-- reason`.' })),
  }),
};

const CLOCK = 'A busy machine is slow. Wait for an event, or take a clock as an argument.';
/** What `npm test` runs does not pass or fail by how long something takes. */
const noTimeLimits = {
  files: ['{apps,libs,docker}/**/*.test.ts', '{apps,libs,docker}/**/test/**', '**/jest.config.js'],
  ignores: ['**/{e2e,bench}/**'],
  rules: {
    'no-restricted-syntax': [
      'error',
      restricted(
        [
          ':matches([callee.name=/^(it|test)$/], [callee.object.name=/^(it|test)$/], [callee.callee.object.name=/^(it|test)$/])[arguments.length>2]',
          '[callee.name=/^(before|after)(All|Each)$/][arguments.length>1]',
          "[callee.name='eventually'][arguments.length>2]",
        ]
          .map((call) => `CallExpression${call}`)
          .join(),
        'No time limit: jest.preset.js has the one that ends a test that hangs.',
      ),
      restricted("Property[key.name='testTimeout']", 'jest.preset.js has the limit of all tests.'),
      restricted("MemberExpression[object.name='jest'][property.name=/^(setTimeout|retryTimes)$/]", CLOCK),
      restricted("MemberExpression[object.name='AbortSignal'][property.name='timeout']", CLOCK),
      restricted("MemberExpression[object.name='performance'][property.name='now']", CLOCK),
      restricted("MemberExpression[object.name='process'][property.name='hrtime']", CLOCK),
      restricted(
        "BinaryExpression[operator='-'][right.type=/Identifier|Member|Call/] > CallExpression.left[callee.object.name='Date'][callee.property.name='now']",
        CLOCK,
      ),
    ],
  },
};

export default tseslint.config(
  { ignores: ['**/dist', '**/node_modules', 'reports', 'tmp', '.nx', '.cache', '**/fixtures/**'] },
  // Its types are generated from /openapi.json: e2e/submitter-examples.test.ts checks it with tsc.
  { ignores: ['apps/ops-intake/examples/submitters'] },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true } },
    plugins: { workspace: { rules: { 'arrow-functions': arrowFunctions, reasons } } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      eqeqeq: 'error',
      'arrow-body-style': 'error',
      'workspace/arrow-functions': 'error',
      'workspace/reasons': 'error',
      'no-empty': 'error',
    },
  },
  boundaries,
  ...layerRules,
  environmentInMainOnly,
  noTimeLimits,
);
