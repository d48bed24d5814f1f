import { systemTimers } from '@workspace/service-process';
import { captureLogger } from '@workspace/testing';
import { type Availability, watchAvailability } from './availability.ts';
import { CallFailed } from './call-failed.ts';

const TIMEOUT_MS = 500;
const SECOND_MS = 1_000;

describe('the availability of a store', () => {
  let availability: Availability;
  let probes: number;
  let hangs: number;
  let counted: string[];
  let lines: Record<string, unknown>[];
  let answer: () => Promise<void>;
  const messages = () => lines.map(({ msg }) => msg);
  const pass = (milliseconds: number) => jest.advanceTimersByTimeAsync(milliseconds);
  const lost = new CallFailed('DISCONNECTED', true, 'connection lost');
  const probing = async (): Promise<void> => availability.call(answer());

  beforeEach(() => {
    jest.useFakeTimers();
    [probes, hangs, counted] = [0, 0, []];
    answer = () => Promise.resolve();
    const captured = captureLogger();
    lines = captured.lines;
    availability = watchAvailability({
      timeoutMs: TIMEOUT_MS,
      timers: systemTimers,
      logger: captured.logger,
      observer: { storeFailed: (type) => counted.push(type), storeLost: () => undefined },
      probe: () => {
        probes += 1;
        return probing();
      },
      onHang: () => (hangs += 1),
    });
  });
  afterEach(() => {
    availability.close();
    jest.useRealTimers();
  });

  it('begins with the first probe that is answered', async () => {
    let isConnected = false;
    void availability.connected.then(() => (isConnected = true));
    await pass(SECOND_MS - 1);
    expect([probes, availability.error, isConnected]).toEqual([0, 'not connected yet', false]);
    await pass(1);
    expect([probes, availability.error, isConnected]).toEqual([1, undefined, true]);
    expect(messages()).toEqual([]);
  });

  it('is probed once a second until it is closed, never twice at the same time', async () => {
    let resolve = (): void => undefined;
    answer = () => new Promise((done) => (resolve = done));
    availability.probe();
    availability.probe();
    expect(probes).toBe(1);
    resolve();
    await pass(3 * SECOND_MS - 1);
    expect(probes).toBe(3);
    availability.close();
    await pass(5 * SECOND_MS);
    expect(probes).toBe(3);
  });

  it('ends with a failed call, is logged once for each outage of one type, and is back after five seconds without a failure', async () => {
    availability.probe();
    await pass(0);
    await expect(availability.call(Promise.reject(lost))).rejects.toBe(lost);
    expect(availability.error).toBe('connection lost');
    await pass(SECOND_MS);
    // It answers again, but the outage is not over yet.
    expect(availability.error).toBeUndefined();
    availability.failed(lost);
    await pass(5 * SECOND_MS - 1);
    expect(messages()).toEqual(['idempotency store unavailable; submissions with a key get 503']);
    await pass(1);
    expect(messages().slice(1)).toEqual(['idempotency store available']);
    availability.failed(lost);
    expect(messages()).toHaveLength(3);
    expect(counted).toEqual(['DISCONNECTED', 'DISCONNECTED', 'DISCONNECTED']);
  });

  it('is logged again for a failure of another type: that may be the one to fix', async () => {
    const misconfigured = new CallFailed('NOT_DURABLE', true, 'the server has no WAITAOF');
    for (const failure of [lost, misconfigured, lost, misconfigured]) availability.failed(failure);
    expect(lines.map(({ reason }) => reason)).toEqual(['connection lost', 'the server has no WAITAOF']);
    availability.probe();
    await pass(5 * SECOND_MS);
    availability.failed(misconfigured);
    expect(messages().slice(2)).toEqual([
      'idempotency store available',
      'idempotency store unavailable; submissions with a key get 503',
    ]);
  });

  it('is back after five seconds although the wall clock was set back meanwhile', async () => {
    availability.probe();
    await pass(0);
    availability.failed(lost);
    jest.setSystemTime(Date.now() - 3_600_000);
    await pass(6 * SECOND_MS);
    expect(messages().slice(1)).toEqual(['idempotency store available']);
  });

  it('fails a call that is not answered in time, whatever comes later', async () => {
    let reject = (_error: Error): void => undefined;
    const late = new Promise<never>((_resolve, fail) => (reject = fail));
    const outcome = availability.call(late).catch((error: unknown) => error);
    await pass(TIMEOUT_MS);
    expect(await outcome).toMatchObject({ type: 'TIMEOUT', perhapsDone: true, mayBeLate: true });
    reject(lost);
    await pass(0);
    expect([counted, availability.error]).toEqual([['TIMEOUT'], 'no answer within 500 ms']);
  });

  it('leaves no timer behind a call that was answered or failed', async () => {
    const before = jest.getTimerCount();
    await availability.call(Promise.resolve());
    await availability.call(Promise.reject(lost)).catch(() => undefined);
    expect(jest.getTimerCount()).toBe(before);
  });

  it('does not depend on what the store may refuse, nor on errors of our own', async () => {
    availability.probe();
    await pass(0);
    await expect(availability.optional(Promise.reject(lost))).rejects.toBe(lost);
    await expect(availability.call(Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
    expect([counted, availability.error, messages()]).toEqual([[], undefined, []]);
  });

  it('connects anew after three probes in a row that were not answered', async () => {
    const silence = (): Promise<void> => new Promise(() => undefined);
    answer = silence;
    await pass(2 * SECOND_MS + TIMEOUT_MS);
    answer = () => Promise.reject(lost);
    await pass(SECOND_MS);
    answer = silence;
    await pass(2 * SECOND_MS);
    answer = () => Promise.resolve();
    await pass(SECOND_MS);
    answer = silence;
    await pass(3 * SECOND_MS - 1);
    expect(hangs).toBe(0);
    await pass(1);
    expect(hangs).toBe(1);
    await pass(3 * SECOND_MS - 1);
    expect(hangs).toBe(1);
    await pass(1);
    expect(hangs).toBe(2);
  });
});
