import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { captureLogger } from '@workspace/testing';
import { type NamedFile, UnusableFiles, WatchedFiles, type WatchedFilesOptions } from './watched-files.ts';

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
const watch = (open = parse, more: Partial<WatchedFilesOptions<Data>> = {}) => {
  const { logger, lines } = captureLogger();
  const options = { name: 'data', paths: [path], open, logger, clock: () => NOW, ...more };
  return { files: new WatchedFiles(options), lines };
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

it('does not free memory that a file shares with others', async () => {
  const read: Buffer[] = [];
  const { files } = watch((found) => {
    read.push(...found.map(({ bytes }) => bytes));
    return Promise.resolve({ value: undefined });
  });
  symlinkSync('/proc/sys/kernel/ostype', path);
  await files.refresh();
  await files.refresh(true);
  expect(read.map(String)).toEqual(['Linux\n', 'Linux\n']);
});

it('closes what it has read', async () => {
  const { files } = watch();
  const opened = () => readdirSync('/proc/self/fd').length;
  writeFileSync(path, '1');
  await files.refresh();
  const before = opened();
  for (let time = 0; time < 10; time += 1) await files.refresh(true);
  expect(opened()).toBe(before);
});

describe('a file that was changed lately', () => {
  const QUIET_MS = 100;
  const now = () => new Date();
  const other = () => join(folder, 'other.json');

  it('is waited for, whichever of the files it is', async () => {
    const { files } = watch(parse, { paths: [path, other()], quietMs: QUIET_MS, clock: now });
    writeFileSync(path, '1');
    utimesSync(path, 0, 0);
    writeFileSync(other(), '2');
    const changed = statSync(other()).mtimeMs;
    await files.refresh();
    expect(files.current).toEqual({ value: 1 });
    // eslint-disable-next-line no-restricted-syntax -- at least: a busy machine only adds to it
    expect(Date.now() - changed).toBeGreaterThanOrEqual(QUIET_MS - 1);
  });

  it('is read as it is in the end, and not before', async () => {
    const opened: string[] = [];
    const open = (found: readonly NamedFile[]) => {
      opened.push(...found.map(({ bytes }) => String(bytes)));
      return parse(found);
    };
    let time = NOW.getTime();
    const write = (text: string): void => {
      writeFileSync(path, text);
      utimesSync(path, NOW, new Date(time));
    };
    const clock = () => {
      const reading = new Date(time);
      // While it is waited for.
      if (time === NOW.getTime() + QUIET_MS / 2) write('2');
      time += QUIET_MS / 2;
      return reading;
    };
    const { files } = watch(open, { quietMs: QUIET_MS, clock });
    write('1');
    await files.refresh();
    expect(opened).toEqual(['2']);
  });

  it('is waited for again when a timer ended too early', async () => {
    let time = NOW.getTime();
    const clock = () => {
      const reading = new Date(time);
      time += QUIET_MS / 3;
      return reading;
    };
    const { files } = watch(parse, { quietMs: QUIET_MS, clock });
    writeFileSync(path, '1');
    utimesSync(path, NOW, NOW);
    await files.refresh();
    expect(files.current).toEqual({ value: 1 });
  });

  it('is waited for, too, if that was while its state was found out', async () => {
    const changed = NOW.getTime() + 2 * QUIET_MS;
    let time = NOW.getTime();
    // The machine is so busy that the file changes between two steps.
    const clock = () => {
      const reading = new Date(time);
      if (time < changed) utimesSync(path, NOW, new Date((time = changed)));
      else time += QUIET_MS;
      return reading;
    };
    let opened: number | undefined;
    const open = (found: readonly NamedFile[]) => {
      opened ??= time;
      return parse(found);
    };
    const { files } = watch(open, { quietMs: QUIET_MS, clock });
    writeFileSync(path, '1');
    utimesSync(path, 0, 0);
    await files.refresh();
    expect(opened! - changed).toBeGreaterThanOrEqual(QUIET_MS);
  });

  it('is not waited for if that was in the future', async () => {
    const { files } = watch(parse, { quietMs: 60_000 });
    writeFileSync(path, '1');
    utimesSync(path, NOW, new Date(NOW.getTime() + 60_000));
    await files.refresh();
    expect(files.current).toEqual({ value: 1 });
  });

  it('is not waited for again and again when it changes each time', async () => {
    let looks = 0;
    const clock = () => {
      if (files.lastLoad === undefined) looks += 1;
      utimesSync(path, NOW, new Date(NOW.getTime() + looks));
      return NOW;
    };
    const { files } = watch(parse, { quietMs: 1, clock });
    writeFileSync(path, '1');
    await files.refresh();
    expect(files.lastLoad).toMatchObject({ outcome: 'rejected', error: 'the file is being written' });
    // Three states that were waited for, the one too many, and the time of the failure.
    expect(looks).toBe(5);
  });
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

it('logs which files were loaded, and each failure once', async () => {
  const { files, lines } = watch();
  const logged = () => lines.splice(0).map(({ level, msg, data }) => [level, msg, data]);
  const NOT_LOADED = ['error', 'data files not loaded: no version is loaded yet', 'data'];
  for (const content of ['garbage', 'more garbage']) {
    writeFileSync(path, content);
    await files.refresh();
    await files.refresh();
    expect(logged()).toEqual([NOT_LOADED]);
  }
  rmSync(path);
  await files.refresh();
  expect(logged()).toEqual([NOT_LOADED]);
  await files.refresh();
  expect(logged()).toEqual([]);
  writeFileSync(path, '1');
  await files.refresh();
  expect(lines).toMatchObject([
    { level: 'info', msg: 'data files loaded', data: 'data', files: ['data.json'] },
  ]);
  lines.length = 0;
  rmSync(path);
  await files.refresh();
  expect(logged()).toEqual([['error', 'data files not loaded: the previous version stays in use', 'data']]);
});

it('says why in its own words, or with the system’s code', async () => {
  const broken = () => Promise.reject(new Error(`cannot parse ${path}`));
  writeFileSync(path, '1');
  const { files } = watch(broken);
  await files.refresh();
  expect(files.lastLoad?.error).toBe('the file cannot be opened');
  rmSync(path);
  symlinkSync(path, path);
  await files.refresh();
  expect(files.lastLoad).toMatchObject({ outcome: 'rejected', error: 'the file cannot be read (ELOOP)' });
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
  const { files } = watch(open, { maxBytes: 2 ** 20 });
  writeFileSync(path, `1${' '.repeat(2 ** 20 - 1)}`);
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
  const { files } = watch(parse, { readAhead: () => Promise.resolve(ahead) });
  await files.refresh();
  expect(files.current).toEqual({ value: 2 });
  ahead.bytes = Buffer.alloc(1, '3');
  writeFileSync(path, '44');
  await files.refresh();
  expect([files.current, ahead.bytes.length]).toEqual([{ value: 44 }, 0]);
});

it('rejects all of several files when one of them is too large or not a file', async () => {
  const other = join(folder, 'other.json');
  const { files } = watch(parse, { paths: [path, other], maxBytes: 1 });
  writeFileSync(path, '1');
  writeFileSync(other, '22');
  await files.refresh();
  expect(files.lastLoad?.error).toMatch(/^the file is larger than /);
  rmSync(other);
  symlinkSync(folder, other);
  await files.refresh();
  expect(files.lastLoad?.error).toBe('the path is not a regular file');
});
