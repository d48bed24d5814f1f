import { constants } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Moment } from '../rules/rule.ts';
import { type DataTexts, InvalidDataError, type LoadedCatalogue, readCatalogue } from './read-catalogue.ts';

/** The files of a data folder besides its branches. */
export const COMMON_FILES = ['product.json', 'news.json', 'accepted-findings.json'];

/** The largest branch file of php.net has 0.3 MB. A file beyond this is a mistake, and reading it would stop the service. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** php.net has 25 branches after 30 years. */
const MAX_BRANCH_FILES = 500;

/**
 * Reads a whole data folder, checks shapes and rules, and freezes the result.
 * @param moment the catalogue in use and the clock, where there are any: a published file that changes without a
 *   recorded correction, a lost release and a wrong year only show in comparison
 * @throws InvalidDataError naming every file and violation
 */
export const loadDataFolder = async (folder: string, moment: Moment = {}): Promise<LoadedCatalogue> =>
  readCatalogue(await readDataTexts(folder), moment);

/**
 * The texts of the data files in a folder. A missing file is left out: the check of the texts reports it. When the folder
 * is a symbolic link, all files are read from where it points now: a link that moves meanwhile changes nothing.
 * @throws InvalidDataError when the folder or a file cannot be read
 */
export const readDataTexts = async (path: string): Promise<DataTexts> => {
  const folder = await targetOf(path);
  const branches = await branchFiles(folder).catch((error: unknown) => {
    throw unreadable('branches', error);
  });
  if (branches.length > MAX_BRANCH_FILES) {
    throw invalid('branches', `holds ${branches.length} files; at most ${MAX_BRANCH_FILES} are read`);
  }
  const texts = new Map<string, string>();
  for (const file of [...COMMON_FILES, ...branches]) {
    const text = await readRegularFile(folder, file);
    if (text !== undefined) texts.set(file, text);
  }
  return texts;
};

/**
 * A text that differs whenever a data file was added, removed, written or replaced. Never rejects: what cannot be read
 * is part of the text, so that it is noticed when it changes.
 */
export const folderSignature = async (path: string): Promise<string> => {
  const folder = await targetOf(path);
  const branches = await branchFiles(folder).catch((error: unknown) => [`branches ${codeOf(error)}`]);
  const lines = [...COMMON_FILES, ...branches].map(async (file) => {
    try {
      const { mtimeMs, size, ino } = await stat(join(folder, file));
      return `${file} ${mtimeMs} ${size} ${ino}`;
    } catch (error) {
      return `${file} ${codeOf(error)}`;
    }
  });
  return (await Promise.all(lines)).join('\n');
};

/** A dangling link is returned unchanged: reading it gives the error. */
const targetOf = (path: string): Promise<string> => realpath(path).catch(() => path);

/** Names that begin with a dot are the locks and drafts of editors. */
const branchFiles = async (folder: string): Promise<string[]> => {
  try {
    const names = await readdir(join(folder, 'branches'));
    return names
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .sort()
      .map((name) => `branches/${name}`);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
};

/** @returns undefined when one of the common files does not exist */
const readRegularFile = async (folder: string, file: string): Promise<string | undefined> => {
  const path = join(folder, file);
  try {
    // Asked first, because opening a device may do something.
    if (!(await stat(path)).isFile()) throw invalid(file, 'is not a regular file');
    // A FIFO that takes its place in between would block an ordinary open for ever, even beyond SIGTERM.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { size } = await handle.stat();
      if (size > MAX_FILE_BYTES) throw invalid(file, `has ${size} bytes; at most ${MAX_FILE_BYTES} are read`);
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof InvalidDataError) throw error;
    if (codeOf(error) === 'ENOENT' && COMMON_FILES.includes(file)) return undefined;
    throw unreadable(file, error);
  }
};

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown';

const unreadable = (file: string, error: unknown): InvalidDataError =>
  invalid(file, `cannot be read (${codeOf(error)})`);

const invalid = (file: string, detail: string): InvalidDataError =>
  new InvalidDataError([{ rule: 'file', severity: 'error', file, pointer: '', subject: file, detail }]);
