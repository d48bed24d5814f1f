import { createHash } from 'node:crypto';
import {
  type Claim,
  type IdempotencyStore,
  type KeyClaim,
  type KeyOutcome,
  type StoredOutcome,
  type StoreStatus,
  StoreUnavailable,
} from '../../application/idempotency-store.ts';
import { acceptedSubmission } from '../../application/submission-record.ts';
import { CLAIM, FIND, SETTLE } from './scripts.ts';
import {
  CallFailed,
  openStoreConnection,
  type StoreConnection,
  type StoreConnectionOptions,
} from './store-connection.ts';
import { memoryWarning } from './store-memory.ts';
import { createUnsettled } from './unsettled.ts';

export interface RedisStoreOptions extends Omit<StoreConnectionOptions, 'onWritable'> {
  /** milliseconds an answer is remembered; at least `leaseMs` */
  ttlMs: number;
  /** milliseconds a claim holds without word from its owner; longer than any send can take */
  leaseMs: number;
}

export interface RedisStore extends IdempotencyStore {
  /** resolves when the store could be used for the first time */
  readonly connected: Promise<void>;
  /** Runs a script of someone else on one key of the same store. @throws CallFailed */
  run(script: string, key: string, args: string[]): Promise<unknown>;
}

const PREFIX = 'ops-intake:key:';
/** Lost with the keys, so that its age is that of the oldest key that the store can know. */
const MARKER = 'ops-intake:store';
/** With more unsettled answers than this, no more keys are claimed: about 50 MB. */
const MOST_UNSETTLED = 100_000;
/** What becomes of a request whose claim was not confirmed. */
const UNHEARD: KeyOutcome = { outcome: 'not-published', reason: 'withdrawn' };

/**
 * Keys that all instances see, in Redis or Valkey. What the store has not confirmed is told again after every probe.
 *
 * @param open opens the connection; a simulation brings another
 */
export const openRedisStore = (
  { ttlMs, leaseMs, ...options }: RedisStoreOptions,
  open: (options: StoreConnectionOptions) => StoreConnection = openStoreConnection,
): RedisStore => {
  const connection = open({ ...options, onWritable: () => unsettled.retry() });
  let since: Date | undefined;

  const unsettled = createUnsettled(async ({ id, fingerprint, owner, principal }, known) => {
    const { outcome } = known;
    const answer = outcome === 'accepted' ? stored(known) : '';
    const args = [fingerprint, owner, outcome, answer, String(ttlMs), digestOf(principal), String(leaseMs)];
    await connection.run(SETTLE, [PREFIX + id], args);
  });

  const claim = async (claimed: KeyClaim): Promise<Claim> => {
    const { id, fingerprint, owner, principal } = claimed;
    const known = unsettled.answerTo(id);
    if (known) {
      return known.fingerprint === fingerprint
        ? { state: 'accepted', answer: known.answer }
        : { state: 'reused' };
    }
    if (unsettled.size >= MOST_UNSETTLED) {
      throw new StoreUnavailable(`the store has not confirmed ${unsettled.size} answers`);
    }
    try {
      const times = [leaseMs, Math.max(ttlMs, leaseMs)].map(String);
      const args = [fingerprint, owner, ...times, digestOf(principal)];
      const reply = await connection.run(CLAIM, [PREFIX + id, MARKER], args);
      const [state, value, marked] = reply as [Claim['state'], string, string?];
      if (marked !== undefined) since = new Date(Number(marked));
      if (state === 'accepted') return { state, answer: restored(id, value) };
      return state === 'claimed' ? { state, outcomeUnknown: value === '1' } : { state };
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      // The store may have heard it; then the key must not stay taken by a request that is rejected.
      if (error.perhapsDone) void unsettled.settle(claimed, UNHEARD);
      throw new StoreUnavailable(error.message, { cause: error });
    }
  };

  const find = async (id: string, principal: string | undefined): Promise<StoredOutcome | undefined> => {
    const known = unsettled.answerTo(id);
    if (known)
      return known.principal === principal ? { outcome: 'accepted', answer: known.answer } : undefined;
    try {
      const found = await connection.run(FIND, [PREFIX + id, MARKER], [digestOf(principal)]);
      const [outcome, value, leased] = found as string[];
      if (outcome === 'absent') since = new Date(Number(value));
      if (outcome === 'accepted') return { outcome, answer: restored(id, value as string) };
      if (outcome === 'in-flight') return { outcome };
      if (outcome !== 'unknown') return undefined;
      return { outcome, claimedAt: new Date(Number(value)), isLeased: leased === '1' };
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      throw new StoreUnavailable(error.message, { cause: error });
    }
  };

  const status = (): StoreStatus => {
    const { unavailable, memory } = connection;
    const waiting =
      unsettled.size > 0 ? `${unsettled.size} answers wait until the store confirms them` : undefined;
    const warning = waiting ?? (memory && memoryWarning(memory));
    return {
      ...(unavailable !== undefined && { error: unavailable }),
      ...(warning !== undefined && { warning }),
      unsettled: unsettled.size,
      evictions: memory?.evictedKeys ?? 0,
      ...(memory && {
        use: {
          unit: 'bytes',
          used: memory.usedBytes,
          ...(memory.maxBytes !== undefined && { capacity: memory.maxBytes }),
        },
      }),
    };
  };

  return {
    claim,
    find,
    settle: unsettled.settle,
    since: () => since,
    status,
    connected: connection.connected,
    run: (script, key, args) => connection.run(script, [key], args),
    close: async () => {
      await unsettled.retry().catch(() => undefined);
      if (unsettled.size > 0) {
        options.logger.warn(
          { unsettled: unsettled.size },
          'stopping with answers that the store has not confirmed',
        );
      }
      connection.close();
    },
  };
};

/** Of one length, and short, whatever the principal is called; the store need not know names. */
const digestOf = (principal: string | undefined): string =>
  principal === undefined ? '' : createHash('sha256').update(principal).digest('base64url').slice(0, 22);

/** As short as it can be, since the store keeps one for every key. */
const stored = ({ answer }: KeyOutcome & { outcome: 'accepted' }): string =>
  JSON.stringify([answer.operations, answer.topic, answer.partition, answer.offset]);

const restored = (submissionId: string, value: string) => {
  const [operations, topic, partition, offset] = JSON.parse(value) as [number, string, number, number];
  return acceptedSubmission(submissionId, operations, { topic, partition, offset });
};
