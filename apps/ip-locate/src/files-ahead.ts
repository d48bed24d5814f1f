import { parseDatabaseList } from './domain/database-list.ts';
import { bundledData } from './adapters/mmdb/bundled-data.ts';
import { readAhead } from './adapters/mmdb/read-ahead.ts';

/** A file that is overwritten in place is read when it has not changed for so long. */
export const QUIET_MS = 1_000;

const bundled = bundledData(import.meta.url);

/** The files of the city database: those that are named, or those beside main.js. */
export const cityPaths = (named: readonly string[]): readonly string[] =>
  named.length > 0 ? named : (bundled.city ?? []);

/** The file of the ASN database: the one that is named, or the one beside main.js; undefined when there is neither. */
export const asnPaths = (named: string | undefined): readonly string[] | undefined =>
  named ? [named] : bundled.asn;

const { DATABASE_PATH, ASN_DATABASE_PATH } = process.env;
const [named = []] = parseDatabaseList(DATABASE_PATH);

/** The databases of nearly every start. The built main.js loads this module before the service, which takes as long as reading them. */
export const takeFileAhead = readAhead(
  [...cityPaths(named), ...(asnPaths(ASN_DATABASE_PATH) ?? [])],
  QUIET_MS,
);
