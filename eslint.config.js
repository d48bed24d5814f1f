import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

const ENVIRONMENT = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: 'Only entry points read the environment.',
};

/** Import directions are in .dependency-cruiser.cjs. */
const timeIsAnArgument = {
  files: ['apps/*/src/{domain,application}/**/*.ts'],
  ignores: ['**/*.test.ts'],
  rules: {
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
      ENVIRONMENT,
    ],
  },
};

/** Tools for development and tests may read it anywhere. */
const environmentInMainOnly = {
  files: [
    'apps/*/src/**/*.ts',
    'libs/{schemas,ip-addresses,logging,service-kit,rate-limit-store,kafka-producer,release-catalogue,release-cli}/src/**/*.ts',
  ],
  ignores: [
    '**/{main,cli,ip-locate-data,ip-locate}.ts',
    '**/*.test.ts',
    '**/testing/**',
    'apps/*/src/{domain,application}/**',
  ],
  rules: { 'no-restricted-syntax': ['error', ENVIRONMENT] },
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
            onlyDependOnLibsWithTags: [
              'type:kit',
              'type:adapter',
              'type:catalogue',
              'type:logging',
              'type:contract',
              'type:dev',
            ],
          },
          { sourceTag: 'type:cli', onlyDependOnLibsWithTags: ['type:catalogue', 'type:contract'] },
          { sourceTag: 'type:catalogue', onlyDependOnLibsWithTags: ['type:contract'] },
          { sourceTag: 'type:adapter', onlyDependOnLibsWithTags: ['type:kit', 'type:logging', 'type:dev'] },
          { sourceTag: 'type:kit', onlyDependOnLibsWithTags: ['type:logging', 'type:contract'] },
          { sourceTag: 'type:logging', onlyDependOnLibsWithTags: ['type:contract'] },
          { sourceTag: 'type:contract', onlyDependOnLibsWithTags: [] },
          { sourceTag: 'type:dev', onlyDependOnLibsWithTags: ['type:dev', 'type:kit'] },
        ],
      },
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
  timeIsAnArgument,
  environmentInMainOnly,
);
