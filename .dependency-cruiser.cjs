// Imports of the workspace, type-only ones included: `npx nx lint workspace` checks them. The lists are in
// libs/workspace/layers.cjs; libs/workspace/e2e/rules.test.ts breaks every rule once.
const { adapters, commandLine, files, layers, libraries, options } = require('./libs/workspace/layers.cjs');

const APP = '^apps/([^/]+)/src/';
const escape = (text) => text.replace(/[.]/g, '[.]');
const oneOf = (names) => `(${names.map(escape).join('|')})`;

/** Paths of what a row of the table may use: libraries, npm packages, modules of Node. */
const outside = ({ libraries, packages, node }) => [
  ...(libraries.length > 0 ? [`^libs/${oneOf(libraries)}/src/`] : []),
  ...(packages.length > 0 ? [`^node_modules/${oneOf(packages)}/`] : []),
  ...(node.length > 0 ? [`^(node:)?${oneOf(node)}$`] : []),
];

/** `main.ts` may import everything. */
/** Folders of a layer that may use more than the layer. */
const foldersOf = { adapters, features: options };
const pathOf = (layer) => (files.includes(layer) ? `${layer}[.]ts$` : `${layer}/`);
const layerRules = Object.entries(layers).flatMap(([layer, row]) => {
  const from = { path: `${APP}${pathOf(layer)}` };
  const folders = Object.keys(foldersOf[layer] ?? {});
  return [
    {
      name: `${layer}-imports-its-inner-layers`,
      severity: 'error',
      from,
      to: { path: '^apps/$1/src/', pathNot: row.imports.map((path) => `^apps/$1/src/${escape(path)}`) },
    },
    {
      name: `${layer}-imports-what-the-table-lists`,
      severity: 'error',
      from: folders.length > 0 ? { ...from, pathNot: `${APP}${layer}/${oneOf(folders)}/` } : from,
      to: { pathNot: ['^apps/', ...outside(row)] },
    },
  ];
});

/** What the folders of a layer may use: what the layer may, and their own. */
const folderRules = Object.entries(foldersOf).flatMap(([layer, folders]) =>
  Object.entries(folders).map(([folder, { libraries = [], packages, node }]) => ({
    name: `${layer}-${folder}-imports-what-the-table-lists`,
    severity: 'error',
    from: { path: `${APP}${layer}/${folder}/` },
    to: {
      pathNot: [
        '^apps/',
        ...outside({
          libraries: [...layers[layer].libraries, ...libraries],
          packages: [...layers[layer].packages, ...packages],
          node: [...layers[layer].node, ...node],
        }),
      ],
    },
  })),
);

/** A library's own files, and what the table lists. */
const libraryRules = Object.entries(libraries).flatMap(([library, row]) => [
  {
    name: `${library}-imports-what-the-table-lists`,
    severity: 'error',
    from: { path: `^libs/${library}/src/(?!testing/)` },
    to: { pathNot: [`^libs/${library}/src/(?!testing/)`, ...outside(row)] },
  },
  ...Object.entries(row.parts ?? {}).map(([part, { imports, ...inner }]) => ({
    name: `${library}-${part}-imports-what-the-table-lists`,
    severity: 'error',
    from: { path: `^libs/${library}/src/${part}/` },
    to: {
      pathNot: [
        ...imports.map((path) => `^libs/${library}/src/${escape(path)}`),
        ...outside({ ...row, ...inner }),
      ],
    },
  })),
]);

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
    ...folderRules,
    {
      name: 'core-imports-no-option',
      severity: 'error',
      from: { path: APP, pathNot: `${APP}features(/|(-cli|-lookup)?[.]ts$)` },
      to: { path: `${APP}features/` },
    },
    {
      name: 'options-import-no-other-option',
      severity: 'error',
      from: { path: `${APP}features/([^/]+)/` },
      to: { path: '^apps/$1/src/features/', pathNot: '^apps/$1/src/features/$2/' },
    },
    {
      name: 'only-options-about-databases-open-them',
      severity: 'error',
      from: { path: `${APP}features/`, pathNot: `${APP}features/(data-updates|traits)/` },
      to: { path: `${APP}adapters/` },
    },
    {
      name: 'only-entry-points-import-the-options',
      severity: 'error',
      from: { path: APP, pathNot: `${APP}(main|release-data|ip-locate(-data)?)[.]ts$` },
      to: { path: `${APP}features(-cli|-lookup)?[.]ts$` },
    },
    ...libraryRules,
    {
      name: 'src-has-the-layers-of-the-map',
      comment: 'See "The map" in README.md.',
      severity: 'error',
      from: {},
      to: {
        path: APP,
        pathNot: `${APP}((domain|application|adapters/[a-z-]+|http|cli|features/[a-z-]+)/|(main|features(-cli|-lookup)?|files-ahead|ip-locate(-data)?|log-options|release-data|${files.join('|')})[.]ts$)`,
      },
    },
    {
      name: 'one-technology-per-adapter-folder',
      comment: 'shared-store/ has no technology: it is what stores on servers have in common.',
      severity: 'error',
      from: { path: `${APP}adapters/([a-z-]+)/` },
      to: { path: '^apps/$1/src/adapters/', pathNot: '^apps/$1/src/adapters/($2|shared-store)/' },
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
      name: 'no-command-line-in-a-service',
      severity: 'error',
      from: { path: `${APP}main[.]ts$` },
      to: { path: outside({ ...commandLine, node: [] }), reachable: true },
    },
    {
      name: 'no-development-tool-in-a-service',
      severity: 'error',
      from: {
        path: [
          '^apps/[^/]+/src/',
          `^libs/${oneOf([...Object.keys(libraries), 'release-cli'])}/src/(?!testing/)`,
        ],
      },
      to: {
        path: ['^libs/(documentation|kafka-broker|testing|workspace)/', '^libs/[^/]+/src/testing/'],
      },
    },
    {
      name: 'no-dev-dependency-in-a-service',
      comment: 'A build has what outlines.ts exports, and not what it imports.',
      severity: 'error',
      from: {
        path: [APP, `^libs/${oneOf(Object.keys(libraries))}/src/(?!testing/)`],
        pathNot: '/http/page/outlines[.]ts$',
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
        pathNot: '^node_modules/(@opentelemetry/|jose/|openpgp/|snappyjs/)',
      },
    },
    {
      name: 'no-unresolvable-import',
      comment: 'The types of an example are generated by those who run it.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^[.]/openapi[.]d[.]ts$' },
    },
    {
      name: 'no-orphan',
      comment: 'A file that nothing imports.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: [
          '/(e2e|bench|test)/',
          'jest[.]config',
          '(main|/src/(ip-locate(-data)?|release-data))[.]ts$',
          '[.]c?js$',
          '[.]d[.]c?ts$',
        ],
      },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Only folders of ours: the files of many packages are in a dist/ of theirs.
    exclude: { path: ['[.]test[.]ts$', '^(dist|tmp|[.]nx)/', '^(apps|libs|docker)/[^/]+/[.]cache/'] },
    combinedDependencies: true,
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
