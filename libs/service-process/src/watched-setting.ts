import { ConfigError } from './config.ts';
import { WatchedFiles, type WatchedFilesOptions } from './watched-files.ts';

export interface WatchedSettingOptions<T> extends WatchedFilesOptions<T> {
  /** the variable that names the files, for the message when they cannot be used */
  readonly setting: string;
  /** see `FILE_POLL_MS` */
  readonly pollMs: number;
}

/** Of each file; databases may be larger. */
const MAX_BYTES = 33_554_432;

/** While a file is overwritten in place, what is not yet written again, such as a token, would be missing. */
const QUIET_MS = 1_000;

/**
 * Opens the files that a setting names and keeps them up to date; the last good version stays when they become unusable.
 * @throws ConfigError when the files cannot be used at the start
 */
export const watchSetting = async <T extends object>({
  setting,
  pollMs,
  ...options
}: WatchedSettingOptions<T>): Promise<WatchedFiles<T> & { readonly current: T }> => {
  const files = new WatchedFiles({ maxBytes: MAX_BYTES, quietMs: QUIET_MS, ...options });
  await files.refresh();
  if (!files.current) throw new ConfigError([`${setting}: ${files.lastLoad?.error}`]);
  files.poll(pollMs);
  return files as WatchedFiles<T> & { readonly current: T };
};
