import {
  chmod,
  chown,
  open,
  readdir,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DataCopy } from '../testing/data-copy.ts';
import { loadDataFolder, readDataTexts } from './data-folder.ts';
import { replaceFile, UnconfirmedWrite, writeDataFile, type WriterFiles } from './data-writer.ts';

class Crash extends Error {}

/**
 * The disk of a process that dies: `steps` calls go through, the next one and all later ones do not happen. A write
 * that is the last thing to happen gets half of its text down.
 */
const dyingDisk = (steps: number): WriterFiles => {
  let left = steps;
  const step = async <T>(happens: () => Promise<T>, halfway?: () => Promise<unknown>): Promise<T> => {
    if (left <= 0) throw new Crash();
    left -= 1;
    if (left > 0 || !halfway) return happens();
    await halfway();
    throw new Crash();
  };
  const dyingOpen = async (...args: Parameters<typeof open>) => {
    const handle = await step(() => open(...args));
    const through = {
      writeFile: (text: string) =>
        step(
          () => handle.writeFile(text),
          () => handle.writeFile(text.slice(0, text.length / 2)),
        ),
      sync: () => step(() => handle.sync()),
      // The kernel closes what a dead process had open.
      close: () => step(() => Promise.resolve()).finally(() => handle.close()),
    };
    return through as unknown as Awaited<ReturnType<typeof open>>;
  };
  const dying =
    <A extends unknown[], T>(call: (...args: A) => Promise<T>) =>
    (...args: A) =>
      step(() => call(...args));
  return {
    open: dyingOpen,
    readdir: dying(readdir) as typeof readdir,
    rename: dying(rename),
    rm: dying(rm),
  };
};

describe('writing data', () => {
  let data: DataCopy;
  beforeEach(() => (data = new DataCopy()));
  afterEach(() => data.remove());

  const file = 'branches/8.4.json';
  const write = async (text: string, files?: WriterFiles) =>
    writeDataFile({ folder: data.folder, file, text, seen: await readDataTexts(data.folder) }, files);
  const leftovers = () =>
    readdirSync(data.folder, { recursive: true }).filter((name) => `${name}`.includes('.new'));

  it('leaves the file as before or as after, whichever step of the disk was the last', async () => {
    const before = data.texts();
    const text = before[file]!.replace(
      '"updated": "2026-08-13T00:00:00Z"',
      '"updated": "2026-08-27T00:00:00Z"',
    );
    const outcomes: string[] = [];
    for (let steps = 0; ; steps++) {
      data.write(file, before[file]!);
      const died = await write(text, dyingDisk(steps)).then(
        () => false,
        (error: unknown) => {
          expect(error instanceof UnconfirmedWrite ? error.cause : error).toBeInstanceOf(Crash);
          return true;
        },
      );
      const now = readFileSync(join(data.folder, file), 'utf8');
      outcomes.push(now === before[file] ? 'before' : now === text ? 'after' : 'between');
      await loadDataFolder(data.folder);
      if (!died) break;
      // This process lives on, and would be given way to.
      for (const name of leftovers()) rmSync(join(data.folder, `${name}`));
    }
    // open, readdir, write, sync, close, rename | open, sync, close of the folder
    expect(outcomes).toEqual([
      ...Array.from({ length: 6 }, () => 'before'),
      ...Array.from({ length: 4 }, () => 'after'),
    ]);
    expect(leftovers()).toEqual([]);
  });

  it('leaves any other file as before or as after, too, with its mode', async () => {
    const other = join(data.folder, 'cursor');
    const outcomes: string[] = [];
    for (let steps = 0; ; steps++) {
      await writeFile(other, 'before', { mode: 0o640 });
      const died = await replaceFile(other, 'after', dyingDisk(steps)).then(
        () => false,
        () => true,
      );
      outcomes.push(readFileSync(other, 'utf8'));
      if (!died) break;
      for (const name of leftovers()) rmSync(join(data.folder, `${name}`));
    }
    // open, write, sync, close, readdir, rename | open, sync, close of the folder
    expect(outcomes).toEqual([
      ...Array.from({ length: 6 }, () => 'before'),
      ...Array.from({ length: 4 }, () => 'after'),
    ]);
    expect(leftovers()).toEqual([]);
    expect((await stat(other)).mode & 0o777).toBe(0o640);
  });

  it('sweeps what a dead writer of the same file left beside any other file, and nothing else', async () => {
    const other = join(data.folder, 'cursor');
    const id = '6d890786-e5f4-44e5-883e-22983603a255';
    // No process has the highest number there can be; the parent of this one lives.
    const names = ['cursor', 'another'].map((name) => `${name}.4194304.${id}.new`);
    for (const name of [...names, `cursor.${process.ppid}.${id}.new`, 'cursor.2026.new'])
      await writeFile(join(data.folder, name), '');
    await replaceFile(other, 'after');
    expect(leftovers().sort()).toEqual(
      [names[1], `cursor.${process.ppid}.${id}.new`, 'cursor.2026.new'].sort(),
    );
    expect(readFileSync(other, 'utf8')).toBe('after');
  });

  it('sweeps what a dead writer left', async () => {
    // No process has the highest number there can be.
    await writeFile(join(data.folder, 'branches/8.3.json.4194304.new'), '{"branch": ');
    await write(data.texts()[file]!);
    expect(leftovers()).toEqual([]);
  });

  it('gives way to a writer that lives', async () => {
    const other = `branches/8.3.json.${process.ppid}.new`;
    await writeFile(join(data.folder, other), '');
    const before = data.texts();
    await expect(write(`${before[file]} `)).rejects.toThrow(`process ${process.ppid} is writing ${other}`);
    expect(data.texts()).toEqual(before);
  });

  it('gives way to a writer with the same process id, as in another container', async () => {
    const before = data.texts()[file]!;
    // Read once: a writer that reads the folder after the other has written may write, too.
    const seen = await readDataTexts(data.folder);
    const outcomes = await Promise.allSettled(
      [' ', '  '].map((end) => writeDataFile({ folder: data.folder, file, text: before + end, seen })),
    );
    expect(outcomes.map(({ status }) => status)).toContain('rejected');
    const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
    expect(data.texts()[file]).toBe(before + ['', ' ', '  '][winner + 1]!);
    expect(leftovers()).toEqual([]);
  });

  it.each([
    ['this process', process.pid],
    ['another process', process.ppid],
  ])('sweeps what a dead writer left whose process id belongs to %s now', async (_process, pid) => {
    const left = join(data.folder, `branches/8.3.json.${pid}.new`);
    await writeFile(left, '{"branch": ');
    const anHourAgo = new Date((await stat(left)).mtimeMs - 3_600_000);
    await utimes(left, anHourAgo, anHourAgo);
    await write(data.texts()[file]!);
    expect(leftovers()).toEqual([]);
  });

  it.each([
    ['a file', file],
    ['a new branch', 'branches/9.9.json'],
  ])('lets those read %s who could read the data before, whatever the umask is', async (_what, written) => {
    for (const name of [file, 'product.json']) await chmod(join(data.folder, name), 0o644);
    const umask = process.umask(0o077);
    try {
      const seen = await readDataTexts(data.folder);
      await writeDataFile({ folder: data.folder, file: written, text: data.texts()[file]!, seen });
    } finally {
      process.umask(umask);
    }
    expect((await stat(join(data.folder, written))).mode & 0o777).toBe(0o644);
  });

  it('leaves a file to its owner and group, as far as it may', async () => {
    const [uid, gid] =
      process.getuid!() === 0 ? [12_345, 12_346] : [process.getuid!(), process.getgroups!().at(-1)!];
    const other = join(data.folder, 'cursor');
    await writeFile(other, 'before');
    for (const path of [join(data.folder, file), other]) {
      await chown(path, uid, gid);
      await chmod(path, 0o640);
    }
    await write(`${data.texts()[file]} `);
    await replaceFile(other, 'after');
    for (const path of [join(data.folder, file), other])
      expect(await stat(path)).toMatchObject({ uid, gid, mode: 0o100640 });
  });

  it('does not replace a symbolic link to a file', async () => {
    const elsewhere = join(data.archives, '8.4.json');
    await rename(join(data.folder, file), elsewhere);
    await symlink(elsewhere, join(data.folder, file));
    const before = readFileSync(elsewhere, 'utf8');
    await expect(write(`${before} `)).rejects.toThrow(`${file} is a symbolic link`);
    expect([readFileSync(elsewhere, 'utf8'), await readlink(join(data.folder, file))]).toEqual([
      before,
      elsewhere,
    ]);
    expect(leftovers()).toEqual([]);
  });

  it('gives way when another writer has swept its file', async () => {
    const before = data.texts();
    const swept = async (from: string, to: string) => {
      await rm(from);
      await rename(from, to);
    };
    await expect(
      write(`${before[file]} `, { open, readdir, rename: swept as typeof rename, rm }),
    ).rejects.toThrow(`another command took over ${file}`);
    expect(data.texts()).toEqual(before);
  });

  it('does not write over a change it has not seen', async () => {
    const seen = await readDataTexts(data.folder);
    data.write('news.json', `${data.texts()['news.json']} `);
    const before = data.texts();
    await expect(writeDataFile({ folder: data.folder, file, text: '', seen })).rejects.toThrow(
      'news.json changed meanwhile',
    );
    expect(data.texts()).toEqual(before);
  });

  it('says of what is written that the disk has not confirmed it', async () => {
    const fullDisk = {
      open: (async (path: string, flags: string) => {
        const handle = await open(path, flags);
        const sync = () => Promise.reject(new Error('the disk is full'));
        return flags === 'r' ? { sync, close: () => handle.close() } : handle;
      }) as unknown as typeof open,
      readdir,
      rename,
      rm,
    };
    const text = `${data.texts()[file]} `;
    await expect(write(text, fullDisk)).rejects.toThrow(UnconfirmedWrite);
    expect(data.texts()[file]).toBe(text);
    await expect(replaceFile(join(data.folder, 'cursor'), 'after', fullDisk)).rejects.toThrow(
      UnconfirmedWrite,
    );
    expect(data.texts()['cursor']).toBe('after');
  });
});
