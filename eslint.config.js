import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

/** What domain/ may never know: frameworks, technologies, clocks and the environment. */
const pureDomain = {
  files: ['apps/*/src/domain/**/*.ts'],
  ignores: ['**/*.test.ts'],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            regex:
              '^(fastify|@fastify/.*|kafkajs|@maxmind/.*|pino|redis|feed|prom-client|@workspace/(service-kit|logging)(/.*)?|(node:)?(fs|http|https|net|process|child_process|timers)(/.*)?|.*/(adapters|routes|views)/.*)$',
            message: 'domain/ is pure: technology belongs in adapters/, answers in views/ and routes/.',
          },
        ],
      },
    ],
    'no-restricted-syntax': [
      'error',
      {
        selector: "NewExpression[callee.name='Date'][arguments.length=0]",
        message: 'Time is an argument: take `now: Date`.',
      },
      {
        selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
        message: 'Time is an argument: take `now: Date`.',
      },
      {
        selector: "MemberExpression[object.name='process'][property.name='env']",
        message: 'The environment is read once, in main.ts.',
      },
    ],
  },
};

/** The environment is read once, by main.ts (tools for development and tests excepted). */
const environmentInMainOnly = {
  files: ['apps/*/src/**/*.ts', 'libs/{schemas,logging,service-kit}/src/**/*.ts'],
  ignores: ['**/main.ts', '**/cli.ts', '**/*.test.ts', '**/testing/**', 'apps/*/src/domain/**'],
  rules: {
    'no-restricted-syntax': [
      'error',
      {
        selector: "MemberExpression[object.name='process'][property.name='env']",
        message: 'The environment is read once, in main.ts.',
      },
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
          {
            sourceTag: 'type:app',
            onlyDependOnLibsWithTags: ['type:kit', 'type:catalogue', 'type:logging', 'type:contract', 'type:dev'],
          },
          { sourceTag: 'type:cli', onlyDependOnLibsWithTags: ['type:catalogue', 'type:contract'] },
          { sourceTag: 'type:catalogue', onlyDependOnLibsWithTags: ['type:contract'] },
          { sourceTag: 'type:kit', onlyDependOnLibsWithTags: ['type:logging', 'type:contract'] },
          { sourceTag: 'type:logging', onlyDependOnLibsWithTags: ['type:contract'] },
          { sourceTag: 'type:contract', onlyDependOnLibsWithTags: [] },
          { sourceTag: 'type:dev', onlyDependOnLibsWithTags: ['type:dev', 'type:kit'] },
        ],
      },
    ],
  },
};

/** Tools for development and tests never reach a shipped service. */
const devOutsideProduction = {
  files: ['apps/*/src/**/*.ts'],
  ignores: ['**/*.test.ts', 'apps/*/src/domain/**'],
  rules: {
    'no-restricted-imports': [
      'error',
      { paths: ['@workspace/kafka-broker', '@workspace/service-kit/testing'] },
    ],
  },
};

export default tseslint.config(
  { ignores: ['**/dist', '**/node_modules', 'reports', 'tmp', '.nx', '.cache', '**/fixtures/**'] },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      eqeqeq: 'error',
      'no-empty': 'error',
    },
  },
  boundaries,
  pureDomain,
  environmentInMainOnly,
  devOutsideProduction,
);
