import type { ProblemType, Service } from '@workspace/service-kit';
import type { LocationDeps } from './http/lookup/routes.ts';
import type { AnswerFields } from './http/lookup/query.ts';
import type { Lookup } from './http/lookup/lookup.ts';
import type { PrecisionOf } from './http/api-keys.ts';
import type { ChargeLines } from './http/rate-limit.ts';

/** What lookups are made with. */
export interface Lookups extends LocationDeps, AnswerFields {
  readonly lookup: Lookup;
  readonly precisionOf: PrecisionOf;
  readonly chargeLines: ChargeLines;
}

/** An option as the core sees it. Each member is an extension point. */
export interface Option {
  /** name of its folder */
  readonly name: string;
  /** every problem that it adds to the catalogue, by code */
  readonly problems?: Readonly<Record<string, ProblemType>>;
  /** Routes: paths of its own. */
  readonly routes: (app: Service, lookups: Lookups) => void;
  /** Index: paths of its own in the list of the index. */
  readonly paths: readonly string[];
}
