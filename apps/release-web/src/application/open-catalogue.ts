import type { Logger } from '@workspace/logging';
import {
  type Catalogue,
  InvalidDataError,
  type Violation,
  violationText,
} from '@workspace/release-catalogue';
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
