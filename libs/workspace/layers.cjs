/**
 * What the layers of a service and the libraries may use: one table, from which `.dependency-cruiser.cjs` makes the rules on
 * imports and `eslint.config.js` those on globals and on names. Lists are complete: what they leave out is forbidden,
 * type-only imports included.
 *
 * - `imports`: which parts of the same `src/`, as the beginnings of paths
 * - `libraries`: which libraries of the workspace
 * - `packages`: which npm packages
 * - `node`: which modules of Node
 * - `globals`: which globals beside those of the language; `Math.random`, `Date.now` and `new Date()` are forbidden wherever
 *   `process` is not listed
 * - `names`: the only names that may be imported from a module
 */

/** Without these no layer could say what a text or an address is; none does I/O, knows the time or has a state. */
const DATA = ['Buffer', 'TextDecoder', 'TextEncoder', 'URL', 'URLSearchParams', 'NodeJS'];
const TIMERS = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate'];

/** What ports and use cases may take from libraries that also hold technology. */
const PORT_TYPES = {
  '@workspace/logging': ['Logger'],
  '@workspace/http-connections': ['ClientNetwork', 'ClientShares'],
  '@workspace/service-process': ['Clock', 'Reloadable', 'Timer', 'Timers'],
};

exports.layers = {
  domain: {
    imports: ['domain/'],
    libraries: ['schemas', 'ip-addresses', 'release-catalogue'],
    packages: [],
    node: ['crypto'],
    globals: ['Buffer'],
    names: { 'node:crypto': ['createHash', 'hash'] },
  },
  application: {
    imports: ['application/', 'domain/'],
    libraries: [
      'http-connections',
      'schemas',
      'ip-addresses',
      'release-catalogue',
      'logging',
      'service-process',
    ],
    packages: [],
    node: [],
    globals: ['Buffer'],
    names: PORT_TYPES,
  },
  http: {
    imports: ['http/', 'application/', 'domain/', 'problems.ts'],
    libraries: [
      'http-connections',
      'schemas',
      'ip-addresses',
      'release-catalogue',
      'logging',
      'service-kit',
      'service-process',
    ],
    packages: [
      'fastify',
      '@sinclair/typebox',
      'ajv-formats',
      'fresh',
      'negotiator',
      'lru-cache',
      'feed',
      'yaml',
      'topojson-client',
      '@types/topojson-specification',
      'world-atlas',
    ],
    node: ['http', 'crypto', 'buffer', 'stream', 'zlib'],
    globals: [...DATA, ...TIMERS, 'AbortSignal'],
    names: {
      '@workspace/service-process': PORT_TYPES['@workspace/service-process'],
      'node:crypto': ['createHash', 'X509Certificate'],
      'node:http': ['IncomingMessage', 'METHODS', 'ServerResponse'],
    },
  },
  adapters: {
    imports: ['adapters/', 'application/', 'domain/'],
    libraries: [
      'schemas',
      'ip-addresses',
      'release-catalogue',
      'logging',
      'service-process',
      'rate-limit-store',
    ],
    packages: [],
    node: [],
    globals: [
      ...DATA,
      ...TIMERS,
      'AbortController',
      'AbortSignal',
      'BufferEncoding',
      'performance',
      'process',
    ],
    names: {
      ...PORT_TYPES,
      '@workspace/service-process': [
        'Clock',
        'Metrics',
        'NamedFile',
        'Reloadable',
        'Timer',
        'Timers',
        'UnusableFiles',
      ],
    },
  },
  cli: {
    imports: ['cli/', 'adapters/', 'application/', 'domain/', 'http/'],
    libraries: [
      'file-lock',
      'ip-addresses',
      'release-catalogue',
      'release-cli',
      'service-kit',
      'service-process',
      'shell-completions',
    ],
    // Types of routes, whose paths are exported.
    packages: ['fastify', '@sinclair/typebox'],
    node: ['crypto', 'events', 'fs', 'fs/promises', 'path', 'stream', 'util'],
    globals: [...DATA, 'performance', 'process'],
    names: {},
  },
  app: {
    imports: ['http/', 'application/', 'domain/', 'problems.ts', 'config.ts', 'extension-points.ts'],
    libraries: [
      'http-connections',
      'schemas',
      'ip-addresses',
      'logging',
      'service-kit',
      'service-process',
      'api-reference',
    ],
    packages: [],
    node: [],
    globals: [],
    names: {},
  },
  config: {
    imports: ['domain/', 'settings.ts'],
    libraries: ['ip-addresses', 'service-kit', 'service-process'],
    packages: ['@sinclair/typebox'],
    node: ['path'],
    globals: ['URL'],
    names: {},
  },
  settings: {
    imports: [],
    libraries: [],
    packages: ['@sinclair/typebox'],
    node: [],
    globals: [],
    names: {},
  },
  'extension-points': {
    imports: ['http/', 'application/', 'domain/', 'config.ts'],
    libraries: [
      'http-connections',
      'ip-addresses',
      'kafka-producer',
      'logging',
      'rate-limit-store',
      'release-catalogue',
      'schemas',
      'service-kit',
      'service-process',
    ],
    packages: ['@sinclair/typebox', 'fastify'],
    node: [],
    globals: [],
    names: { '@workspace/rate-limit-store': ['RunScript'] },
  },
  // What only some options may use beside this is in `options` below.
  features: {
    imports: [
      ...['features/', 'cli/', 'http/', 'application/', 'domain/', 'adapters/mmdb/'],
      ...['problems.ts', 'config.ts', 'settings.ts', 'extension-points.ts'],
    ],
    libraries: [
      'http-connections',
      'schemas',
      'ip-addresses',
      'logging',
      'release-catalogue',
      'service-kit',
      'service-process',
    ],
    packages: ['@sinclair/typebox', 'fastify'],
    node: ['http'],
    globals: [...DATA, ...TIMERS, 'AbortController', 'AbortSignal', 'BufferEncoding', 'performance'],
    names: { 'node:http': ['IncomingMessage', 'METHODS', 'ServerResponse'] },
  },
  problems: {
    imports: ['problems.ts'],
    libraries: ['service-kit'],
    packages: [],
    node: [],
    globals: [],
    names: {},
  },
};

/** Layers that are one file and no folder. */
exports.files = ['app', 'config', 'extension-points', 'problems', 'settings'];

/** What each folder of `features/` may use beside what all of them may. */
exports.options = {
  'access-rules': { packages: ['lru-cache'], node: ['timers/promises'] },
  batches: { packages: [], node: ['stream'] },
  'audit-trail': { packages: [], node: ['os'] },
  'bulk-streams': { packages: ['prom-client'], node: ['stream'] },
  'client-certificates': { packages: [], node: ['crypto'] },
  'data-updates': {
    libraries: ['file-lock', 'http-client'],
    packages: ['tar-stream', 'yauzl'],
    node: ['crypto', 'fs', 'fs/promises', 'path', 'stream', 'stream/promises', 'timers/promises', 'zlib'],
  },
  'database-diff': { packages: ['prom-client'], node: ['fs', 'fs/promises', 'path', 'timers/promises'] },
  export: {
    libraries: ['file-lock', 'release-cli'],
    packages: [],
    node: ['crypto', 'fs/promises', 'os', 'path', 'process', 'util'],
  },
  'host-names': { packages: ['lru-cache', 'prom-client'], node: ['dns', 'dns/promises'] },
  jwt: { libraries: ['http-client'], packages: ['jose'], node: [] },
  overlay: { packages: [], node: ['crypto', 'timers/promises'] },
  'kafka-security': { libraries: ['kafka-producer'], packages: [], node: ['crypto', 'fs/promises', 'tls'] },
  'own-schemas': { packages: ['ajv', 'ajv-formats', 'redos-detector'], node: ['fs/promises'] },
  'rate-limit': { libraries: ['rate-limit-store'], packages: [], node: [] },
  'rejected-topic': { packages: ['prom-client'], node: [] },
  'schema-registry': { libraries: ['http-client'], packages: [], node: ['timers/promises'] },
  'shared-keys': { packages: ['pg', '@types/pg', 'redis'], node: ['crypto', 'timers/promises'] },
  tokens: { packages: ['prom-client'], node: [] },
  traces: { packages: ['@opentelemetry/api'], node: ['diagnostics_channel'] },
};

/** The one technology of each folder of `adapters/`: its packages and modules of Node, and its libraries of the workspace. */
exports.adapters = {
  files: { packages: [], node: ['crypto', 'fs', 'fs/promises', 'os', 'path'] },
  kafka: { libraries: ['kafka-producer'], packages: [], node: [] },
  // crypto seeds the hashes of keys that clients choose.
  memory: { packages: [], node: ['crypto'] },
  mmdb: {
    packages: ['@maxmind/geoip2-node', 'mmdb-lib', '@photostructure/tz-lookup'],
    node: ['crypto', 'fs', 'fs/promises', 'module', 'path', 'timers/promises', 'url', 'zlib'],
  },
  prometheus: { libraries: ['kafka-producer'], packages: ['prom-client'], node: [] },
  random: { packages: [], node: ['crypto'] },
};

/**
 * What each library may use of the workspace, of npm and of Node. `parts` has stricter rows for folders of its `src/`.
 */
exports.libraries = {
  schemas: { libraries: [], packages: ['@sinclair/typebox'], node: [] },
  'ip-addresses': { libraries: [], packages: [], node: [] },
  'file-lock': { libraries: [], packages: [], node: ['fs/promises', 'path', 'sqlite', 'timers/promises'] },
  'http-client': { libraries: [], packages: [], node: ['http', 'https', 'stream', 'zlib'] },
  'http-connections': { libraries: [], packages: [], node: ['events', 'http', 'net'] },
  'shell-completions': { libraries: [], packages: [], node: [] },
  logging: { libraries: ['schemas'], packages: ['pino'], node: ['fs'] },
  'release-catalogue': {
    libraries: ['schemas'],
    packages: ['@sinclair/typebox'],
    node: ['crypto', 'fs', 'fs/promises', 'path'],
    parts: {
      schemas: { imports: ['schemas/'], node: [] },
      facts: { imports: ['facts/', 'schemas/'], packages: [], node: [] },
      rules: {
        imports: ['rules/', 'facts/', 'schemas/', 'json-change.ts'],
        packages: [],
        node: [],
      },
      edits: { imports: ['edits/', 'facts/', 'schemas/', 'json-change.ts'], packages: [], node: [] },
      files: { imports: ['files/', 'rules/', 'facts/', 'schemas/'] },
    },
  },
  // kafkajs's private modules may change: wire/ alone knows them.
  'kafka-producer': {
    libraries: ['http-client', 'logging', 'schemas'],
    packages: ['aws-msk-iam-sasl-signer-js', 'kafkajs', 'snappyjs'],
    node: ['net', 'timers/promises', 'tls', 'util', 'zlib'],
    parts: {
      wire: {
        imports: ['wire/'],
        libraries: ['schemas'],
        packages: ['kafkajs', 'snappyjs'],
      },
      // The state machine of a partition knows batches and answers, and no cluster.
      partition: {
        imports: ['partition/', 'wire/'],
        libraries: ['schemas'],
        packages: [],
        node: [],
      },
      cluster: {
        imports: ['cluster/', 'partition/', 'wire/', 'settings.ts'],
        packages: ['aws-msk-iam-sasl-signer-js'],
        node: ['timers/promises'],
      },
      search: {
        imports: ['search/', 'cluster/', 'partition/', 'wire/', 'settings.ts'],
        packages: [],
        node: [],
      },
    },
  },
  'service-kit': {
    libraries: ['http-connections', 'ip-addresses', 'logging', 'schemas'],
    packages: [
      'fastify',
      '@fastify/type-provider-typebox',
      '@opentelemetry/api',
      '@sinclair/typebox',
      'ajv',
      'ajv-formats',
      'find-my-way',
      'negotiator',
    ],
    node: ['async_hooks', 'crypto', 'dns/promises', 'http', 'net'],
  },
  // A process runs a service and knows its parts; these know nothing of processes.
  'service-process': {
    libraries: ['http-connections', 'logging', 'schemas', 'service-kit'],
    packages: ['@opentelemetry', '@sinclair/typebox', 'prom-client'],
    node: [
      ...['async_hooks', 'crypto', 'events', 'fs', 'fs/promises', 'path', 'timers/promises'],
      'worker_threads',
    ],
  },
  'api-reference': {
    libraries: ['http-connections', 'service-kit'],
    packages: ['fastify', '@fastify/swagger', '@sinclair/typebox', 'fresh', 'openapi-sampler', 'yaml'],
    node: ['crypto', 'util', 'zlib'],
  },
  'rate-limit-store': {
    libraries: ['logging', 'service-kit', 'service-process'],
    packages: ['redis', 'prom-client'],
    node: ['timers/promises'],
  },
};

/** What only command lines load: no file that `main.ts` of a service reaches may import it. */
exports.commandLine = {
  libraries: ['release-cli', 'shell-completions'],
  packages: ['tuf-js', '@tufjs', 'openpgp', 'tar-stream', 'unbzip2-stream', 'xz-decompress'],
};
