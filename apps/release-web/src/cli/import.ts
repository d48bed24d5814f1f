import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadDataDirectory } from '../adapters/data-directory.ts';
import { writeDataFile } from '../adapters/data-writer.ts';
import { findingText } from '../domain/finding.ts';
import { importTables, type PhpTables } from './php-tables.ts';

/** Reads php.net's four tables from a folder: current.json, old.json, overrides.json, qa.json. */
export const readPhpTables = async (folder: string): Promise<PhpTables> => {
  const read = async (name: string) => JSON.parse(await readFile(join(folder, name), 'utf8'));
  return {
    current: await read('current.json'),
    old: await read('old.json'),
    overrides: await read('overrides.json'),
    qa: await read('qa.json'),
  };
};

/** Imports the tables in `from` into the data folder `to`, whose project and news files are left alone. */
export const importFolder = async (from: string, to: string): Promise<string[]> => {
  const { branches, remarks } = importTables(await readPhpTables(from));
  await mkdir(join(to, 'branches'), { recursive: true });
  for (const branch of branches) await writeDataFile(join(to, 'branches', `${branch.branch}.json`), branch);
  const { warnings } = await loadDataDirectory(to);
  return [...remarks, ...warnings.map(findingText)];
};

if (import.meta.main) {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { data: { type: 'string', default: join(import.meta.dirname, '../../data') } },
  });
  const from = positionals[0];
  if (from === undefined) throw new Error('usage: import <folder with php tables> [--data <data folder>]');
  for (const line of await importFolder(from, values.data)) console.log(line);
}
