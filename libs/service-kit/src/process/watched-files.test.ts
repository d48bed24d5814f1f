import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { captureLogger } from '@workspace/testing';
import { type NamedFile, UnusableFiles, WatchedFiles } from './watched-files.ts';

const NOW = new Date('2026-11-21T12:00:00Z');

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'watched-files-'));
  path = join(folder, 'data.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

type Data = { value: unknown };
const parse = (files: readonly NamedFile[]): Promise<Data> => {
  try {
    return Promise.resolve({ value: JSON.parse(String(files[0]?.bytes)) });
  } catch (cause) {
    return Promise.reject(new UnusableFiles('the file is not JSON', { cause }));
  }
};
const watch = (open = parse) => {
  const { logger, lines } = captureLogger();
  return { files: new WatchedFiles({ name: 'data', paths: [path], open, logger, clock: () => NOW }), lines };
};

it('keeps the last good version whatever happens to the file', async () => {
  const { files } = watch();
  writeFileSync(path, '1');
  await files.refresh();
  expect([files.current, files.lastLoad]).toEqual([{ value: 1 }, { at: NOW, outcome: 'loaded' }]);
  writeFileSync(path, 'garbage');
  await files.refresh();
  expect([files.current, files.lastLoad]).toEqual([
    { value: 1 },
    { at: NOW, outcome: 'rejected', error: 'the file is not JSON' },
  ]);
  rmSync(path);
  await files.refresh();
  expect([files.current, files.lastLoad]).toEqual([
    { value: 1 },
    { at: NOW, outcome: 'missing', error: 'the file does not exist' },
  ]);
  writeFileSync(path, '22');
  await files.refresh();
  expect([files.current, files.lastLoad?.outcome]).toEqual([{ value: 22 }, 'loaded']);
});

it('reads a file in /proc, whose size is given as 0', async () => {
  const { files } = watch((found) => Promise.resolve({ value: String(found[0]?.bytes) }));
  symlinkSync('/proc/sys/kernel/ostype', path);
  await files.refresh();
  expect(files.current).toEqual({ value: 'Linux\n' });
});

it('frees files that are not used any more, without waiting for garbage collection', async () => {
  const read: Buffer[] = [];
  const { files } = watch((found) => {
    read.push(...found.map(({ bytes }) => bytes));
    return parse(found);
  });
  const content = (value: string) => JSON.stringify(value.repeat(1_000_000));
  for (const text of [content('a'), content('b'), `not JSON${content('c')}`]) {
    writeFileSync(path, text);
    await files.refresh();
  }
  const [first, second, rejected] = read;
  expect(files.current).toEqual({ value: 'b'.repeat(1_000_000) });
  expect([first?.length, second?.length, rejected?.length]).toEqual([0, 1_000_002, 0]);
});

it('reads a file again only when it changed, or when forced', async () => {
  let opened = 0;
  const { files } = watch((found) => {
    opened++;
    return parse(found);
  });
  writeFileSync(path, '1');
  await files.refresh();
  await files.refresh();
  expect(opened).toBe(1);
  await files.refresh(true);
  expect(opened).toBe(2);
  const { atime, mtime } = statSync(path);
  utimesSync(path, atime, new Date(mtime.getTime() + 1000));
  await files.refresh();
  expect(opened).toBe(3);
});

it('logs each failure once', async () => {
  const { files, lines } = watch();
  writeFileSync(path, 'garbage');
  await files.refresh();
  await files.refresh();
  rmSync(path);
  await files.refresh();
  await files.refresh();
  const errors = lines.filter(({ level }) => level === 'error');
  expect(errors.map(({ msg, data }) => [msg, data])).toEqual([
    ['data files not loaded: no version is loaded yet', 'data'],
    ['data files not loaded: no version is loaded yet', 'data'],
  ]);
});

it('never opens a FIFO, which would block until a process writes to it', async () => {
  execFileSync('mkfifo', [path]);
  const { files, lines } = watch();
  await files.refresh();
  await files.refresh();
  expect(files.lastLoad).toMatchObject({ outcome: 'rejected', error: 'the path is not a regular file' });
  expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  await files.close();
});

it('never opens two versions at a time', async () => {
  let running = 0;
  let most = 0;
  const { files } = watch(async (found) => {
    most = Math.max(most, ++running);
    const data = await parse(found);
    running--;
    return data;
  });
  writeFileSync(path, '1');
  await Promise.all([files.refresh(true), files.refresh(true), files.refresh(true)]);
  expect(most).toBe(1);
  await files.close();
});

it('polls until it is closed', async () => {
  writeFileSync(path, '1');
  let files: WatchedFiles<Data> | undefined;
  await new Promise<void>((resolve) => {
    ({ files } = watch((found) => {
      resolve();
      return parse(found);
    }));
    files.poll(0.01);
  });
  await files?.close();
  expect(files?.current).toEqual({ value: 1 });
});

it('refreshes once more for all who ask while it refreshes', async () => {
  const { files, lines } = watch();
  writeFileSync(path, '1');
  const first = files.refresh();
  await Promise.resolve();
  await Promise.all([first, ...Array.from({ length: 100 }, () => files.refresh(true))]);
  expect(lines.map(({ msg }) => msg)).toEqual(['data files loaded', 'data files loaded']);
});

it('reads files that look unchanged on SIGHUP, until it is closed', async () => {
  const { files } = watch();
  writeFileSync(path, '1');
  await files.refresh();
  const times = statSync(path);
  writeFileSync(path, '2');
  utimesSync(path, times.atime, times.mtime);
  files.poll(3_600_000);
  process.emit('SIGHUP');
  await files.refresh();
  expect(files.current).toEqual({ value: 2 });
  await files.close();
  expect(process.listeners('SIGHUP')).toEqual([]);
});

it('says when a file was modified, and rejects one that is too large before it reads it', async () => {
  const opened: NamedFile[] = [];
  const open = (files: readonly NamedFile[]) => {
    opened.push(...files);
    return parse(files);
  };
  const { logger } = captureLogger();
  const files = new WatchedFiles({
    name: 'data',
    paths: [path],
    open,
    maxBytes: 2 ** 20,
    logger,
    clock: () => NOW,
  });
  writeFileSync(path, '1');
  utimesSync(path, NOW, NOW);
  await files.refresh();
  expect(opened.map(({ modifiedAt }) => modifiedAt)).toEqual([NOW]);
  writeFileSync(path, ' '.repeat(2 ** 20 + 1));
  await files.refresh();
  expect([opened.length, files.current, files.lastLoad?.error]).toEqual([
    1,
    { value: 1 },
    'the file is larger than 1 MiB',
  ]);
});

it('uses what was read ahead only while the file is as it was before', async () => {
  writeFileSync(path, '1');
  const ahead = { stats: statSync(path), bytes: Buffer.alloc(1, '2') };
  const { logger } = captureLogger();
  const readAhead = () => Promise.resolve(ahead);
  const files = new WatchedFiles({
    name: 'data',
    paths: [path],
    open: parse,
    readAhead,
    logger,
    clock: () => NOW,
  });
  await files.refresh();
  expect(files.current).toEqual({ value: 2 });
  ahead.bytes = Buffer.alloc(1, '3');
  writeFileSync(path, '44');
  await files.refresh();
  expect([files.current, ahead.bytes.length]).toEqual([{ value: 44 }, 0]);
});
