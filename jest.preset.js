import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));
// Jest's --outputFile does not make its folder.
mkdirSync(`${root}reports/reads`, { recursive: true });

const require = createRequire(import.meta.url);
const { paths } = JSON.parse(readFileSync(`${root}tsconfig.base.json`, 'utf8')).compilerOptions;

/** Packages that ship ESM only; Jest runs CommonJS, so swc has to translate them too. */
const esmOnly = ['feed', '@maxmind/geoip2-node', 'cookie', 'content-disposition', 'jose'];

/** The module that writes down what the tests of a project read, into a new file. */
const recordReads = (project) => {
  rmSync(`${root}reports/reads/${project}`, { force: true });
  return `${root}jest.reads.cjs`;
};

/**
 * One Jest configuration for every project.
 * @param {string} displayName shown before each suite
 * @param {import('jest').Config & { slowest?: string[] }} [more] what this project does differently; files to start first, by name
 * @returns {import('jest').Config}
 */
export const jestConfig = (displayName, { slowest = [], ...more } = {}) => ({
  displayName,
  setupFiles: [recordReads(displayName)],
  globals: { project: displayName, slowest },
  testSequencer: `${root}jest.sequencer.js`,
  testEnvironment: 'node',
  // Ends a test that hangs. Tests wait for events; how long that takes on a busy machine decides nothing.
  testTimeout: 600_000,
  testMatch: ['<rootDir>/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/e2e/', '<rootDir>/bench/'],
  moduleNameMapper: {
    ...Object.fromEntries(
      Object.entries(paths).map(([alias, [file]]) => [`^${alias}$`, root + file.slice(2)]),
    ),
    '^fast-check$': `${root}jest.fast-check.cjs`,
  },
  transform: {
    '^.+\\.[cm]?[jt]s$': [
      require.resolve('@swc/jest'),
      { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, swcrc: false },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnly.join('|')})/)`],
  ...more,
});

/**
 * End-to-end suites: slower, on the built artefact. They wait more than they compute. What is in `nightly/` runs only with NIGHTLY.
 * @param {string} displayName
 * @param {{ atOnce?: number, slowest?: string[] }} [options] how many files run at the same time; files to start first, by name
 */
export const e2eConfig = (displayName, { atOnce = 1, slowest = [] } = {}) =>
  jestConfig(displayName, {
    testPathIgnorePatterns: ['/node_modules/', ...(process.env.NIGHTLY ? [] : ['<rootDir>/nightly/'])],
    maxWorkers: atOnce,
    slowest,
  });
