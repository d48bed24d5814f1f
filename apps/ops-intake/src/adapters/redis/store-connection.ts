import { ClientClosedError, ClientOfflineError, createClient, ErrorReply } from 'redis';
import type { Logger } from '@workspace/logging';
import type { StoreObserver } from '../../application/idempotency-store.ts';
import { readStoreMemory, type StoreMemory } from './store-memory.ts';

export interface StoreConnectionOptions {
  /** `redis://` or `rediss://`, of Redis or Valkey */
  url: string;
  /** milliseconds to wait for the store */
  timeoutMs: number;
  logger: Logger;
  observer?: StoreObserver | undefined;
  /** Called after each probe that shows that the store accepts writes; the store counts as available when it resolves. */
  onWritable: () => Promise<void>;
}

/** A connection that is kept up in the background. */
export interface StoreConnection {
  /** Runs a script. @throws CallFailed */
  run(script: string, keys: string[], args: string[]): Promise<unknown>;
  /** resolves when the store could be used for the first time */
  readonly connected: Promise<void>;
  /** why the store cannot be used now; undefined when it can */
  readonly unavailable: string | undefined;
  /** as last read; undefined when the store does not tell */
  readonly memory: StoreMemory | undefined;
  close(): void;
}

/** A call that failed, and whether the store may have carried it out all the same. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly type: string;
  readonly perhapsDone: boolean;
  constructor(type: string, perhapsDone: boolean, message: string, cause?: unknown) {
    super(message, { cause });
    this.type = type;
    this.perhapsDone = perhapsDone;
  }
}

/** Written by every probe: only a write shows that the store accepts writes. */
const PROBE_KEY = 'ops-intake:probe';
const PROBE_MS = 1_000;
/** How long the store must answer without a failure before an outage is over: one that answers now and then is no news. */
const STABLE_MS = 5_000;
const PROBE_TTL_MS = 60_000;
const PROBES_PER_INFO = 5;
/** A connection on which this many probes in a row were not answered is replaced. */
const UNANSWERED_PROBES = 3;
const LONGEST_PAUSE_MS = 1_000;

const callFailed = (error: Error): CallFailed => {
  if (error instanceof CallFailed) return error;
  if (error instanceof ErrorReply) {
    // Of a script's error only the store's own words, not where in the script it came up.
    const [message = ''] = error.message.split(/,? script: /);
    return new CallFailed(/^[A-Z]+\b/.exec(message)?.[0] ?? 'ERR', false, message, error);
  }
  const isUnsent = error instanceof ClientOfflineError || error instanceof ClientClosedError;
  return new CallFailed('DISCONNECTED', !isUnsent, isUnsent ? 'not connected' : error.message, error);
};

const newClient = ({ url, timeoutMs }: StoreConnectionOptions) =>
  createClient({
    url,
    // A command that waits for a connection would be a request that hangs.
    disableOfflineQueue: true,
    socket: {
      connectTimeout: timeoutMs,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, LONGEST_PAUSE_MS),
    },
  });
type Client = ReturnType<typeof newClient>;

/**
 * Returns at once and connects in the background. A probe writes every second: it detects a store that is unreachable,
 * hangs or rejects writes, and one that works again.
 */
export const openStoreConnection = (options: StoreConnectionOptions): StoreConnection => {
  const { timeoutMs, logger, observer } = options;
  let unavailable: string | undefined = 'not connected yet';
  /** when a call failed last, during an outage and until it is over */
  let failedAt: number | undefined;
  let onConnected: () => void = () => undefined;
  const connected = new Promise<void>((resolve) => (onConnected = resolve));
  let memory: StoreMemory | undefined;
  let probes = 0;
  let unanswered = 0;

  const failed = ({ type, message }: CallFailed): void => {
    observer?.storeFailed(type);
    if (failedAt === undefined) {
      logger.warn({ reason: message }, 'idempotency store unavailable; submissions with a key get 503');
    }
    failedAt = performance.now();
    unavailable = message;
  };

  const connect = (): Client => {
    const opened = newClient(options);
    opened.on('error', (error: Error) => {
      if (opened === client) failed(new CallFailed('DISCONNECTED', true, error.message || 'connection lost'));
    });
    opened.on('ready', () => probe());
    opened.connect().catch((error: unknown) => logger.debug({ err: error }, 'connecting to the store'));
    return opened;
  };

  const withinTimeout = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const timeout = new CallFailed('TIMEOUT', true, `no answer within ${timeoutMs} ms`);
      const timer = setTimeout(() => reject(timeout), timeoutMs);
      answer.then(resolve, reject).finally(() => clearTimeout(timer));
    });

  const call = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
    withinTimeout(answer).catch((error: Error) => {
      const failure = callFailed(error);
      failed(failure);
      throw failure;
    });

  /** Not every user may read it: the store works without. */
  const readMemory = async (): Promise<void> => {
    const info = await withinTimeout(client.info()).catch(() => undefined);
    if (info !== undefined) memory = readStoreMemory(info);
  };

  const probeOnce = async (): Promise<void> => {
    try {
      await call(client.set(PROBE_KEY, '1', { expiration: { type: 'PX', value: PROBE_TTL_MS } }));
      unanswered = 0;
      await options.onWritable();
      if (failedAt !== undefined && performance.now() - failedAt >= STABLE_MS) {
        failedAt = undefined;
        logger.info('idempotency store available');
      }
      unavailable = undefined;
      onConnected();
      if (probes % PROBES_PER_INFO === 0) await readMemory();
      probes += 1;
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      unanswered = error.type === 'TIMEOUT' ? unanswered + 1 : 0;
      if (unanswered < UNANSWERED_PROBES) return;
      unanswered = 0;
      logger.warn('idempotency store hangs: reconnecting');
      const silent = client;
      client = connect();
      silent.destroy();
    }
  };
  let probing: Promise<void> | undefined;
  const probe = (): void => {
    probing ??= probeOnce().finally(() => (probing = undefined));
  };
  let client = connect();
  const timer = setInterval(probe, PROBE_MS).unref();

  return {
    run: (script, keys, args) => call(client.eval(script, { keys, arguments: args })),
    connected,
    get unavailable() {
      return unavailable;
    },
    get memory() {
      return memory;
    },
    close: () => {
      clearInterval(timer);
      client.destroy();
    },
  };
};
