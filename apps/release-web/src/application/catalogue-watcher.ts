import type { Logger } from '@workspace/logging';
import {
  type Catalogue,
  InvalidDataError,
  type Violation,
  violationText,
} from '@workspace/release-catalogue';
import type { Clock } from '@workspace/service-kit';
import type { ReleaseCatalogue } from './release-catalogue.ts';

/** Which facts are served, and what is wrong with newer ones. */
export interface DataStatus {
  readonly revision: Date;
  /** empty: the newest facts are served */
  readonly violations: readonly Violation[];
}

export interface CatalogueWatcher {
  status(): DataStatus;
  /** Checks for changed facts now; resolves when they are served or rejected. */
  check(): Promise<void>;
  stop(): void;
}

export interface CatalogueWatcherOptions {
  readonly facts: ReleaseCatalogue;
  readonly pollMs: number;
  readonly logger: Logger;
  readonly clock: Clock;
  /** what is served now */
  readonly catalogue: Catalogue;
  /** the signature of the facts when `catalogue` was read */
  readonly signature: string;
  /** puts new facts into service; throws when no responses can be built from them */
  readonly serve: (catalogue: Catalogue) => void;
}

/** Log lines are read; `release-data validate` prints every violation. */
const LOGGED_VIOLATIONS = 20;

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
  const { facts, pollMs, logger, clock, serve } = options;
  let { signature } = options;
  let served = options.catalogue;
  let violations: readonly Violation[] = [];
  let unsettled = 0;
  let checkingSince: Date | null = null;
  let timer: NodeJS.Timeout;
  let stopped = false;

  const reject = (error: unknown): void => {
    violations =
      error instanceof InvalidDataError
        ? error.violations
        : [problem('unexpected', (error as Error).message)];
    logger.error(
      {
        source: facts.source,
        violations: violations.slice(0, LOGGED_VIOLATIONS).map(violationText),
        total: violations.length,
        // What a rule says needs no stack; anything else is a defect of this service.
        ...(!(error instanceof InvalidDataError) && { err: error }),
      },
      'the new data is invalid; still serving the last valid data',
    );
  };

  const checkOnce = async (): Promise<void> => {
    const seen = await facts.signature();
    if (seen === signature) return;
    try {
      const loading = facts.load({ before: served, now: clock() });
      // Whether it failed counts only when nothing has changed meanwhile.
      await loading.catch(() => undefined);
      if ((await facts.signature()) !== seen && ++unsettled < UNSETTLED_CHECKS) return;
      const { catalogue, warnings } = await loading;
      serve(catalogue);
      served = catalogue;
      violations = [];
      logger.info({ revision: catalogue.revision, warnings: warnings.length }, 'serving new data');
    } catch (error) {
      reject(error);
    }
    unsettled = 0;
    signature = seen;
  };

  const check = async (): Promise<void> => {
    checkingSince = clock();
    try {
      await checkOnce();
    } catch (error) {
      reject(error);
    } finally {
      checkingSince = null;
    }
  };

  const next = (): void => {
    timer = setTimeout(() => {
      void check().finally(() => {
        if (!stopped) next();
      });
    }, pollMs).unref();
  };
  next();

  return {
    status: () => {
      const seconds = checkingSince ? (clock().getTime() - checkingSince.getTime()) / 1000 : 0;
      const isSlow = seconds * 1000 > SLOW_CHECK_MS;
      return {
        revision: served.revision,
        violations: isSlow
          ? [
              ...violations,
              problem('slow', `reading the data has taken ${Math.floor(seconds)} seconds so far`),
            ]
          : violations,
      };
    },
    check,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
};

/** A violation of no rule: the data could not be checked at all. */
const problem = (rule: string, detail: string): Violation => ({
  rule,
  severity: 'error',
  file: '.',
  pointer: '',
  subject: '',
  detail,
});
