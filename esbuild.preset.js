import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundledLicences } from './esbuild.licenses.js';

const root = fileURLToPath(new URL('.', import.meta.url));
const oldestNode = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node.replace(
  '>=',
  '',
);

/** What CommonJS packages expect, for ES modules. */
const COMMONJS = [
  "import { createRequire as createBundleRequire } from 'node:module';",
  'const require = createBundleRequire(import.meta.url);',
  'const __filename = import.meta.filename;',
  'const __dirname = import.meta.dirname;',
].join(' ');

/**
 * Keeps V8's bytecode of the service beside it, in compile-cache/, for the next start. Node looks for the bytecode of a
 * module when it compiles it, so the cache must be on before the service is loaded: the built main.js turns it on and
 * imports the rest. Where the folder cannot be written, as in an image, Node goes on without it. The folder is not Node's
 * default below /tmp, where other users could leave bytecode of their own. It is passed as text: Node before 24.12 takes no options.
 *
 * Before that, it makes SIGHUP end nothing: it asks a running service to read its files again, and may come before
 * the service is loaded. And it says so if Node is too old, which would otherwise fail on some import with a stack trace:
 * so it may import no name that old versions lack.
 *
 * When the service is ready, it keeps V8 from pretenuring. While thousands of connections open, V8 learns that objects live
 * long, and then allocates those of each request among the old ones, where they and what they refer to stay until the next
 * full collection: half as much memory again. V8 rejects bytecode that was written with other flags, Node's own too, which
 * would take a tenth of a start: so the flag is set last, and the bytecode written before it.
 */
const compileCache = (first) => ({
  name: 'compile-cache',
  setup: (build) => {
    build.onResolve({ filter: /\/main\.ts$/ }, ({ path, kind }) =>
      kind === 'entry-point' ? { path, namespace: 'compile-cache' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'compile-cache' }, ({ path }) => ({
      contents: [
        "process.on('SIGHUP', () => undefined);",
        "import * as modules from 'node:module';",
        "import { join } from 'node:path';",
        "import { setFlagsFromString } from 'node:v8';",
        "const [major, minor] = process.versions.node.split('.').map(Number);",
        `const [oldestMajor, oldestMinor] = [${oldestNode.split('.').join(', ')}];`,
        'if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {',
        `  console.error(\`Node.js \${process.versions.node} is too old: this needs ${oldestNode} or newer.\`);`,
        '  process.exit(1);',
        '}',
        "modules.enableCompileCache(join(import.meta.dirname, 'compile-cache'));",
        ...[...first, basename(path)].map((module) => `await import('./${module}');`),
        'modules.flushCompileCache();',
        "setFlagsFromString('--no-allocation-site-pretenuring');",
      ].join('\n'),
      resolveDir: join(root, dirname(path)),
    }));
  },
});

/**
 * Loads Node's HTTP modules with `require`. An ES import of one reads all its exports, and reading `http.WebSocket` loads
 * undici: a tenth of a start, for something that starts do not need.
 */
const http = {
  name: 'http',
  setup: (build) => {
    build.onResolve({ filter: /^(node:)?https?$/ }, ({ path, kind, namespace }) =>
      kind === 'import-statement' && namespace !== 'required' ? { path, namespace: 'required' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require('${path}');`,
    }));
  },
};

/**
 * How esbuild builds a service: the service and its packages in a few files, which start faster than hundreds, and what is
 * imported by `import()` in files of its own, which are read when they are needed.
 * @param {import('esbuild').Plugin[]} plugins what the project does besides
 * @param {string[]} first modules that are loaded before the others, as paths from main.ts
 * @returns {import('esbuild').BuildOptions}
 */
export const serviceBuild = (plugins = [], first = []) => ({
  splitting: true,
  // All in one folder, so that `import.meta.dirname` is the same in each.
  chunkNames: '[name]-[hash]',
  banner: { js: COMMONJS },
  // Stack traces need the positions only.
  sourcesContent: false,
  plugins: [compileCache(first), http, bundledLicences(), ...plugins],
});

export default serviceBuild();
