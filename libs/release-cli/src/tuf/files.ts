import { copyFile, link, mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { replaceFile, syncToDisk } from '@workspace/release-catalogue';

export const writeInOneStep = async (path: string, content: string | Buffer): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, content);
};

/** A second name for a file, or a copy on another file system. An export never writes into a file that is there. */
export const linkOrCopy = async (from: string, to: string): Promise<void> => {
  await mkdir(dirname(to), { recursive: true });
  await rm(`${to}.new`, { force: true });
  try {
    await link(from, `${to}.new`);
  } catch {
    await copyFile(from, `${to}.new`);
  }
  // The export, whose file it may be, has not waited for the disk.
  await syncToDisk(`${to}.new`);
  await rename(`${to}.new`, to);
  await syncToDisk(dirname(to));
};
