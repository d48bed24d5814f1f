import { once } from 'node:events';
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Logger } from '@workspace/logging';
import type { Clock } from './clock.ts';
import { Poller } from './poller.ts';

/** A file in memory, with its name without the folder. */
export interface NamedFile {
  readonly name: string;
  /** WatchedFiles frees them when `open` rejects them, and when newer data is in use */
  readonly bytes: Buffer;
  readonly modifiedAt?: Date;
}

/** Files that must not be used. The message says why; /health shows it, so it contains no path. */
export class UnusableFiles extends Error {
  override readonly name = 'UnusableFiles';
}

/** How the last attempt to load the files ended. */
export interface LastLoad {
  readonly at: Date;
  readonly outcome: 'loaded' | 'rejected' | 'missing';
  /** why they were not loaded, for the operator; contains no path */
  readonly error?: string;
}

/** Data that is replaced as a whole when newer data arrives. */
export interface Reloadable<T> {
  /** undefined until the first successful load */
  readonly current: T | undefined;
  readonly lastLoad: LastLoad | undefined;
}

export interface WatchedFilesOptions<T> {
  /** what the files hold, for the log: `city database` */
  readonly name: string;
  /** all of them together make up the data */
  readonly paths: readonly string[];
  /** of each file; a larger one is rejected before it is read */
  readonly maxBytes?: number;
  /** milliseconds that a file must not have changed before it is read; one that is overwritten in place can look valid in between */
  readonly quietMs?: number;
  /** What was read of a file already, with the state that it had before; used when that is still its state. Called for each read. */
  readonly readAhead?: (path: string) => Promise<{ stats: Stats; bytes: Buffer } | undefined> | undefined;
  /** Parses and verifies; throws UnusableFiles. */
  readonly open: (files: readonly NamedFile[]) => Promise<T>;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** How many states of files that change meanwhile one refresh waits for, or reads. */
const MOST_STATES = 3;

/**
 * Data in files that change under a running service. `refresh()` checks them and, when they have changed, reads and
 * verifies them before it swaps one reference. Whatever is wrong with the new files, the last good version stays.
 * Comparing time, size and inode never misses a finished file that is renamed into place, and finds a file that changes while it is read.
 */
export class WatchedFiles<T extends object> implements Reloadable<T> {
  current: T | undefined;
  lastLoad: LastLoad | undefined;
  /** of the current data */
  #files: readonly NamedFile[] = [];
  readonly #options: WatchedFilesOptions<T>;
  /** of the files last given to `open`; empty when they could not be read */
  #signature = '';
  readonly #poller = new Poller((force) => this.#refresh(force));

  constructor(options: WatchedFilesOptions<T>) {
    this.#options = options;
  }

  /** Refreshes from time to time and on SIGHUP, until `close()`; the timer does not keep the process alive. */
  poll(milliseconds: number): void {
    this.#poller.start(milliseconds);
  }

  /**
   * Never rejects: `lastLoad` says how it went. Refreshes run one after the other.
   * @param force reads the files even if they look unchanged
   */
  refresh(force = false): Promise<void> {
    return this.#poller.run(force);
  }

  close(): Promise<void> {
    return this.#poller.stop();
  }

  async #refresh(force: boolean): Promise<void> {
    const { name, logger, clock } = this.#options;
    let unused: readonly NamedFile[] = [];
    try {
      const last = this.#signature;
      this.#signature = '';
      const found = await this.#read(force ? '' : last);
      this.#signature = found.signature;
      if (!found.files) return;
      const { files } = found;
      unused = files;
      this.current = await this.#options.open(files);
      unused = this.#files;
      this.#files = files;
      this.lastLoad = { at: clock(), outcome: 'loaded' };
      logger.info({ data: name, files: files.map((file) => file.name) }, 'data files loaded');
    } catch (error) {
      this.#reject(error);
    } finally {
      for (const { bytes } of unused) await free(bytes);
    }
  }

  /**
   * Reads the files as they are at one moment.
   * @param last the signature that need not be read again
   */
  async #read(last: string): Promise<{ signature: string; files?: readonly NamedFile[] }> {
    const { paths, clock, quietMs = 0 } = this.#options;
    let states = 0;
    let previous: string | undefined;
    for (;;) {
      const stats = await this.#stats();
      // Not before: on a busy machine, a file that was written meanwhile would look as if it came from the future.
      const now = clock().getTime();
      const signature = signatureOf(stats);
      if (signature === last) return { signature };
      // A state that is seen again counts once: a timer may end a little too early, and is then set again.
      if (signature !== previous) states += 1;
      if (states > MOST_STATES) throw new UnusableFiles('the file is being written');
      previous = signature;
      // The clock of a file server may be another one: what comes from the future is not waited for.
      const age = Math.min(...stats.map(({ mtime }) => Math.abs(now - mtime.getTime())));
      if (age < quietMs) {
        await sleep(quietMs - age);
        continue;
      }
      const files = await Promise.all(
        paths.map(async (path, at) => ({
          name: basename(path),
          bytes: (await this.#takeReadAhead(path, stats[at]!)) ?? (await readWhole(path)),
          modifiedAt: stats[at]!.mtime,
        })),
      );
      if (signatureOf(await this.#stats()) === signature) return { signature, files };
      for (const { bytes } of files) await free(bytes);
    }
  }

  async #takeReadAhead(path: string, now: Stats): Promise<Buffer | undefined> {
    const file = await this.#options.readAhead?.(path);
    if (!file || signatureOf([file.stats]) === signatureOf([now])) return file?.bytes;
    await free(file.bytes);
    return undefined;
  }

  #reject(cause: unknown): void {
    const { name, logger, clock } = this.#options;
    const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const error = missing ? 'the file does not exist' : explain(cause);
    // Files that cannot be read are tried again at every refresh, and logged once.
    const repeated = this.lastLoad?.error === error && this.#signature === '';
    this.lastLoad = { at: clock(), outcome: missing ? 'missing' : 'rejected', error };
    if (repeated) return;
    const effect = this.current ? 'the previous version stays in use' : 'no version is loaded yet';
    logger.error({ data: name, err: cause }, `data files not loaded: ${effect}`);
  }

  async #stats(): Promise<Stats[]> {
    const { paths, maxBytes = Infinity } = this.#options;
    const stats = await Promise.all(paths.map((path) => stat(path)));
    // Reading a FIFO or a device could block for ever.
    if (!stats.every((one) => one.isFile())) throw new UnusableFiles('the path is not a regular file');
    if (stats.some(({ size }) => size > maxBytes)) {
      throw new UnusableFiles(`the file is larger than ${maxBytes / 2 ** 20} MiB`);
    }
    return stats;
  }
}

/** Linux reads no more than 2 GiB at once. */
const MAX_READ_BYTES = 2 ** 30;

/**
 * Reads a file with as few reads as possible. `readFile` reads 512 KiB at a time, and each of these reads waits for the event
 * loop, which is busy while a service starts. The buffer has memory of its own, which can be freed.
 */
const readWhole = async (path: string): Promise<Buffer> => {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    // What the kernel makes up when it is read has no size before.
    if (size === 0) return await file.readFile();
    const bytes = Buffer.allocUnsafeSlow(size);
    let length = 0;
    while (length < size) {
      const { bytesRead } = await file.read(bytes, length, Math.min(size - length, MAX_READ_BYTES));
      // It has become shorter meanwhile.
      if (bytesRead === 0) return bytes.subarray(0, length);
      length += bytesRead;
    }
    return bytes;
  } finally {
    await file.close();
  }
};

type Stats = Awaited<ReturnType<typeof stat>>;

const signatureOf = (stats: readonly Stats[]): string =>
  stats.map(({ mtimeMs, size, ino }) => `${mtimeMs}:${size}:${ino}`).join();

/** Freeing so many bytes takes a few milliseconds. */
const LARGE_BYTES = 2 ** 24;

/**
 * Frees the memory of a file at once. V8 may keep it for hours: it collects garbage when its own heap grows, where a file of
 * 150 MB counts as a few bytes. Another thread frees large files, which takes it a fifth of a second for 600 MB.
 */
const free = async ({ buffer, byteLength }: Buffer): Promise<void> => {
  // Small files may share their memory with others.
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== byteLength) return;
  if (byteLength < LARGE_BYTES) buffer.transfer(0);
  else
    await once(
      new Worker('', { eval: true, execArgv: [], workerData: buffer, transferList: [buffer] }),
      'exit',
    );
};

/** What /health may show: our own words, or the system's error code without its path. */
const explain = (error: unknown): string => {
  if (error instanceof UnusableFiles) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  return code ? `the file cannot be read (${code})` : 'the file cannot be opened';
};
