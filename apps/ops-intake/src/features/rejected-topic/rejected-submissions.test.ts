import type { Timers } from '@workspace/service-process';
import { seededRandom } from '@workspace/testing/seeded-random';
import { createInMemoryLog, notPublished, UNKNOWN } from '../../../test/in-memory-log.ts';
import type { Rejection } from './rejected-record.ts';
import { RejectedSubmissions, type RejectionOutcome } from './rejected-submissions.ts';

const rejection = (id: string, bytes = Buffer.alloc(1_000), principal = 'desk-7'): Rejection => ({
  id,
  now: new Date(0),
  identity: { principal, type: 'api_key' },
  requestId: 'r',
  idempotencyKey: undefined,
  partitionKey: undefined,
  trace: { traceparent: 't' },
  recordHeaders: undefined,
  problem: '{}',
  bytes,
});

const REASONS = ['queue-full', 'log-unavailable', 'record-too-large'] as const;

const scene = (more: { withBodies?: boolean; bodyBytes?: number; queueBytes?: number } = {}) => {
  const log = createInMemoryLog();
  const timers: (() => void)[] = [];
  const outcomes: RejectionOutcome[] = [];
  const rejected = new RejectedSubmissions({
    log,
    withBodies: true,
    bodyBytes: 1_000,
    queueBytes: 10_000,
    ...more,
    timers: {
      now: () => 0,
      setTimeout: (callback: (argument: never) => void, _ms: number, argument: never) => {
        timers.push(() => callback(argument));
        return { unref: () => undefined };
      },
      clearTimeout: () => undefined,
    } as Timers,
    onOutcome: (outcome) => outcomes.push(outcome),
  });
  const keys = (): string[] => log.records.map(({ key }) => key);
  return { log, timers, outcomes, rejected, keys, fire: () => timers.shift()?.() };
};

describe('rejected submissions', () => {
  it('are written with their bytes, or without those that do not fit or are not wanted', () => {
    const { rejected, log, outcomes } = scene();
    rejected.keep(rejection('small', Buffer.from('no')));
    rejected.keep(rejection('large', Buffer.alloc(1_001)));
    const without = scene({ withBodies: false });
    without.rejected.keep(rejection('unwanted', Buffer.from('no')));
    const [small, large] = log.records;
    expect(small!.value.toString()).toBe('no');
    for (const { value, headers } of [large!, without.log.records[0]!]) {
      expect(value).toHaveLength(0);
      expect(headers['ce_sha256']).toMatch(/^[0-9a-f]{64}$/);
      expect(headers).not.toHaveProperty('content-type');
    }
    expect(outcomes).toEqual(['written', 'written']);
  });

  it('keep a copy, since the buffer of a request may be used again', () => {
    const { rejected, log } = scene();
    const bytes = Buffer.from('before');
    log.mode = 'stall';
    rejected.keep(rejection('a', bytes));
    bytes.fill('x');
    log.release();
    expect(log.records[0]!.value.toString()).toBe('before');
  });

  it('wait while the topic cannot be written, and follow in order', () => {
    const { rejected, log, timers, outcomes, keys, fire } = scene({ queueBytes: 30_000 });
    log.mode = notPublished('log-unavailable');
    for (const id of ['a', 'b', 'c']) rejected.keep(rejection(id));
    expect([rejected.queued.records, timers.length]).toEqual([3, 1]);
    // One finds out, the others do not burden the loop.
    fire();
    expect([rejected.queued.records, timers.length]).toEqual([3, 1]);
    log.mode = 'take';
    rejected.keep(rejection('d'));
    expect(keys()).toEqual([]);
    fire();
    expect(keys()).toEqual(['b', 'c', 'a', 'd']);
    expect(outcomes).toEqual(Array(4).fill('written'));
    expect(rejected.queued).toEqual({ records: 0, bytes: 0 });
  });

  it('wait on after one of unknown outcome', () => {
    const { rejected, log, outcomes, keys, fire } = scene();
    log.mode = notPublished('queue-full');
    rejected.keep(rejection('a'));
    rejected.keep(rejection('b'));
    log.mode = UNKNOWN;
    fire();
    log.mode = 'take';
    fire();
    expect([keys(), outcomes]).toEqual([['b'], ['failed', 'written']]);
  });

  it('are dropped and counted when too much waits, until there is room', () => {
    const { rejected, log, outcomes } = scene({ queueBytes: 12_000 });
    log.mode = 'stall';
    for (const id of ['a', 'b', 'c', 'd']) rejected.keep(rejection(id));
    expect(outcomes).toEqual(['dropped', 'dropped']);
    expect(rejected.queued.records).toBe(2);
    expect(rejected.queued.bytes).toBeLessThanOrEqual(7_000);
    expect(rejected.warning).toMatch('dropped');
    log.release();
    expect(rejected.warning).toBeUndefined();
    log.mode = 'take';
    rejected.keep(rejection('e'));
    expect(outcomes.slice(2)).toEqual(['written', 'written', 'written']);
  });

  it('of one client leave room for those of others', () => {
    const { rejected, log, outcomes } = scene({ queueBytes: 100_000 });
    log.mode = 'stall';
    for (let number = 0; number < 100; number += 1) rejected.keep(rejection(`${number}`));
    const half = rejected.queued.bytes;
    expect(outcomes.length).toBeGreaterThan(50);
    expect(half).toBeLessThanOrEqual(50_000);
    const dropped = outcomes.length;
    rejected.keep(rejection('other', undefined, 'desk-8'));
    expect([outcomes.length, rejected.queued.bytes > half]).toEqual([dropped, true]);
    log.release();
    expect(rejected.queued).toEqual({ records: 0, bytes: 0 });
    expect(outcomes.slice(dropped)).toEqual(Array(log.records.length).fill('written'));
  });

  it('have room for one that is larger than the queue', () => {
    const { rejected, outcomes } = scene({ queueBytes: 1 });
    rejected.keep(rejection('a'));
    expect(outcomes).toEqual(['written']);
  });

  it('fail when the topic takes no record as large, without waiting', () => {
    const { rejected, log, outcomes, timers } = scene();
    log.mode = notPublished('record-too-large');
    rejected.keep(rejection('a'));
    expect([outcomes, timers]).toEqual([['failed'], []]);
  });

  it('are counted when the service ends before they are written', async () => {
    const { rejected, log, outcomes, fire } = scene();
    log.mode = notPublished('log-unavailable');
    rejected.keep(rejection('a'));
    log.mode = 'stall';
    rejected.keep(rejection('b'));
    fire();
    log.close = async () => log.release(notPublished('closed'));
    expect(await rejected.close()).toBe(2);
    rejected.keep(rejection('c'));
    fire();
    expect(outcomes).toEqual(['failed', 'failed', 'dropped']);
    expect(rejected.queued).toEqual({ records: 0, bytes: 0 });
  });

  it('are each counted once, within the limit, and written if that is said, whatever happens', async () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const random = seededRandom(seed);
      const { rejected, log, outcomes, timers, fire, keys } = scene({ queueBytes: 20_000 });
      const modes = ['take', 'stall', UNKNOWN, ...REASONS.map(notPublished)] as const;
      let kept = 0;
      for (let step = 0; step < 100; step += 1) {
        const choice = random();
        if (choice < 0.6) rejected.keep(rejection(`${(kept += 1)}`, Buffer.alloc(random() * 1_200)));
        else if (choice < 0.75) log.mode = modes[Math.floor(random() * modes.length)]!;
        else if (choice < 0.85) log.release(random() < 0.5 ? undefined : notPublished('log-unavailable'));
        else fire();
        const { records, bytes } = rejected.queued;
        // What waits is tried again: by a timer, or after what is on its way.
        const isTriedAgain = records === 0 || timers.length + log.stalled > 0;
        if (outcomes.length + records !== kept || bytes > 20_000 || !isTriedAgain)
          throw new Error(JSON.stringify({ seed, step, kept, records, bytes, outcomes, isTriedAgain }));
      }
      log.mode = 'take';
      log.release();
      while (timers.length > 0) fire();
      expect(rejected.queued).toEqual({ records: 0, bytes: 0 });
      expect(outcomes).toHaveLength(kept);
      expect(new Set(keys()).size).toBe(outcomes.filter((outcome) => outcome === 'written').length);
      expect(await rejected.close()).toBe(0);
    }
  });

  it('warn while the topic is not there', () => {
    const { rejected, log } = scene();
    log.status = () => ({ connected: false, queued: { records: 0, bytes: 0 } });
    expect(rejected.warning).toBe('not connected');
    log.status = () => ({ connected: false, error: 'gone', queued: { records: 0, bytes: 0 } });
    expect(rejected.warning).toBe('gone');
  });
});
