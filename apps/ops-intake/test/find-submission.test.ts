import { randomFillSync } from 'node:crypto';
import { createFindSubmission } from '../src/application/find-submission.ts';
import {
  type IdempotencyStore,
  type KeyClaim,
  type StoredOutcome,
  StoreUnavailable,
} from '../src/application/idempotency-store.ts';
import { CLOCK_SKEW_MS } from '../src/application/log-lookup.ts';
import { toRecord } from '../src/application/submission-record.ts';
import type { InFlight } from '../src/application/submissions-in-flight.ts';
import { newSubmissionId, submissionIdOf } from '../src/domain/submission-id.ts';
import { createInMemoryLog } from './in-memory-log.ts';
import { searchInMemory } from './search-in-memory.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const WINDOW_MS = 3_600_000;
const LONGEST_SEND_MS = 36_000;
const ID = submissionIdOf('k', undefined);
const BYTES = Buffer.from('[{}]');

const ago = (milliseconds: number): Date => new Date(NOW.getTime() - milliseconds);

interface World {
  /** what the store knows, or throws */
  readonly known?: StoredOutcome | Error;
  /** whether the log has the submission, and of whom */
  readonly written?: { readonly id?: string; readonly principal?: string };
  readonly since?: Date;
  readonly lostAt?: Date;
  readonly storeBegan?: Date;
  /** by the clock of the log */
  readonly logTime?: Date;
  /** of this principal */
  readonly inFlight?: string;
}

/** Asks what became of a submission in a world that is described. */
const ask = async (world: World, { id = ID, principal }: { id?: string; principal?: string } = {}) => {
  const log = createInMemoryLog();
  const { written } = world;
  if (written) {
    const context = { now: NOW, trace: { traceparent: '' }, principal: written.principal };
    const record = toRecord(written.id ?? ID, { bytes: BYTES, operations: 1 }, context);
    log.append(record, { settled: () => undefined }, 1_000);
  }
  const search = searchInMemory(log);
  if (world.logTime) search.now = world.logTime;
  const settled: KeyClaim[] = [];
  const store = {
    find: async () => {
      if (world.known instanceof Error) throw world.known;
      return world.known;
    },
    since: () => world.since ?? new Date(0),
    status: () => ({
      unsettled: 0,
      evictions: 0,
      ...(world.lostAt && { loss: { at: world.lostAt, over: NOW } }),
    }),
    settle: async (claim: KeyClaim) => void settled.push(claim),
  } as unknown as IdempotencyStore;
  const inFlight = world.inFlight === undefined ? undefined : ({ principal: world.inFlight } as InFlight);
  const find = createFindSubmission({
    store,
    search,
    inFlight: { find: () => inFlight },
    longestSendMs: LONGEST_SEND_MS,
    windowMs: WINDOW_MS,
    storeBegan: world.storeBegan,
    fillRandomly: randomFillSync,
  });
  const result = await find(id, { principal, client: 'c', now: NOW });
  return { result, settled, query: search.queries[0] };
};

const unknownAt = (claimedAt: Date, isLeased = false): StoredOutcome => ({
  state: 'unknown',
  claimedAt,
  isLeased,
});

describe('finding a submission', () => {
  it('is in flight for who submitted it, and for others like one that was never made', async () => {
    const id = newSubmissionId(NOW, randomFillSync);
    const of = async (principal: string) => (await ask({ inFlight: 'alice' }, { id, principal })).result;
    expect(await of('alice')).toEqual({ outcome: 'in-flight' });
    expect(await of('bob')).toEqual((await ask({}, { id, principal: 'bob' })).result);
  });

  it.each<[string, World, object]>([
    ['nothing was ever sent with the key', {}, { outcome: 'not-found' }],
    ['the lease of the last attempt has ended', { known: unknownAt(ago(60_000)) }, { outcome: 'not-found' }],
    [
      'the last attempt may still be sent',
      { known: unknownAt(ago(60_000), true) },
      { outcome: 'unknown', reason: 'perhaps-on-its-way' },
    ],
    ['the store lost its data a while ago', { lostAt: ago(LONGEST_SEND_MS) }, { outcome: 'not-found' }],
    [
      'the store has just lost its data',
      { lostAt: ago(LONGEST_SEND_MS - 1) },
      { outcome: 'unknown', reason: 'perhaps-on-its-way' },
    ],
    [
      'the process has just started, and its store with it',
      { storeBegan: ago(LONGEST_SEND_MS - 1) },
      { outcome: 'unknown', reason: 'perhaps-on-its-way' },
    ],
    [
      'the store cannot be asked',
      { known: new StoreUnavailable('away') },
      { outcome: 'unknown', reason: 'store-unavailable' },
    ],
  ])('is answered by what may still arrive where %s', async (_what, world, expected) => {
    expect((await ask(world)).result).toMatchObject(expected);
  });

  it.each<[string, Date | undefined, object]>([
    ['and ours may be ahead', ago(LONGEST_SEND_MS), { outcome: 'unknown', reason: 'perhaps-on-its-way' }],
    ['and ours is right', NOW, { outcome: 'not-found' }],
    ['and ours is behind', new Date(NOW.getTime() + 600_000), { outcome: 'not-found' }],
    ['when that is not known', undefined, { outcome: 'not-found' }],
  ])('counts by the clock of the log, too, %s', async (_what, logTime, expected) => {
    const submittedAt = ago(LONGEST_SEND_MS + CLOCK_SKEW_MS);
    const id = newSubmissionId(submittedAt, randomFillSync);
    expect((await ask({ ...(logTime && { logTime }) }, { id })).result).toMatchObject(expected);
  });

  it('passes on what the store fails with otherwise', async () => {
    await expect(ask({ known: new TypeError('a bug') })).rejects.toThrow('a bug');
  });

  it('settles a key by the record that it finds, unless the store cannot be asked', async () => {
    const found = await ask({ written: {}, known: unknownAt(ago(60_000)) });
    expect(found.result).toEqual({
      outcome: 'accepted',
      answer: expect.objectContaining({ submissionId: ID }),
    });
    expect(found.settled).toHaveLength(1);
    const away = await ask({ written: {}, known: new StoreUnavailable('away') });
    expect([away.result.outcome, away.settled]).toEqual(['accepted', []]);
  });

  it('shows every record to everyone without authentication, and else only one’s own', async () => {
    const written = { principal: 'alice' };
    const of = async (principal?: string) =>
      (await ask({ written }, principal === undefined ? {} : { principal })).result;
    const accepted = expect.objectContaining({ outcome: 'accepted' });
    expect([await of(), await of('alice')]).toEqual([accepted, accepted]);
    expect(await of('bob')).toEqual((await ask({}, { principal: 'bob' })).result);
  });

  it('reads from the first attempt that is known, however much later the store began', async () => {
    const { query } = await ask({ known: unknownAt(ago(2 * WINDOW_MS)), since: NOW });
    expect(query?.from).toEqual(ago(2 * WINDOW_MS + CLOCK_SKEW_MS));
  });

  it('reads from the time in an id, also when the store may have forgotten keys', async () => {
    const id = newSubmissionId(ago(600_000), randomFillSync);
    const { query } = await ask({ since: NOW }, { id });
    expect(query).toEqual({
      submissionId: id,
      from: ago(600_000 + CLOCK_SKEW_MS),
    });
  });
});
