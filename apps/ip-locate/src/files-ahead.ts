import { parseDatabaseList } from './domain/database-list.ts';
import { bundledAsnData, bundledData } from './adapters/mmdb/bundled-data.ts';
import { readAhead } from './adapters/mmdb/read-ahead.ts';

const { DATABASE_PATH, ASN_DATABASE_PATH } = process.env;
const [cities = []] = parseDatabaseList(DATABASE_PATH);

/** The databases of nearly every start. The built main.js loads this module before the service, which takes as long as reading them. */
export const takeFileAhead = readAhead([
  ...(cities.length > 0 ? cities : (bundledData(import.meta.url) ?? [])),
  ...(ASN_DATABASE_PATH ? [ASN_DATABASE_PATH] : (bundledAsnData(import.meta.url) ?? [])),
]);
