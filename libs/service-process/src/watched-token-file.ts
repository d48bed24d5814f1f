import type { Logger } from '@workspace/logging';
import type { Clock } from './clock.ts';
import { ConfigError } from './config.ts';
import { type Reloadable, UnusableFiles, WatchedFiles } from './watched-files.ts';

export interface TokenFileOptions<T> {
  /** the variable that has the path, for the message when the file cannot be used */
  readonly variable: string;
  readonly path: string;
  /** what the file holds, for the log: `tokens` */
  readonly name: string;
  /** @returns what the file holds, or what is wrong with it, without showing a secret */
  readonly parse: (text: string) => T | { readonly violation: string };
  readonly logger: Logger;
  readonly clock: Clock;
  /** see `FILE_POLL_MS` */
  readonly pollMs: number;
}

/** While a file is overwritten in place, the tokens that are not yet written again would be rejected. */
const QUIET_MS = 1_000;

/**
 * Opens a file of tokens or keys and keeps it up to date; the last good version stays when the file becomes unusable.
 * @throws ConfigError when the file cannot be used at the start
 */
export const watchTokenFile = async <T extends object>({
  variable,
  path,
  name,
  parse,
  logger,
  clock,
  pollMs,
}: TokenFileOptions<T>): Promise<Reloadable<T> & { readonly current: T }> => {
  const file = new WatchedFiles<T>({
    name,
    paths: [path],
    quietMs: QUIET_MS,
    logger,
    clock,
    open: async ([bytes]) => {
      const parsed = parse(String(bytes?.bytes));
      if ('violation' in parsed) throw new UnusableFiles(parsed.violation);
      return parsed;
    },
  });
  await file.refresh();
  if (!file.current) throw new ConfigError([`${variable}: ${file.lastLoad?.error}`]);
  file.poll(pollMs);
  return file as Reloadable<T> & { readonly current: T };
};
