import type { NamedFile } from '@workspace/service-process';
import type { Precision } from '../application/locate.ts';
import type { AnonymousDatabase, Current, Overlay } from '../application/location-database.ts';
import type { ArgumentOptions, ArgumentValues } from './data-option.ts';

/** What an option gives lookups; nothing when it is off. */
export interface LookupSources {
  readonly overlay?: Current<Overlay>;
  readonly anonymous?: Current<AnonymousDatabase>;
  readonly precision?: Precision;
}

/** What options open with. */
export interface LookupOptionContext {
  readonly read: (paths: readonly string[]) => Promise<readonly NamedFile[]>;
  readonly timeZoneAt: (latitude: number, longitude: number) => string | null;
}

/** An option of `ip-locate`. Each member is an extension point. */
export interface LookupOption {
  /** name of its folder */
  readonly name: string;
  /** Help: what it says of its arguments. */
  readonly help: string;
  /** Arguments of its own. */
  readonly options: ArgumentOptions;
  /** @throws UsageError for a wrong argument, UnusableFiles */
  readonly open: (
    values: ArgumentValues,
    context: LookupOptionContext,
  ) => Promise<LookupSources> | LookupSources;
}
