import { closeSync, openSync, read, type Stats, statSync } from 'node:fs';

/** A file, and what the file system said of it before it was read. */
export interface FileRead {
  readonly stats: Stats;
  readonly bytes: Buffer;
}

/** Gives what was read of a file, once. */
export type TakeFile = (path: string) => Promise<FileRead | undefined> | undefined;

/** Node has four threads, and needs one to load modules. */
const MOST_FILES = 3;
const MOST_BYTES = 2 ** 30;

/**
 * Begins to read files in Node's threads, while this one does something else without returning to the event loop. Files that
 * cannot be read like that are left out: whoever needs them reads them, and finds out why.
 * @param quietMs milliseconds that a file must not have changed: else it may be in the middle of being written
 */
export const readAhead = (paths: readonly string[], quietMs: number): TakeFile => {
  const files = new Map<string, Promise<FileRead | undefined>>();
  for (const path of paths.slice(0, MOST_FILES)) {
    try {
      const stats = statSync(path);
      const isQuiet = Math.abs(Date.now() - stats.mtimeMs) >= quietMs;
      // Opening a FIFO would block. What the kernel makes up when it is read has no size before.
      if (!stats.isFile() || !isQuiet || stats.size === 0 || stats.size > MOST_BYTES) continue;
      files.set(path, readWhole(path, stats));
    } catch {
      continue;
    }
  }
  return (path) => {
    const file = files.get(path);
    files.delete(path);
    return file;
  };
};

const readWhole = (path: string, stats: Stats): Promise<FileRead | undefined> => {
  const file = openSync(path, 'r');
  const { size } = stats;
  // With memory of its own, which can be freed.
  const bytes = Buffer.allocUnsafeSlow(size);
  return new Promise((resolve) => {
    read(file, bytes, 0, size, 0, (error, length) => {
      closeSync(file);
      resolve(error || length < size ? undefined : { stats, bytes });
    });
  });
};
