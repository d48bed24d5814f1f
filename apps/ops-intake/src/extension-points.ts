import type { Static, TObject, TProperties } from '@sinclair/typebox';
import type { KafkaSettings } from '@workspace/kafka-producer';
import type { Logger } from '@workspace/logging';
import type { RunScript } from '@workspace/rate-limit-store';
import type { FastifyRequest } from 'fastify';
import type { Drain } from '@workspace/http-connections';
import type { Service, Tracing } from '@workspace/service-kit';
import type { ProblemError, ProblemType } from '@workspace/service-kit/problems';
import type { RateLimiter } from '@workspace/service-kit/rate-limit';
import type { Clock, Metrics, Timers } from '@workspace/service-process';
import type { IdempotencyStore, StoreObserver } from './application/idempotency-store.ts';
import type { OperationLog } from './application/operation-log.ts';
import { BUILT_IN_SCHEMA, type OperationSchema } from './application/operation-schema.ts';
import type { NewestRecords } from './application/record-search.ts';
import type { Config, OptionSettings } from './config.ts';
import type { FillRandomly } from './domain/randomness.ts';
import type { Authenticator } from './http/admission/authentication.ts';
import type { TopicParts } from './http/contract/topic-parts.ts';
import type { OperationsHealth } from './http/health/health-schema.ts';
import type { RecordHeaders } from './http/submit/record-headers.ts';
import type { OperationSchemas } from './http/submit/operation-schemas.ts';
import type { Submitting } from './http/submit/submit-route.ts';
import type { OnRejected, RequestFacts } from './http/submit/answered-problem.ts';

/** How brokers are connected to, beside their addresses, and what to set where they expect otherwise. */
export type BrokerConnection = Pick<KafkaSettings, 'ssl' | 'sasl' | 'advice'>;

/** What the process gives every option to open with. */
export interface ProcessContext {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly metrics: Metrics;
  readonly tracing?: Tracing | undefined;
  readonly fillRandomly: FillRandomly;
  /** counts failures of a key store */
  readonly storeObserver: StoreObserver;
  /** reads the newest records of the topic */
  readonly newest: NewestRecords;
  /** @param suffix of the client id @returns a log on another topic, with a client of its own */
  openLog(topic: string, suffix: string, logger: Logger): OperationLog;
}

/** What an option gets to open with: nothing of it is known to be another option's. */
export interface OptionContext extends ProcessContext {
  /** the schemas of operations that are in use, at least one */
  readonly schemas: readonly OperationSchema[];
  /** headers that an option adds to records */
  readonly recordHeaders: RecordHeaders | undefined;
  /** runs scripts in the Redis that keeps the keys of all instances; undefined without one */
  readonly runInKeyStore: { readonly url: string; readonly run: RunScript } | undefined;
}

/** Where the keys of all instances are. */
export interface KeyStore {
  readonly server: 'Redis' | 'PostgreSQL';
  readonly url: string;
  readonly store: IdempotencyStore & {
    /** resolves when the store could be used for the first time */
    readonly connected: Promise<void>;
    /** runs a script of someone else on one key, where the server is Redis or Valkey */
    readonly run?: RunScript;
  };
}

/** What routes of an option may use. */
export interface Core {
  readonly config: Config;
  readonly drain: Drain;
  readonly submitting: Submitting;
  readonly version: string;
  readonly metrics: Metrics | undefined;
  readonly schemas: readonly OperationSchema[];
  /** where Idempotency-Keys are kept */
  readonly keysIn: KeyStore['server'] | 'memory';
  /** whether clients have to authenticate */
  readonly isAuthenticated: boolean;
  readonly log: Pick<OperationLog, 'status'>;
  readonly store: Pick<IdempotencyStore, 'status'>;
  health(): OperationsHealth;
}

/** Is called with a problem that a request was answered with. */
export type OnProblem = (problem: ProblemError, request: FastifyRequest) => void;

/** What an option that is on gives. Each member is an extension point; one that is left out costs nothing. */
export interface Opened {
  /** Authenticate: a way to find out who submits, asked in the order of the list. */
  readonly authenticator?: Authenticator;
  /** Admit: how much each client may send. */
  readonly rateLimiter?: RateLimiter;
  /** Schemas: what operations may look like, instead of the built-in schema alone; at most one option. */
  readonly schemas?: OperationSchemas;
  /** Key store: instead of keys in this process; at most one option. It closes after the log. */
  readonly keyStore?: KeyStore;
  /** Record headers: what records say besides; at most one option, which describes them by `topic`, too. */
  readonly recordHeaders?: RecordHeaders;
  /** Log: a log that does something to each record. Later options of the list are outside earlier ones. */
  readonly log?: (log: OperationLog) => OperationLog;
  /** Observe: every problem that a request was answered with. */
  readonly onProblem?: OnProblem;
  /** Observe: every problem that a submission, alone or in a stream, was answered with. */
  readonly onRejected?: (facts: RequestFacts) => OnRejected;
  /** Health: what an operator has to act on, by the name of the check; undefined: nothing. */
  readonly warnings?: () => Readonly<Record<string, string | undefined>>;
  /** Routes: paths of its own, and links to them on pages about problems. */
  readonly routes?: (app: Service, core: Core) => void;
  readonly links?: Readonly<Record<string, string>>;
  /** Describe: problems that requests to `/operations` can meet, those that only submissions can, and what AsyncAPI says. */
  readonly problems?: readonly ProblemType[];
  readonly submissionProblems?: readonly ProblemType[];
  readonly topic?: TopicParts;
  /** Close: called in the reverse order of the list, before the log and the key store close. */
  readonly close?: () => Promise<void> | void;
}

type Result = Opened | undefined | Promise<Opened | undefined>;

/** An option, with the type of its own settings. */
export interface Option<Own extends TProperties = TProperties> extends OptionSettings<Own> {
  /** name of its folder */
  readonly name: string;
  /** every problem that it adds to the catalogue, by code */
  readonly problems?: Readonly<Record<string, ProblemType>>;
  /** whether many submissions have to be looked up in the log: it then keeps an index */
  searchesLog?(config: Config & Static<TObject<Own>>): boolean;
  /** Connection: TLS and login to Kafka; at most one option. @throws ConfigError */
  connection?(config: Config & Static<TObject<Own>>): Promise<BrokerConnection>;
  /** @returns undefined when the option is off; a promise only where there is something to wait for */
  open(config: Config & Static<TObject<Own>>, context: OptionContext): Result;
}

/** Makes an option, whose functions get its own settings as `readSettings` has read them by its schema. */
export const option = <Own extends TProperties>(one: Option<Own>): Option => one;

/** Opens the options that are on, in the order of the list. */
export const openOptions = async (
  options: readonly Option[],
  config: Config,
  context: ProcessContext,
): Promise<Opened[]> => {
  const opened: Opened[] = [];
  for (const one of options) {
    const result = await one.open(config, contextAfter(opened, context));
    if (result) opened.push(result);
  }
  return opened;
};

/** Closes options in the reverse order of the list. One that fails is logged: the log and the key store must still close. */
export const closeOptions = async (opened: readonly Opened[], logger: Logger): Promise<void> => {
  const closed = await Promise.allSettled(opened.toReversed().map(async (one) => one.close?.()));
  for (const one of closed)
    if (one.status === 'rejected') logger.warn({ err: one.reason as Error }, 'option did not close');
};

/** @param opened the options before it in the list */
export const contextAfter = (opened: readonly Opened[], context: ProcessContext): OptionContext => {
  const { url, store } = onlyOne(opened, 'keyStore') ?? {};
  return {
    ...context,
    schemas: onlyOne(opened, 'schemas')?.all ?? [BUILT_IN_SCHEMA],
    recordHeaders: onlyOne(opened, 'recordHeaders'),
    runInKeyStore: url !== undefined && store?.run ? { url, run: store.run } : undefined,
  };
};

/** What an option gives for a point that takes one; undefined when none does. @throws when two options do */
export const onlyOne = <Given, Point extends keyof Given>(
  options: readonly Given[],
  point: Point,
): Given[Point] | undefined => {
  const given = options.filter((option) => option[point] !== undefined);
  if (given.length > 1) throw new Error(`two options provide ${String(point)}`);
  return given[0]?.[point];
};

/** One function that calls all that options give for a point; undefined when none does. */
export const allOf = <Args extends unknown[]>(
  functions: readonly ((...args: Args) => void)[],
): ((...args: Args) => void) | undefined =>
  functions.length === 0 ? undefined : (...args) => functions.forEach((one) => one(...args));
