import { hash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

/** A folder that is written file by file. What is unchanged is not touched, so it keeps its time. */
export class Tree {
  readonly #folder: string;
  readonly #kept = new Map<string, { readonly digest: string; readonly written: Promise<void> }>();
  #written = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** how many files are new or changed */
  get written(): number {
    return this.#written;
  }

  /** how many files it has */
  get size(): number {
    return this.#kept.size;
  }

  /** Every file with its digest, as `sha256sum --check` reads it. */
  get checksums(): string {
    const names = [...this.#kept.keys()].sort();
    return names.map((name) => `${this.#kept.get(name)!.digest}  ${name}\n`).join('');
  }

  /**
   * Writes a file in one step, unless it has these bytes already.
   * @param modified its time; other bytes than those before are always newer
   */
  async put(name: string, bytes: Buffer | string, modified: Date): Promise<void> {
    const content = Buffer.from(bytes);
    const same = this.#kept.get(name);
    const digest = hash('sha256', content);
    if (same && same.digest !== digest) throw new Error(`two answers have the file ${name}`);
    const written = same?.written ?? this.#replace(name, content, modified);
    if (!same) this.#kept.set(name, { digest, written });
    await written;
  }

  async #replace(name: string, content: Buffer, modified: Date): Promise<void> {
    const path = join(this.#folder, name);
    const before = await ifPresent(readFile(path));
    if (before?.equals(content)) return;
    // Clients that have the bytes before may know them by their time only.
    const last = (await ifPresent(stat(path)))?.mtime;
    const time = last && last >= modified ? new Date(last.getTime() + 1000) : modified;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.new`, content);
    await utimes(`${path}.new`, time, time);
    await rename(`${path}.new`, path);
    this.#written += 1;
  }

  /**
   * Removes what was not put, below these folders.
   * @param spared names of other files that stay
   * @returns how many files
   */
  async prune(folders: readonly string[], spared: ReadonlySet<string>): Promise<number> {
    let removed = 0;
    for (const folder of folders) {
      for (const file of await filesBelow(this.#folder, folder)) {
        if (this.#kept.has(file) || spared.has(file)) continue;
        await rm(join(this.#folder, file));
        removed += 1;
      }
      await removeEmpty(join(this.#folder, folder));
    }
    return removed;
  }
}

/** Files below a folder of a root, by their path from the root. */
export const filesBelow = async (root: string, folder: string): Promise<string[]> => {
  const options = { recursive: true, withFileTypes: true } as const;
  const entries = (await ifPresent(readdir(join(root, folder), options))) ?? [];
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)));
};

const removeEmpty = async (folder: string): Promise<boolean> => {
  const entries = (await ifPresent(readdir(folder, { withFileTypes: true }))) ?? [];
  const gone = await Promise.all(
    entries.map((entry) => (entry.isDirectory() ? removeEmpty(join(folder, entry.name)) : false)),
  );
  if (!gone.every(Boolean)) return false;
  await ifPresent(rmdir(folder));
  return true;
};

/** undefined when there is no such file. */
export const ifPresent = async <T>(reading: Promise<T>): Promise<T | undefined> => {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};
