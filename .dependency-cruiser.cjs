// Import directions of the workspace: `npx nx lint workspace` checks them, type-only imports included.
const APP = '^apps/([^/]+)/src/';
/**
 * One row per layer of an application: what it may import from the same `src`, as a regular expression. `main.ts` may
 * import everything.
 */
const layers = {
  'domain/': 'domain/',
  'application/': '(application|domain)/',
  'adapters/': '(adapters|application|domain)/',
  'cli/': '(cli|adapters|application|domain|http)/',
  'http/': '(http|application|domain)/|problems[.]ts$',
  'app[.]ts$': '(http|application|domain)/|(problems|config|metrics)[.]ts$',
  'config[.]ts$': 'domain/',
  'problems[.]ts$': 'problems[.]ts$',
};

const layerRules = Object.entries(layers).map(([layer, allowed]) => ({
  name: `${layer.replace(/[^a-z.]|\[|\]|\$/g, '')}-imports-only-its-inner-layers`,
  severity: 'error',
  from: { path: `${APP}${layer}` },
  to: { path: '^apps/$1/src/', pathNot: `^apps/$1/src/(${allowed})` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-import-cycle',
      severity: 'error',
      from: { path: [APP, '^(libs|docker)/'] },
      to: { circular: true },
    },
    ...layerRules,
    {
      name: 'src-has-the-layers-of-the-map',
      comment: 'See "The map" in README.md.',
      severity: 'error',
      from: {
        path: `${APP}`,
        pathNot: `${APP}((domain|application|adapters/[a-z-]+|http|cli)/|(main|ip-locate(-data)?|app|config|problems|metrics)[.]ts$)`,
      },
      to: {},
    },
    {
      name: 'one-technology-per-adapter-folder',
      severity: 'error',
      from: { path: `${APP}adapters/([a-z-]+)/` },
      to: { path: '^apps/$1/src/adapters/', pathNot: '^apps/$1/src/adapters/$2/' },
    },
    {
      name: 'domain-and-application-are-pure',
      comment: 'No framework, no I/O: technology is an argument.',
      severity: 'error',
      from: { path: `${APP}(domain|application)/` },
      to: {
        pathNot: [
          '^apps/',
          '^libs/(schemas|ip-addresses|release-catalogue)/',
          '^(node:)?(net|crypto|util|buffer)$',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'domain-knows-no-package',
      severity: 'error',
      from: { path: `${APP}domain/` },
      to: {
        pathNot: [
          '^apps/',
          '^libs/(schemas|ip-addresses|release-catalogue)/',
          '^(node:)?(net|crypto|util|buffer)$',
        ],
      },
    },
    {
      name: 'apps-import-no-other-app',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'libs-import-no-app',
      severity: 'error',
      from: { path: '^libs/', pathNot: '^libs/workspace/' },
      to: { path: '^apps/' },
    },
    {
      name: 'no-development-tool-in-a-service',
      severity: 'error',
      from: {
        path: [
          '^apps/[^/]+/src/',
          '^libs/(schemas|ip-addresses|logging|service-kit|rate-limit-store|kafka-producer|release-catalogue|release-cli)/src/(?!testing/)',
        ],
      },
      to: {
        path: [
          '^libs/(kafka-broker|workspace)/',
          '^libs/(service-kit|rate-limit-store|kafka-producer)/src/testing/',
        ],
      },
    },
    {
      name: 'no-dev-dependency-in-a-service',
      severity: 'error',
      from: {
        path: [
          APP,
          '^libs/(schemas|ip-addresses|logging|service-kit|rate-limit-store|kafka-producer|release-catalogue)/src/(?!testing/)',
        ],
      },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'late-packages-have-named-exports-in-a-build',
      comment:
        'A bundled CommonJS package has no named exports for `import()`: import it in an ES module of ours, and load that. ' +
        'The packages named here are ES modules, or are used by their default export.',
      severity: 'error',
      from: { path: [APP, '^libs/[^/]+/src/(?!testing/)'] },
      to: {
        dynamic: true,
        path: '^node_modules/',
        pathNot: '^node_modules/(@opentelemetry/|jose/|snappyjs/)',
      },
    },
    {
      name: 'kafkajs-in-the-wire-alone',
      comment: 'Its private modules may change: one folder knows them.',
      severity: 'error',
      from: { path: '^(libs|apps/[^/]+/src)/', pathNot: '^libs/(kafka-producer/src/wire|kafka-broker)/' },
      to: { path: '^(node_modules/)?kafkajs' },
    },
    {
      name: 'kafka-producer-partition-imports-only-the-wire',
      comment: 'The state machine of a partition knows batches and answers, and no cluster.',
      severity: 'error',
      from: { path: '^libs/kafka-producer/src/partition/' },
      to: {
        path: '^(libs|node_modules)/',
        pathNot: '^libs/kafka-producer/src/(partition|wire)/|^libs/kafka-producer/src/(record|outcome)[.]ts$',
      },
    },
    {
      name: 'kafka-producer-wire-imports-nothing-above-it',
      severity: 'error',
      from: { path: '^libs/kafka-producer/src/wire/' },
      to: { path: '^libs/', pathNot: '^libs/kafka-producer/src/(wire/|(settings|record|outcome)[.]ts$)' },
    },
    { name: 'no-unresolvable-import', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-orphan',
      comment: 'A file that nothing imports.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: ['/(e2e|bench|test)/', 'jest[.]config', '(main|/src/ip-locate(-data)?)[.]ts$', '[.]js$'],
      },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['[.]test[.]ts$', '(^|/)(dist|tmp|[.]nx|[.]cache)/'] },
    combinedDependencies: true,
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
