import type { Static, TObject, TProperties } from '@sinclair/typebox';
import type { Problem } from '@workspace/schemas';
import type { Address } from '@workspace/ip-addresses';
import type { FastifyRequest } from 'fastify';
import type { Service } from '@workspace/service-kit';
import type { ProblemPage, ProblemType } from '@workspace/service-kit/problems';
import type { Metrics, NamedFile, Reloadable } from '@workspace/service-process';
import type { HostNames } from './application/host-names.ts';
import type { NetworkFacts, Precision } from './application/locate.ts';
import type { AnonymousDatabase, Overlay } from './application/location-database.ts';
import type { Config, OptionSettings } from './config.ts';
import type { Checks } from './http/health.ts';
import { type FieldName, fieldLists } from './http/lookup/fields.ts';
import type { LocationDeps } from './http/lookup/routes.ts';
import type { AnswerFields } from './http/lookup/query.ts';
import type { Lookup } from './http/lookup/lookup.ts';
import type { OtherAddresses } from './http/page/other-addresses.ts';
import type { ApiKeyAccess, Charges, PrecisionOf } from './http/rate-limit.ts';

/** What lookups are made with. */
export interface Lookups extends LocationDeps, AnswerFields {
  readonly lookup: Lookup;
  readonly precisionOf: PrecisionOf;
  /** of answers to clients that have no API key */
  readonly precision: Precision;
  /** what data says of the network of an address */
  readonly networkFacts: (address: Address) => NetworkFacts;
  /** fields that are true or false, which rules may name */
  readonly flags: readonly FieldName[];
  readonly chargeLines: Charges['lines'];
  readonly largestCharge: Charges['largest'];
  /** how many lookups the API key of a request has left */
  readonly available: Charges['available'];
}

/** Files that are kept up to date: the last good ones stay when newer ones are wrong. */
type Watched<T> = Reloadable<T> & { readonly current: T; close(): Promise<void> };

interface WatchOptions<T> {
  readonly setting: string;
  /** what the files hold, for the log */
  readonly name: string;
  readonly paths: readonly string[];
  /** @throws UnusableFiles */
  readonly open: (files: readonly NamedFile[]) => Promise<T>;
}

/** What the process gives every option to open with. */
export interface ProcessContext {
  readonly metrics: Metrics;
  /** @throws ConfigError when the files that the setting names are missing or wrong */
  watch<T extends object>(files: WatchOptions<T>): Promise<Watched<T>>;
  /** the time zone at a point; undefined at sea */
  readonly timeZoneAt: (latitude: number, longitude: number) => string | null;
}

/** What an option gets to open with: nothing of it is known to be another option's. */
export interface OptionContext extends ProcessContext {
  /** fields that are true or false, which rules may name */
  readonly flags: readonly FieldName[];
  /** the names of precisions that API keys may have */
  readonly precisions: readonly string[];
}

/** How precise locations in answers are. */
export interface Precisions {
  readonly common: Precision;
  /** those that API keys may have instead */
  readonly named: ReadonlyMap<string, Precision>;
}

/** What an option that is on gives. Each member is an extension point; one that is left out costs nothing. */
export interface Opened {
  /** Traits: files that say what addresses are used for, which are kept up to date like all databases; at most one option. */
  readonly anonymous?: Pick<WatchOptions<AnonymousDatabase>, 'paths' | 'open'>;
  /** Overlay: locations that go before those of databases; at most one option. */
  readonly overlay?: Reloadable<Overlay>;
  /** Precision: what answers may say of a location; at most one option. */
  readonly precisions?: Precisions;
  /** Keys: which requests have an API key, and which need one; at most one option. */
  readonly apiKeys?: ApiKeyAccess;
  /** Host names: looks up `hostname`, which is null without it; at most one option. */
  readonly hostNames?: HostNames;
  /** Rewrite: the URL that is routed instead of one that a client sent. */
  readonly rewriteUrl?: (url: string) => string;
  /** Caller's page: his other addresses, which a script asks for; at most one option. */
  readonly otherAddresses?: OtherAddresses;
  /** Pages: what a browser sees of a problem; undefined: the page of all others. */
  readonly problemPage?: (problem: Problem, request: FastifyRequest) => ProblemPage | undefined;
  /** Routes: paths of its own. */
  readonly routes?: (app: Service, lookups: Lookups) => void;
  /** Index: paths of its own in the list of the index. */
  readonly paths?: readonly string[];
  /** Health: checks of its own, by name. */
  readonly checks?: (now: Date) => Checks;
  /** Metrics: files of its own, which may fail to load, by the name that metrics give them. */
  readonly files?: Readonly<Record<string, Reloadable<object>>>;
  /** Close: called at the end in the reverse order of the list, before databases close. */
  readonly close?: () => Promise<void> | void;
}

type Result = Opened | undefined | Promise<Opened | undefined>;

/** An option, with the type of its own settings. */
export interface Option<Own extends TProperties = TProperties> extends OptionSettings<Own> {
  /** name of its folder */
  readonly name: string;
  /** every problem that it adds to the catalogue, by code */
  readonly problems?: Readonly<Record<string, ProblemType>>;
  /** @returns undefined when the option is off */
  open(config: Config & Static<TObject<Own>>, context: OptionContext): Result;
}

/** Makes an option, whose functions get its own settings as `readConfig` has read them by its schema. */
export const option = <Own extends TProperties>(one: Option<Own>): Option => one;

/** Opens the options that are on, in the order of the list. */
export const openOptions = async (
  options: readonly Option[],
  config: Config,
  context: ProcessContext,
): Promise<Opened[]> => {
  const opened: Opened[] = [];
  for (const one of options) {
    const precisions = [...(onlyOne(opened, 'precisions')?.named.keys() ?? [])];
    const { flags } = fieldLists(onlyOne(opened, 'anonymous') !== undefined);
    const result = await one.open(config, { ...context, flags, precisions });
    if (result) opened.push(result);
  }
  return opened;
};

/** What an option gives for a point that takes one value. @throws when two options give one */
export const onlyOne = <Point extends keyof Opened>(
  opened: readonly Opened[],
  point: Point,
): Opened[Point] | undefined => {
  const values = opened.filter((one) => one[point] !== undefined);
  if (values.length > 1) throw new Error(`two options provide ${point}`);
  return values[0]?.[point];
};
