import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@workspace/logging';
import type { Clock } from '@workspace/service-kit';
import {
  type Catalogue,
  InvalidDataError,
  type Violation,
  violationText,
  loadDataDirectory,
} from '@workspace/release-catalogue';
import type { DataStatus } from '../domain/data-status.ts';

export interface DataWatcher {
  status(): DataStatus;
  /** Looks for a change now; resolves when it is served or refused. */
  check(): Promise<void>;
  stop(): void;
}

export interface DataWatcherOptions {
  readonly folder: string;
  readonly pollMs: number;
  readonly logger: Logger;
  readonly clock: Clock;
  /** what is served now */
  readonly catalogue: Catalogue;
  /** what the folder looked like when `catalogue` was read */
  readonly signature: string;
  /** puts new facts into service; throws when no answers can be built from them */
  readonly serve: (catalogue: Catalogue) => void;
}

/**
 * Looks at the data files every now and then and serves them when they changed and are good; else the last good facts
 * stay and the faults are logged and shown. It polls: notifications do not cross network file systems and the
 * symbolic links of mounted volumes, and thirty `stat` calls a second cost nothing.
 */
export const watchData = (options: DataWatcherOptions): DataWatcher => {
  const { folder, pollMs, logger, clock, serve } = options;
  let { signature } = options;
  let served = options.catalogue;
  let faults: readonly Violation[] = [];
  let timer: NodeJS.Timeout;
  let stopped = false;

  const check = async (): Promise<void> => {
    const seen = await folderSignature(folder);
    if (seen === signature) return;
    try {
      const { catalogue, warnings } = await loadDataDirectory(folder, { before: served, now: clock() });
      // Changed again while it was read: half old, half new. The next look decides.
      if ((await folderSignature(folder)) !== seen) return;
      serve(catalogue);
      served = catalogue;
      faults = [];
      logger.info({ revision: catalogue.revision, warnings: warnings.length }, 'new data is served');
    } catch (error) {
      faults = error instanceof InvalidDataError ? error.violations : [unexpected(error as Error)];
      logger.error({ faults: faults.map(violationText) }, 'the new data is faulty: the last good data stays');
    }
    signature = seen;
  };

  const next = (): void => {
    timer = setTimeout(() => {
      check()
        .catch((error: unknown) => logger.error({ err: error }, 'the data folder cannot be looked at'))
        .finally(() => {
          if (!stopped) next();
        });
    }, pollMs).unref();
  };
  next();

  return {
    status: () => ({ revision: served.revision, faults }),
    check,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
};

/** A text that differs whenever a data file was added, removed or written. */
export const folderSignature = async (folder: string): Promise<string> => {
  const names = ['.', 'branches'].map(async (part) => {
    const entries = await readdir(join(folder, part)).catch(() => []);
    return entries.filter((name) => name.endsWith('.json')).map((name) => join(part, name));
  });
  const files = (await Promise.all(names)).flat().sort();
  const lines = files.map(async (file) => {
    const { mtimeMs, size, ino } = await stat(join(folder, file));
    return `${file} ${mtimeMs} ${size} ${ino}`;
  });
  return (await Promise.all(lines)).join('\n');
};

const unexpected = (error: Error): Violation => ({
  rule: 'unexpected',
  severity: 'error',
  file: '.',
  pointer: '',
  subject: '',
  detail: error.message,
});
