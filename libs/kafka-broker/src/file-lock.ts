import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Runs `work` while holding the lock file, which contains the holder's process id. Another process waits; the lock of
 * a process that died is taken over.
 */
export const withFileLock = async <T>(file: string, work: () => Promise<T>): Promise<T> => {
  while (!(await acquire(file))) await pause(200);
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
};

const acquire = async (file: string): Promise<boolean> => {
  try {
    await writeFile(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const holder = Number(await readFile(file, 'utf8').catch(() => '0'));
    if (holder > 0 && !isAlive(holder)) await rm(file, { force: true });
    return false;
  }
};

/** Whether a process with this id exists (ours or not). */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};
