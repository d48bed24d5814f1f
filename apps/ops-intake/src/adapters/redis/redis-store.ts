import { ClientClosedError, ClientOfflineError, createClient, ErrorReply } from 'redis';
import type { Logger } from '@workspace/logging';
import {
  type Claim,
  type IdempotencyStore,
  type KeyClaim,
  type Settlement,
  StoreUnavailable,
} from '../../application/idempotency-store.ts';
import { acceptedSubmission } from '../../application/accepted-submission.ts';
import { CLAIM, SETTLE } from './scripts.ts';
import { memoryWarning, readStoreMemory, type StoreMemory } from './store-memory.ts';
import { createUnsettled } from './unsettled.ts';

export interface RedisStoreOptions {
  /** `redis://` or `rediss://`, of Redis or Valkey */
  url: string;
  /** milliseconds an answer is remembered; at least `leaseMs` */
  ttlMs: number;
  /** milliseconds a claim holds without word from its owner; longer than any send can take */
  leaseMs: number;
  /** milliseconds to wait for the store */
  timeoutMs: number;
  logger: Logger;
  observer?: StoreObserver | undefined;
}

/** What happens to calls to the store, for counters. */
export interface StoreObserver {
  /** A call failed: the first word of the store's error (`READONLY`, `OOM`), `TIMEOUT` or `DISCONNECTED`. */
  storeFailed(type: string): void;
}

const PREFIX = 'ops-intake:key:';
/** Written by every probe: only a write shows that the store takes writes. */
const PROBE_KEY = 'ops-intake:probe';
const PROBE_MS = 1_000;
const PROBE_TTL_MS = 60_000;
const PROBES_PER_INFO = 5;
/** A connection on which this many probes in a row were not answered is replaced. */
const UNANSWERED_PROBES = 3;
const LONGEST_PAUSE_MS = 1_000;
/** With more unsettled answers than this, no more keys are claimed: about 50 MB. */
const MOST_UNSETTLED = 100_000;

/** A call that failed, and whether the store may have carried it out all the same. */
class CallFailed extends Error {
  readonly type: string;
  readonly perhapsDone: boolean;
  constructor(type: string, perhapsDone: boolean, message: string, cause?: unknown) {
    super(message, { cause });
    this.type = type;
    this.perhapsDone = perhapsDone;
  }
}

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

const newClient = ({ url, timeoutMs }: RedisStoreOptions) =>
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
 * Keys that all instances see, in Redis or Valkey. Returns at once and connects in the background. A probe writes every
 * second: it detects a store that is unreachable, hangs or rejects writes, and when it succeeds, everything the store
 * still has to learn is told again.
 */
export const openRedisStore = (options: RedisStoreOptions): IdempotencyStore => {
  const { ttlMs, leaseMs, timeoutMs, logger, observer } = options;
  let unavailable: string | undefined = 'not connected yet';
  let memory: StoreMemory | undefined;
  let probes = 0;
  let unanswered = 0;

  const failed = ({ type, message }: CallFailed): void => {
    observer?.storeFailed(type);
    if (unavailable === undefined) {
      logger.warn({ reason: message }, 'idempotency store unavailable; submissions with a key get 503');
    }
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

  const call = <Answer>(send: () => Promise<Answer>): Promise<Answer> =>
    new Promise<Answer>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new CallFailed('TIMEOUT', true, `no answer within ${timeoutMs} ms`)),
        timeoutMs,
      );
      send()
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    }).catch((error: Error) => {
      const failure = callFailed(error);
      failed(failure);
      throw failure;
    });

  const run = (script: string, id: string, args: string[]): Promise<unknown> =>
    call(() => client.eval(script, { keys: [PREFIX + id], arguments: args }));

  const unsettled = createUnsettled(async ({ id, fingerprint, owner }, settlement) => {
    const { outcome } = settlement;
    const answer = outcome === 'acknowledged' ? stored(settlement) : '';
    await run(SETTLE, id, [fingerprint, owner, outcome, answer, String(ttlMs)]);
  });

  const probeOnce = async (): Promise<void> => {
    try {
      await call(() => client.set(PROBE_KEY, '1', { expiration: { type: 'PX', value: PROBE_TTL_MS } }));
      unanswered = 0;
      await unsettled.retry();
      if (unavailable !== undefined) logger.info('idempotency store available');
      unavailable = undefined;
      if (probes % PROBES_PER_INFO === 0) memory = readStoreMemory(await client.info().catch(() => ''));
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

  const claim = async (claimed: KeyClaim): Promise<Claim> => {
    const { id, fingerprint, owner } = claimed;
    const known = unsettled.answerTo(id);
    if (known) {
      return known.fingerprint === fingerprint
        ? { state: 'answered', answer: known.answer }
        : { state: 'reused' };
    }
    if (unsettled.size >= MOST_UNSETTLED) {
      throw new StoreUnavailable(`the store has not confirmed ${unsettled.size} answers`);
    }
    try {
      const args = [fingerprint, owner, String(leaseMs), String(Math.max(ttlMs, leaseMs))];
      const [state, value] = (await run(CLAIM, id, args)) as [Claim['state'], string];
      if (state === 'answered') return { state, answer: restored(id, value) };
      return state === 'claimed' ? { state, outcomeUnknown: value === '1' } : { state };
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      // The store may have heard it; then the key must not stay taken by a request that is rejected.
      if (error.perhapsDone) void unsettled.settle(claimed, { outcome: 'rejected' });
      throw new StoreUnavailable(error.message, { cause: error });
    }
  };

  const status = () => {
    const unsettledWarning =
      unsettled.size > 0 ? `${unsettled.size} answers wait until the store confirms them` : undefined;
    const warning = unsettledWarning ?? (memory && memoryWarning(memory));
    return {
      ...(unavailable !== undefined && { error: unavailable }),
      ...(warning !== undefined && { warning }),
      unsettled: unsettled.size,
      evictions: memory?.evictedKeys ?? 0,
      ...(memory && {
        use: {
          unit: 'bytes' as const,
          used: memory.usedBytes,
          ...(memory.maxBytes !== undefined && { capacity: memory.maxBytes }),
        },
      }),
    };
  };

  return {
    claim,
    settle: (claimed, settlement) => unsettled.settle(claimed, settlement),
    status,
    close: async () => {
      clearInterval(timer);
      await unsettled.retry().catch(() => undefined);
      if (unsettled.size > 0) {
        logger.warn({ unsettled: unsettled.size }, 'stopping with answers that the store has not confirmed');
      }
      client.destroy();
    },
  };
};

/** As short as it can be, since the store keeps one for every key. */
const stored = ({ answer }: Settlement & { outcome: 'acknowledged' }): string =>
  JSON.stringify([answer.operations, answer.topic, answer.partition, answer.offset]);

const restored = (submissionId: string, value: string) => {
  const [operations, topic, partition, offset] = JSON.parse(value) as [number, string, number, number];
  return acceptedSubmission(submissionId, operations, { topic, partition, offset });
};
