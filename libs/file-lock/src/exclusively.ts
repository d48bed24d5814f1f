import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';

const SQLITE_BUSY = 5;
const RETRY_MS = 200;

/**
 * Runs a task while no other process runs one under the same file. SQLite locks the file, which stays empty, by the operating
 * system: the lock ends with its process, however that ends, and holds between containers that share a volume.
 */
export const exclusively = async <T>(lockFile: string, task: () => Promise<T>): Promise<T> => {
  const database = new DatabaseSync(lockFile);
  try {
    while (!isLocked(database)) await delay(RETRY_MS);
    return await task();
  } finally {
    database.close();
  }
};

const isLocked = (database: DatabaseSync): boolean => {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false;
    throw error;
  }
};
