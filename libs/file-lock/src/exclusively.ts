import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';

const SQLITE_BUSY = 5;
const RETRY_MS = 200;

/**
 * Runs a task while no other process runs one under the same file. SQLite locks the file, which stays empty, by the operating
 * system: the lock ends with its process, however that ends, and holds between containers that share a volume.
 */
export const exclusively = async <T>(lockFile: string, task: () => Promise<T>): Promise<T> => {
  await makeWritable(lockFile);
  const database = new DatabaseSync(lockFile);
  try {
    while (!isLocked(database)) await delay(RETRY_MS);
    return await task();
  } finally {
    database.close();
  }
};

/**
 * Gives everyone who may write to the folder the right to write the lock file, whatever the umask was; fails for everyone else.
 * SQLite opens a file read-only when the process may not write it, and the lock then keeps no one out.
 */
const makeWritable = async (lockFile: string): Promise<void> => {
  const file = await open(lockFile, 'a');
  try {
    const { mode } = await stat(dirname(lockFile));
    // Only the owner may do that.
    await file.chmod(mode & 0o666).catch(() => undefined);
  } finally {
    await file.close();
  }
};

const isLocked = (database: DatabaseSync): boolean => {
  try {
    // A journal in a file would be written to, also on a disk that is full.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false;
    throw error;
  }
};
