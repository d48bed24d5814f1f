import type { Static, TObject, TProperties } from '@sinclair/typebox';
import type { Metrics, ProblemType, Service } from '@workspace/service-kit';
import type { HostNames } from './application/host-names.ts';
import type { Config, OptionSettings } from './config.ts';
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

/** What the process gives every option to open with. */
export interface OptionContext {
  readonly metrics: Metrics;
}

/** What an option that is on gives. Each member is an extension point; one that is left out costs nothing. */
export interface Opened {
  /** Host names: looks up `hostname`, which is null without it; at most one option. */
  readonly hostNames?: HostNames;
  /** Health: what an operator has to act on, by the name of the check; asked for each answer of `/health`. */
  readonly warnings?: () => Readonly<Record<string, string>>;
  /** Close: called at the end, before databases close. */
  readonly close?: () => void;
}

/** An option as the core sees it. Each member is an extension point. */
export interface Option extends OptionSettings {
  /** name of its folder */
  readonly name: string;
  /** every problem that it adds to the catalogue, by code */
  readonly problems?: Readonly<Record<string, ProblemType>>;
  /** Routes: paths of its own. */
  readonly routes?: (app: Service, lookups: Lookups) => void;
  /** Index: paths of its own in the list of the index. */
  readonly paths?: readonly string[];
  /** @returns undefined when the option is off */
  open?(config: Config, context: OptionContext): Opened | undefined;
}

/** An option with settings as it is written: it sees the core's and its own, and no other's. */
export interface OptionSpec<Own extends TProperties> {
  readonly name: string;
  readonly settings: Own;
  violations(config: Config & Static<TObject<Own>>): readonly string[];
  open(config: Config & Static<TObject<Own>>, context: OptionContext): Opened | undefined;
}

/** Makes an option with settings: the only place where these get their type, as `readConfig` has read them by its schema. */
export const option = <Own extends TProperties>(spec: OptionSpec<Own>): Option => {
  type All = Config & Static<TObject<Own>>;
  return {
    ...spec,
    violations: (config) => spec.violations(config as All),
    open: (config, context) => spec.open(config as All, context),
  };
};
