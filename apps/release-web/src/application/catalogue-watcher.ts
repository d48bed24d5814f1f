import type { Violation } from '@workspace/release-catalogue';
import { type Clock, coalesce, type Timer, type Timers } from '@workspace/service-kit';
import {
  type CatalogueSources,
  invalidDataFields,
  keepCatalogue,
  type OpenedCatalogue,
  uncheckedViolation,
  violationsOf,
} from './open-catalogue.ts';

/** Which facts are served, and what is wrong with newer ones. */
export interface DataStatus {
  /** null: nothing is served */
  readonly revision: Date | null;
  /** the stored facts have been invalid since the start, which served those that were kept */
  readonly isKept: boolean;
  /** empty: the newest facts are served */
  readonly violations: readonly Violation[];
}

export interface CatalogueWatcher {
  status(): DataStatus;
  /**
   * Checks for changed facts now; resolves when they are served or rejected.
   * @param force reads the facts even if they look unchanged
   */
  check(force?: boolean): Promise<void>;
  stop(): void;
}

export interface CatalogueWatcherOptions extends CatalogueSources {
  readonly pollMs: number;
  readonly clock: Clock;
  readonly timers: Timers;
  /** what the start has found */
  readonly opened: OpenedCatalogue;
}

/** A check that takes longer than this is reported: a hung network file system would otherwise look healthy. */
const SLOW_CHECK_MS = 10_000;

/**
 * Facts that change while they are read are read again at the next check, since they may be half old and half new, or half
 * gone. Facts that never stop changing are checked as they were read: every file is whole, and the rules decide about the
 * rest.
 */
const UNSETTLED_CHECKS = 3;

/**
 * Checks the facts from time to time and serves them when they have changed and are valid. Otherwise the last valid facts
 * stay in service, and the violations are logged and reported. It polls: notifications do not cross network file systems
 * and the symbolic links of mounted volumes, and thirty `stat` calls a second cost nothing.
 */
export const watchCatalogue = (options: CatalogueWatcherOptions): CatalogueWatcher => {
  const { facts, pollMs, logger, clock, timers, serve, opened } = options;
  let { signature, violations } = opened;
  let served = opened.catalogue;
  let isKept = served !== null && violations.length > 0;
  let unsettled = 0;
  let checkingSince: Date | null = null;
  let timer: Timer;
  let stopped = false;

  const reject = (error: unknown): void => {
    violations = violationsOf(error);
    logger.error(
      invalidDataFields(facts, error),
      served
        ? 'the new data is invalid; still serving the last valid data'
        : 'the data is invalid; there is no data to serve',
    );
  };

  const checkOnce = async (force: boolean): Promise<void> => {
    const seen = await facts.signature();
    if (seen === signature && !force) return;
    try {
      const loading = facts.load(served ? { before: served, now: clock() } : {});
      // Whether it failed counts only when nothing has changed meanwhile.
      await loading.catch(() => undefined);
      if ((await facts.signature()) !== seen && ++unsettled < UNSETTLED_CHECKS) return;
      const { catalogue, warnings } = await loading;
      serve(catalogue);
      served = catalogue;
      isKept = false;
      violations = [];
      logger.info({ revision: catalogue.revision, warnings: warnings.length }, 'serving new data');
      await keepCatalogue(options, catalogue);
    } catch (error) {
      reject(error);
    }
    unsettled = 0;
    signature = seen;
  };

  const check = coalesce(async (force) => {
    checkingSince = clock();
    try {
      await checkOnce(force);
    } catch (error) {
      reject(error);
    } finally {
      checkingSince = null;
    }
  });

  const checkAndWait = (): void => {
    void check().finally(() => {
      if (!stopped) next();
    });
  };
  const next = (): void => {
    timer = timers.setTimeout(checkAndWait, pollMs, undefined);
    timer.unref();
  };
  next();

  return {
    status: () => {
      const seconds = checkingSince ? (clock().getTime() - checkingSince.getTime()) / 1000 : 0;
      const isSlow = seconds * 1000 > SLOW_CHECK_MS;
      return {
        revision: served?.revision ?? null,
        isKept,
        violations: isSlow
          ? [
              ...violations,
              uncheckedViolation('slow', `reading the data has taken ${Math.floor(seconds)} seconds so far`),
            ]
          : violations,
      };
    },
    check,
    stop: () => {
      stopped = true;
      timers.clearTimeout(timer);
    },
  };
};
