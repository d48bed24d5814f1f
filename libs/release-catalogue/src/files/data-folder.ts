import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Moment } from '../rules/rule.ts';
import { InvalidDataError, type DataTexts, type LoadedCatalogue, readCatalogue } from './read-catalogue.ts';

export { InvalidDataError, type LoadedCatalogue } from './read-catalogue.ts';

/**
 * Reads a data folder whole, judges shapes and rules, and freezes it.
 * @param moment the catalogue in use and the clock, where there are any: a published file that changes without a
 *   recorded correction, a release that is lost and a wrong year are only seen by comparison
 * @throws InvalidDataError naming every file and fault
 */
export const loadDataDirectory = async (folder: string, moment: Moment = {}): Promise<LoadedCatalogue> =>
  readCatalogue(await readDataTexts(folder), moment);

/**
 * The data files of a folder. A file that is missing is left out: the judge of the texts names it.
 * @throws InvalidDataError when the folder or a file cannot be read
 */
export const readDataTexts = async (folder: string): Promise<DataTexts> => {
  const texts = new Map<string, string>();
  for (const file of [...COMMON_FILES, ...(await branchFiles(folder))]) {
    try {
      texts.set(file, await readFile(join(folder, file), 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unreadable(file, error);
    }
  }
  return texts;
};

/** The files of a data folder besides its branches. */
export const COMMON_FILES = ['product.json', 'news.json', 'accepted-findings.json'];

const branchFiles = async (folder: string): Promise<string[]> => {
  try {
    const names = await readdir(join(folder, 'branches'));
    return names
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => `branches/${name}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw unreadable('branches', error);
  }
};

const unreadable = (file: string, error: unknown): InvalidDataError =>
  new InvalidDataError([
    {
      rule: 'file',
      severity: 'error',
      file,
      pointer: '',
      subject: file,
      detail: `cannot be read: ${(error as Error).message}`,
    },
  ]);
