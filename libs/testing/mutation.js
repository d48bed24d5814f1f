import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** Texts for people: what an error or a line of the log says is no behaviour. */
const isText = ({ node, parentPath }) => {
  if (!['StringLiteral', 'TemplateLiteral'].includes(node.type) || !parentPath) return false;
  const { node: parent } = parentPath;
  if (parent.type === 'NewExpression') return /Error$|Unreadable$|Broker$/.test(parent.callee.name);
  // What a rule of the catalogue says about a violation: its name, place and subject are contract, the detail is not.
  if (parent.type === 'VariableDeclarator') return parent.id.name === 'detail';
  if (parent.type !== 'CallExpression') return false;
  if (['error', 'warning'].includes(parent.callee.name)) return parent.arguments[3] === node;
  return parent.callee.object?.name === 'logger';
};

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'texts', {
    shouldIgnore: (path) => (isText(path) ? 'text for people' : undefined),
  }),
];

/**
 * Stryker's configuration of a project, for a run in the root of the workspace: it copies the workspace to a sandbox, changes
 * the code there and runs the project's tests on each change.
 * @param {{ name: string, folder: string, mutate: string[], tests?: string[], sandbox?: string[] }} project
 *   `folder` of the project; `mutate`: files in it; `sandbox`: further folders that its tests need
 * @returns {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export const mutationTests = ({ name, folder, mutate, tests, sandbox = [] }) => ({
  testRunner: 'jest',
  jest: {
    projectType: 'custom',
    configFile: `${folder}/jest.config.js`,
    config: {
      // A test that waits in vain should fail before Stryker has to end its process, which costs much more.
      testTimeout: Number(process.env.MUTATE_TEST_TIMEOUT_MS || 60_000),
      ...((process.env.MUTATE_TESTS || tests) && {
        testMatch: (process.env.MUTATE_TESTS?.split(',') ?? tests).map((path) => `<rootDir>/${path}`),
      }),
    },
  },
  coverageAnalysis: 'perTest',
  plugins: ['@stryker-mutator/jest-runner', './libs/testing/mutation.js'],
  ignorers: ['texts'],
  mutate: [
    ...(process.env.MUTATE?.split(',') ?? mutate).map((path) => `${folder}/${path}`),
    `!${folder}/**/*.test.ts`,
    `!${folder}/src/testing/**`,
  ],
  ignorePatterns: [
    '*',
    '!*.js',
    '!*.cjs',
    '!package.json',
    '!tsconfig.base.json',
    '!libs/**',
    ...[folder, ...sandbox].map((path) => `!${path}/**`),
  ],
  disableTypeChecks: false,
  concurrency: Number(process.env.MUTATE_CONCURRENCY || 1),
  // A test run that takes longer counts as a noticed change: long enough for a machine that is busy with other things.
  timeoutMS: 12_000,
  tempDirName: `tmp/stryker-${name}`,
  reporters: ['progress-append-only', 'clear-text', 'json'],
  clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: `reports/${name}-mutation.json` },
  thresholds: { high: 95, low: 90, break: 90 },
});
