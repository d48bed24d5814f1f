import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Logger } from '@workspace/logging';
import type { Clock } from '@workspace/service-kit';
import type { Reload, Source } from '../domain/locator.ts';
import type { NamedFile } from './data-info.ts';
import { DatabaseRejected } from './database-refused.ts';

export interface WatchOptions<T> {
  /** all of them make up the data */
  readonly paths: readonly string[];
  /** verifies; throws DatabaseRejected */
  readonly open: (files: readonly NamedFile[]) => Promise<T>;
  readonly logger: Logger;
  readonly clock: Clock;
}

/**
 * Data in files that change under a running service. `refresh()` looks at them and, when they changed, reads, verifies
 * and only then swaps one reference; whatever is wrong with the new files, the last good data keeps answering.
 *
 * Polled rather than watched: file-system events get lost on network and container mounts, and geoipupdate renames a
 * finished file into place, which a look at time, size and inode never misses.
 */
export class WatchedFiles<T extends object> implements Source<T> {
  current: T | undefined;
  lastReload: Reload | undefined;
  readonly #options: WatchOptions<T>;
  #seen = '';
  #running: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WatchOptions<T>) {
    this.#options = options;
  }

  /** Refreshes every `seconds` until `close()`; never holds the process up. */
  poll(seconds: number): void {
    this.#timer = setInterval(() => void this.refresh(), seconds * 1000).unref();
  }

  /** @param force reads the files even if they look unchanged */
  refresh(force = false): Promise<void> {
    this.#running = this.#running.then(() => this.#refresh(force));
    return this.#running;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  async #refresh(force: boolean): Promise<void> {
    const { logger, clock, open, paths } = this.#options;
    try {
      const before = await this.#signature();
      if (before === this.#seen && !force) return;
      const files = await Promise.all(
        paths.map(async (path) => ({ name: basename(path), bytes: await readFile(path) })),
      );
      // A file that grew while it was read is looked at again next time.
      this.#seen = (await this.#signature()) === before ? before : '';
      this.current = await open(files);
      this.lastReload = { at: clock(), outcome: 'loaded' };
      logger.info({ files: files.map(({ name }) => name) }, 'database opened');
    } catch (error) {
      this.#refused(error);
    }
  }

  #refused(error: unknown): void {
    const { logger, clock } = this.#options;
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const fault = missing ? 'the file is not there' : faultOf(error);
    const repeated = missing && this.lastReload?.outcome === 'missing';
    this.lastReload = { at: clock(), outcome: missing ? 'missing' : 'refused', fault };
    if (missing) this.#seen = '';
    if (!repeated) logger.error({ err: error, serving: this.current !== undefined }, 'database not opened');
  }

  async #signature(): Promise<string> {
    const stats = await Promise.all(this.#options.paths.map((path) => stat(path)));
    return stats.map(({ mtimeMs, size, ino }) => `${mtimeMs}:${size}:${ino}`).join();
  }
}

/** What /health may say: our own words, or the system's code without its path. */
function faultOf(error: unknown): string {
  if (error instanceof DatabaseRejected) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  return code ? `the file cannot be read (${code})` : 'the file cannot be opened';
}
