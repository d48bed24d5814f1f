import type { Static, TObject, TProperties } from '@sinclair/typebox';
import type { Logger } from '@workspace/logging';
import type { RunScript } from '@workspace/rate-limit-store';
import type { Clock, Metrics, ProblemType, RateLimiter, Timers } from '@workspace/service-kit';
import type { Config, OptionSettings, SettingFacts } from './config.ts';
import type { Authenticator } from './http/admission/authentication.ts';

/** What an option gets to open with. None of it belongs to another option. */
export interface OptionContext {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly metrics: Metrics;
  /** runs scripts in the Redis that keeps the keys of all instances; undefined without one */
  readonly runInKeyStore?: { readonly url: string; readonly run: RunScript } | undefined;
}

/** What an option that is on gives. Each member is an extension point; one that is left out costs nothing. */
export interface Opened {
  /** Authenticate: a way to find out who submits, asked in the order of the list. */
  readonly authenticator?: Authenticator;
  /** Admit: how much each client may send. */
  readonly rateLimiter?: RateLimiter;
  /** Describe: problems that requests to `/operations` can meet. */
  readonly problems?: readonly ProblemType[];
  /** Close: called in the reverse order of the list, before the log and the key store close. */
  readonly close?: () => Promise<void> | void;
}

type Result = Opened | undefined | Promise<Opened | undefined>;

/** An option as the core sees it. */
export interface Option extends OptionSettings {
  /** name of its folder */
  readonly name: string;
  /** every problem that it adds to the catalogue, by code */
  readonly problems: Readonly<Record<string, ProblemType>>;
  /** @returns undefined when the option is off; a promise only where there is something to wait for */
  open(config: Config, context: OptionContext): Result;
}

/** An option as it is written: it sees the core's settings and its own, and no other's. */
export interface OptionSpec<Own extends TProperties> {
  readonly name: string;
  readonly settings: Own;
  /** settings by any of which clients authenticate */
  readonly credentials?: readonly (keyof Own & string)[];
  readonly problems?: Readonly<Record<string, ProblemType>>;
  /** what the settings' types do not check, one sentence each */
  violations?(config: Config & Static<TObject<Own>>, facts: SettingFacts): readonly string[];
  open(config: Config & Static<TObject<Own>>, context: OptionContext): Result;
}

/** Makes an option: the only place where its own settings get their type, as `readSettings` has read them by its schema. */
export const option = <Own extends TProperties>(spec: OptionSpec<Own>): Option => {
  type All = Config & Static<TObject<Own>>;
  return {
    name: spec.name,
    settings: spec.settings,
    credentials: spec.credentials ?? [],
    problems: spec.problems ?? {},
    violations: (config, facts) => spec.violations?.(config as All, facts) ?? [],
    open: (config, context) => spec.open(config as All, context),
  };
};

/** Opens the options that are on, in the order of the list. */
export const openOptions = async (
  options: readonly Option[],
  config: Config,
  context: OptionContext,
): Promise<Opened[]> => {
  const opened: Opened[] = [];
  for (const one of options) {
    const result = await one.open(config, context);
    if (result) opened.push(result);
  }
  return opened;
};

/** The only value that options give for a point that takes one. @throws when two options give one */
export const onlyOne = <T>(values: readonly T[]): T | undefined => {
  if (values.length > 1) throw new Error('two options provide the same');
  return values[0];
};
