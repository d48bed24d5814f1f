import { randomUUID } from 'node:crypto';
import { chmod, chown, lstat, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readDataTexts } from './data-folder.ts';
import type { DataTexts } from './read-catalogue.ts';

/** What a write asks of the file system; a test lets each of these steps be the last one. */
export interface WriterFiles {
  readonly open: typeof open;
  readonly readdir: typeof readdir;
  readonly rename: typeof rename;
  readonly rm: typeof rm;
}

const disk: WriterFiles = { open, readdir, rename, rm };

/** Another process is writing, or has written since the folder was read; or a write would replace a link. Nothing was written. */
export class WriteConflict extends Error {
  override readonly name = 'WriteConflict';
}

/** Readers find what was written, but the disk has not confirmed it: after a power failure, the old content may be back. */
export class UnconfirmedWrite extends Error {
  override readonly name = 'UnconfirmedWrite';
}

export interface DataWrite {
  readonly folder: string;
  /** the file in the folder, `branches/8.4.json` */
  readonly file: string;
  readonly text: string;
  /** the folder as it was when the text was made */
  readonly seen: DataTexts;
}

/** A data file as text: two spaces, members in the order given, a newline at the end. */
export const dataFileText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/**
 * Replaces one file in one step: after a crash at any moment the folder is as before or as after, whole.
 *
 * The new text is written under a name of its own, and takes the file's name over by `rename`. The name of its own is also
 * the lock: it exists before the writer looks for others, so of two writers at least one sees the other and gives way. One
 * that was left behind is swept. If its writer lives after all, its `rename` fails and writes nothing.
 * @throws WriteConflict when another process writes, the folder is not as `seen` any more, or the file is a symbolic link
 */
export const writeDataFile = async (
  { folder, file, text, seen }: DataWrite,
  files: WriterFiles = disk,
): Promise<void> => {
  const target = join(folder, file);
  const ownFile = `${file}${newSuffix()}`;
  const temporary = join(folder, ownFile);
  try {
    const handle = await files.open(temporary, 'w');
    try {
      await ensureOnlyWriter(folder, ownFile, files);
      await expectUnchanged(folder, seen);
      await expectNoLink(target, file);
      await handle.writeFile(text);
      await allowReaders(temporary, [target, join(folder, 'product.json')]);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await files.rename(temporary, target).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT'
        ? new WriteConflict(`another command took over ${file}; try again`)
        : error;
    });
  } catch (error) {
    await files.rm(temporary, { force: true });
    throw error;
  }
  await confirm(target, files);
};

/** Replaces a file, or makes one, in one step: after a crash at any moment it is as before or as after, whole. */
export const replaceFile = async (
  path: string,
  content: string | Buffer,
  files: WriterFiles = disk,
): Promise<void> => {
  const temporary = `${path}${newSuffix()}`;
  try {
    await writeNewFile(temporary, content, files, [path]);
    await sweep(path, temporary, files);
    await files.rename(temporary, path);
  } catch (error) {
    await files.rm(temporary, { force: true });
    throw error;
  }
  await confirm(path, files);
};

/** @param models see `allowReaders` */
const writeNewFile = async (
  path: string,
  content: string | Buffer,
  files: WriterFiles,
  models: readonly string[],
): Promise<void> => {
  const handle = await files.open(path, 'w');
  try {
    await handle.writeFile(content);
    await allowReaders(path, models);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Containers that share a folder number their processes alike, so the number alone is not a name. */
const newSuffix = (): string => `.${process.pid}.${randomUUID()}.new`;

/** Removes what dead writers of a file left beside it. */
const sweep = async (path: string, own: string, files: WriterFiles): Promise<void> => {
  const folder = dirname(path);
  for (const name of await files.readdir(folder)) {
    const pid = /\.(\d+)\.[\da-f-]{36}\.new$/.exec(name);
    const left = join(folder, name);
    if (!pid || name !== `${basename(path)}${pid[0]}` || left === own) continue;
    if (!(await isWriting(Number(pid[1]), left, own))) await files.rm(left, { force: true });
  }
};

/** A write takes well under a second. What is older was left by a dead process, even if another has its number now. */
const LONGEST_WRITE_MS = 10_000;

/** Removes what dead writers left, and fails while another writer is alive. */
const ensureOnlyWriter = async (folder: string, ownFile: string, files: WriterFiles): Promise<void> => {
  for (const name of await files.readdir(folder, { recursive: true })) {
    const pid = /\.(\d+)(?:\.[\da-f-]+)?\.new$/.exec(name)?.[1];
    if (pid === undefined || name === ownFile) continue;
    if (await isWriting(Number(pid), join(folder, name), join(folder, ownFile))) {
      throw new WriteConflict(`process ${pid} is writing ${name}; try again when it is done`);
    }
    await files.rm(join(folder, name), { recursive: true, force: true });
  }
};

/**
 * Whoever could read the file before, such as the service, can read it afterwards. A new branch gets the mode of the other data.
 * @param models a file gets the owner, the group and the mode of the first of these that exists, as far as this process may
 */
const allowReaders = async (temporary: string, models: readonly string[]): Promise<void> => {
  for (const model of models) {
    const found = await stat(model).catch(() => null);
    if (!found) continue;
    const { uid, gid, mode } = found;
    // Only root may give a file away; its owner may choose a group of its own.
    await chown(temporary, uid, gid)
      .catch(() => chown(temporary, -1, gid))
      .catch(() => undefined);
    return chmod(temporary, mode & 0o777);
  }
};

const isWriting = async (pid: number, path: string, justWritten: string): Promise<boolean> =>
  isAlive(pid) && (await isRecent(path, justWritten));

/** By the clock of the file system, which may be another machine's. */
const isRecent = async (path: string, justWritten: string): Promise<boolean> => {
  const [other, own] = await Promise.all([path, justWritten].map((file) => stat(file).catch(() => null)));
  return !!other && !!own && own.mtimeMs - other.mtimeMs < LONGEST_WRITE_MS;
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is alive and belongs to another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
};

const expectUnchanged = async (folder: string, seen: DataTexts): Promise<void> => {
  const texts = await readDataTexts(folder);
  const changed = [...new Set([...texts.keys(), ...seen.keys()])].filter(
    (file) => texts.get(file) !== seen.get(file),
  );
  if (changed.length > 0)
    throw new WriteConflict(`${changed.join(', ')} changed meanwhile; check it and try again`);
};

const expectNoLink = async (target: string, file: string): Promise<void> => {
  const found = await lstat(target).catch(() => null);
  if (found?.isSymbolicLink())
    throw new WriteConflict(`${file} is a symbolic link: put the file itself into the data folder`);
};

/** @throws UnconfirmedWrite when the disk fails now, after the rename */
const confirm = (path: string, files: WriterFiles): Promise<void> =>
  syncToDisk(dirname(path), files).catch((error: Error) => {
    const reason = `the disk has not confirmed it (${error.message}): after a power failure, the old content may be back`;
    throw new UnconfirmedWrite(`${path} is written, but ${reason}.`, { cause: error });
  });

/** Waits until a file or a folder is on the disk; a new name of a file is when its folder is. */
export const syncToDisk = async (path: string, files: Pick<WriterFiles, 'open'> = disk): Promise<void> => {
  const handle = await files.open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};
