// Removes from node_modules what no running service reads: type declarations, source maps, and the folders of tests,
// examples and documentation that packages ship. Licences stay. Usage: node prune.js node_modules
import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

const UNUSED_FILE = /\.(d\.[cm]?ts|ts|map|markdown|md|flow|tsbuildinfo)$/i;
const LICENCE = /^(licen[cs]e|copying|notice|third)/i;
const UNUSED_FOLDERS = new Set([
  '.github',
  'benchmark',
  'benchmarks',
  'coverage',
  'docs',
  'example',
  'examples',
  'test',
  'tests',
]);

/** Data files that no service imports, by package: the page of ip-locate draws the coarsest map. */
const UNUSED_DATA = new Map([['world-atlas', /^(countries-(10|50)m|land-\d+m)\.json$/]]);

const isPackage = (entries) => entries.some(({ name }) => name === 'package.json');

function prune(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  const root = isPackage(entries);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      // Only at the top of a package: further down a folder of that name may hold code.
      if (root && UNUSED_FOLDERS.has(entry.name)) rmSync(path, { recursive: true });
      else prune(path);
    } else if (UNUSED_DATA.get(basename(folder))?.test(entry.name)) rmSync(path);
    else if (UNUSED_FILE.test(entry.name) && !LICENCE.test(entry.name)) rmSync(path);
  }
}

prune(process.argv[2]);
