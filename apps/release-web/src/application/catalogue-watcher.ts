import {
  type Catalogue,
  InvalidDataError,
  type Violation,
  violationText,
} from '@workspace/release-catalogue';
import type { Clock } from '@workspace/service-process';
import type { Logger } from '@workspace/logging';
import type { LastValidCatalogue, ReleaseCatalogue } from './release-catalogue.ts';

/** What a start has found. */
export interface OpenedCatalogue {
  /** of the stored facts when they were read */
  readonly signature: string;
  /** what is served; null: nothing */
  readonly catalogue: Catalogue | null;
  /** why the stored facts are not served */
  readonly violations: readonly Violation[];
}

export interface CatalogueSources {
  readonly facts: ReleaseCatalogue;
  /** left out: the service starts without data when the stored facts are invalid */
  readonly lastValid?: LastValidCatalogue | undefined;
  readonly logger: Logger;
  /** puts facts into service; throws when no responses can be built from them */
  readonly serve: (catalogue: Catalogue) => void;
}

/** Serves the stored facts or, when they are invalid, those that were served last. It never fails: a later check may succeed. */
export const openCatalogue = async (sources: CatalogueSources): Promise<OpenedCatalogue> => {
  const { facts, logger, serve } = sources;
  const signature = await facts.signature();
  try {
    const { catalogue, warnings } = await facts.load();
    serve(catalogue);
    const { source } = facts;
    logger.info({ source, revision: catalogue.revision, warnings: warnings.length }, 'release data loaded');
    await keepCatalogue(sources, catalogue);
    return { signature, catalogue, violations: [] };
  } catch (error) {
    const kept = await serveLastValid(sources);
    const outcome = kept
      ? 'the data is invalid; serving the last valid data'
      : 'the data is invalid; there is no data to serve';
    logger.error({ ...invalidDataFields(facts, error), ...(kept && { revision: kept.revision }) }, outcome);
    return { signature, catalogue: kept ?? null, violations: violationsOf(error) };
  }
};

const serveLastValid = async ({
  lastValid,
  logger,
  serve,
}: CatalogueSources): Promise<Catalogue | undefined> => {
  try {
    const kept = await lastValid?.load();
    if (kept) serve(kept);
    return kept;
  } catch (error) {
    logger.warn({ err: error }, 'the last valid data cannot be read; starting without it');
    return undefined;
  }
};

/** Keeps what is served for the next start. That it cannot be kept changes nothing for this one. */
export const keepCatalogue = async (
  { lastValid, logger }: Pick<CatalogueSources, 'lastValid' | 'logger'>,
  catalogue: Catalogue,
): Promise<void> => {
  try {
    await lastValid?.save(catalogue);
  } catch (error) {
    logger.warn({ err: error }, 'the data could not be saved for the next start');
  }
};

/** What is wrong with facts, as a failed load reports it. */
export const violationsOf = (error: unknown): readonly Violation[] =>
  error instanceof InvalidDataError
    ? error.violations
    : [uncheckedViolation('unexpected', (error as Error).message)];

/** A violation of no rule: the data could not be checked at all. */
export const uncheckedViolation = (rule: string, detail: string): Violation => ({
  rule,
  severity: 'error',
  file: '.',
  pointer: '',
  subject: '',
  detail,
});

/** Log lines are read; `release-data validate` prints every violation. */
const LOGGED_VIOLATIONS = 20;

/** The fields of a log line about facts that are not served. */
export const invalidDataFields = ({ source }: ReleaseCatalogue, error: unknown): object => {
  const violations = violationsOf(error);
  return {
    source,
    violations: violations.slice(0, LOGGED_VIOLATIONS).map(violationText),
    total: violations.length,
    // What a rule says needs no stack; anything else is a defect of this service.
    ...(!(error instanceof InvalidDataError) && { err: error }),
  };
};

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
   * Checks for changed facts; resolves when they are served or rejected. The next call has to wait for that.
   * @param force reads the facts even if they look unchanged
   */
  check(force?: boolean): Promise<void>;
}

export interface CatalogueWatcherOptions extends CatalogueSources {
  readonly clock: Clock;
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
 * After this time rejected facts are judged again. Some rules compare with the clock, which may have been behind that of
 * who published, and what could not be read may be readable again.
 */
const JUDGED_AGAIN_MS = 60_000;

/**
 * Serves facts that have changed and are valid. Otherwise the last valid facts stay in service, and the violations are logged and
 * reported.
 */
export const watchCatalogue = (options: CatalogueWatcherOptions): CatalogueWatcher => {
  const { facts, logger, clock, serve, opened } = options;
  let { signature, violations } = opened;
  let served = opened.catalogue;
  let isKept = served !== null && violations.length > 0;
  let unsettled = 0;
  let checkingSince: Date | null = null;
  let rejectedAt: Date | null = violations.length > 0 ? clock() : null;

  const isDueAgain = (): boolean =>
    rejectedAt !== null && Math.abs(clock().getTime() - rejectedAt.getTime()) >= JUDGED_AGAIN_MS;

  /** @param judgedAt what the clock said when the rules were applied */
  const reject = (error: unknown, judgedAt: Date, isChanged: boolean): void => {
    const before = violations;
    violations = violationsOf(error);
    rejectedAt = judgedAt;
    if (!isChanged && JSON.stringify(before) === JSON.stringify(violations)) return;
    logger.error(
      invalidDataFields(facts, error),
      served
        ? 'the new data is invalid; still serving the last valid data'
        : 'the data is invalid; there is no data to serve',
    );
  };

  const serveChanged = async (force: boolean): Promise<void> => {
    const seen = await facts.signature();
    const isChanged = seen !== signature;
    if (!isChanged && !force && !isDueAgain()) return;
    const now = clock();
    try {
      const loading = facts.load(served ? { before: served, now } : {});
      // Whether it failed counts only when nothing has changed meanwhile.
      await loading.catch(() => undefined);
      if ((await facts.signature()) !== seen && ++unsettled < UNSETTLED_CHECKS) return;
      const { catalogue, warnings } = await loading;
      serve(catalogue);
      served = catalogue;
      isKept = false;
      violations = [];
      rejectedAt = null;
      logger.info({ revision: catalogue.revision, warnings: warnings.length }, 'serving new data');
      await keepCatalogue(options, catalogue);
    } catch (error) {
      reject(error, now, isChanged || force);
    }
    unsettled = 0;
    signature = seen;
  };

  const check = async (force = false): Promise<void> => {
    const began = clock();
    checkingSince = began;
    try {
      await serveChanged(force);
    } catch (error) {
      reject(error, began, false);
    } finally {
      checkingSince = null;
    }
  };

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
  };
};
