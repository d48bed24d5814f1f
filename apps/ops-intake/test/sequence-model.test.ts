import fc from 'fast-check';
import type { Timer, Timers } from '@workspace/service-process';
import { captureLogger } from '@workspace/testing';
import { createMemoryStore } from '../src/adapters/memory/memory-store.ts';
import { CallFailed } from '../src/features/shared-keys/call-failed.ts';
import { openSharedStore } from '../src/features/shared-keys/shared-store.ts';
import type { StoreServer } from '../src/features/shared-keys/store-server.ts';
import type { SubmitResult } from '../src/application/submit-result.ts';
import { createInMemoryLog, notPublished, UNKNOWN } from './in-memory-log.ts';
import { searchInMemory } from './search-in-memory.ts';
import { createSubmitter } from './submitter.ts';

const LEASE_MS = 10_000;
const DEADLINE_MS = 1_000;
const TTL_MS = 3_600_000;
const FIRST = 10;

/** What Kafka does with a record. `late` ones are settled by a later step, and the caller is answered at its deadline. */
type Fate = 'accepted' | 'not-published' | 'lost' | 'written-unanswered' | 'late';
/** What happens to the call with this number of a submission to the store: it arrives or not, and is not answered. */
type StoreFault = 'lost' | 'unanswered';

type Step =
  | {
      do: 'submit';
      instance: 0 | 1;
      /** from the next number on */
      offset: -1 | 0 | 1 | 2;
      key: 'new' | 'same' | 'none';
      fate: Fate;
      storeFault?: { at: number; kind: StoreFault } | undefined;
      /** one more at the same time, by the other instance */
      rival?: { offset: 0 | 1; key: 'new' | 'same' | 'none' } | undefined;
    }
  | { do: 'arrive'; isWritten: boolean }
  | { do: 'crash'; instance: 0 | 1 }
  | { do: 'pass'; milliseconds: number }
  | { do: 'break search' };

type Submission = Step & { do: 'submit' };

const fates: fc.Arbitrary<Fate> = fc.constantFrom(
  'accepted',
  'accepted',
  'not-published',
  'lost',
  'written-unanswered',
  'late',
);
const instances = fc.constantFrom(0 as const, 1 as const);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constant('submit' as const),
        instance: instances,
        offset: fc.constantFrom(0 as const, 0 as const, 1 as const, -1 as const, 2 as const),
        key: fc.constantFrom('new' as const, 'same' as const, 'none' as const),
        fate: fates,
        storeFault: fc.option(
          fc.record({ at: fc.nat(5), kind: fc.constantFrom('lost' as const, 'unanswered' as const) }),
          { nil: undefined, freq: 3 },
        ),
        rival: fc.option(
          fc.record({
            offset: fc.constantFrom(0 as const, 1 as const),
            key: fc.constantFrom('new' as const, 'same' as const, 'none' as const),
          }),
          { nil: undefined, freq: 3 },
        ),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('arrive' as const), isWritten: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), instance: instances }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('pass' as const),
        milliseconds: fc.constantFrom(1, DEADLINE_MS, LEASE_MS / 2, LEASE_MS),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ do: 'break search' as const }) },
  ),
  { minLength: 1, maxLength: 25 },
);

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 6; turn += 1) await new Promise(setImmediate);
};

interface LateRecord {
  readonly until: number;
  readonly settle: (isWritten: boolean) => void;
}

/** Two instances that share a store and a log, in a time of their own. */
class World {
  time = Date.UTC(2026, 0);
  readonly log = createInMemoryLog();
  readonly search = searchInMemory(this.log);
  readonly server = createMemoryStore({
    ttlMs: TTL_MS,
    leaseMs: LEASE_MS,
    entries: 1_000,
    now: () => new Date(this.time),
  });
  #fate: Fate = 'accepted';
  #storeFault: { at: number; kind: StoreFault } | undefined;
  /** records that brokers or the network still hold; after the lease nothing arrives */
  #late: LateRecord[] = [];
  #instances = [this.#start(), this.#start()];
  /** the key that asked for a number last */
  readonly keys = new Map<number, string>();
  #keys = 0;
  /** The store need not have heard of every acceptance: it is then behind, until it was told again. */
  #hasFaults = false;
  #asked: number[] = [];
  readonly results: { number: number; result: SubmitResult }[] = [];

  numbers(): number[] {
    return this.log.records.map(({ headers }) => Number(headers['ce_sequence']));
  }

  next(): number {
    return Math.max(FIRST - 1, ...this.numbers()) + 1;
  }

  #start() {
    const due: { at: number; run: () => void }[] = [];
    const state = { alive: true };
    const timers: Timers = {
      now: () => this.time,
      setTimeout: (callback, milliseconds, argument) => {
        const timer = {
          at: this.time + milliseconds,
          run: () => {
            if (state.alive) callback(argument);
          },
          unref: () => undefined,
        };
        due.push(timer);
        return timer as unknown as Timer;
      },
      clearTimeout: (timer) => {
        const at = due.indexOf(timer as never);
        if (at >= 0) due.splice(at, 1);
      },
    };
    const call = <Answer>(carryOut: () => Promise<Answer>): Promise<Answer> => {
      if (!state.alive) return new Promise(() => undefined);
      const fault = this.#storeFault?.at === 0 ? this.#storeFault.kind : undefined;
      if (this.#storeFault) this.#storeFault = { ...this.#storeFault, at: this.#storeFault.at - 1 };
      if (fault === 'lost') return Promise.reject(new CallFailed('DISCONNECTED', false, 'lost'));
      const answer = carryOut();
      return fault ? Promise.reject(new CallFailed('DISCONNECTED', true, 'no answer')) : answer;
    };
    const { server } = this;
    const storeServer: StoreServer = {
      claim: (claim) => call(async () => ({ answer: await server.claim(claim), since: new Date(0) })),
      settle: (claim, outcome) => call(() => server.settle(claim, outcome)),
      find: (id, principal) =>
        call(async () => ({ answer: await server.find(id, principal), since: new Date(0) })),
      sequences: {
        take: (claim) => call(() => server.sequences.take(claim)),
        settle: (claim, outcome) => call(() => server.sequences.settle(claim, outcome)),
      },
      probe: () => call(async () => ({ since: new Date(0), now: new Date(this.time) })),
      forgot: () => undefined,
      capacity: async () => undefined,
      close: async () => undefined,
    };
    const clock = () => new Date(this.time);
    const { logger } = captureLogger();
    const store = openSharedStore(
      (events) => {
        void Promise.resolve().then(events.connected);
        return storeServer;
      },
      { ttlMs: TTL_MS, timeoutMs: 100, clock, timers, logger },
    );
    const submit = createSubmitter({
      log: {
        ...this.log,
        append: (record, listener, maxWaitMs) => {
          if (this.#fate !== 'late') {
            this.log.mode = this.#fate === 'accepted' ? 'take' : UNKNOWN;
            if (this.#fate === 'not-published') this.log.mode = notPublished('log-unavailable');
            if (this.#fate === 'written-unanswered') this.log.records.push(record);
            return this.log.append(record, listener, maxWaitMs);
          }
          const settle = (isWritten: boolean): void => {
            const offset = isWritten ? this.log.records.push(record) - 1 : 0;
            if (!state.alive) return;
            listener.settled(
              isWritten
                ? { outcome: 'accepted', topic: 'operations', partition: 0, offset }
                : notPublished('log-unavailable'),
            );
          };
          this.#late.push({ until: record.timestamp! + LEASE_MS, settle });
          return { withdraw: () => false };
        },
      },
      store,
      search: this.search,
      deadlineMs: DEADLINE_MS,
      timers,
      isStoreShared: true,
      lookupWindowMs: TTL_MS,
      longestSendMs: LEASE_MS,
    });
    return { submit, due, state };
  }

  /** Nothing waits for ever: what is due happens, also what was sent before its lease ended. */
  async pass(milliseconds: number): Promise<void> {
    this.time += milliseconds;
    for (const late of this.#late.filter(({ until }) => until <= this.time)) this.#arrive(late, false);
    for (const { due } of this.#instances) {
      for (const timer of due.filter(({ at }) => at <= this.time)) {
        due.splice(due.indexOf(timer), 1);
        timer.run();
      }
    }
    await turns();
  }

  #arrive(late: LateRecord, isWritten: boolean): void {
    this.#late.splice(this.#late.indexOf(late), 1);
    late.settle(isWritten);
  }

  async arrive(isWritten: boolean): Promise<void> {
    if (this.#late[0]) this.#arrive(this.#late[0], isWritten);
    await turns();
  }

  async crash(instance: 0 | 1): Promise<void> {
    this.#instances[instance]!.state.alive = false;
    this.#instances[instance] = this.#start();
    await turns();
  }

  async #send(
    instance: 0 | 1,
    number: number,
    { key: which }: Pick<Submission, 'key'>,
  ): Promise<SubmitResult> {
    this.#asked.push(number);
    const lastKey = this.keys.get(number);
    const isNew = which === 'new' || lastKey === undefined;
    const key = which === 'none' ? undefined : isNew ? `key ${(this.#keys += 1)}` : lastKey;
    if (key !== undefined) this.keys.set(number, key);
    let result: SubmitResult | undefined;
    const answered = this.#instances
      [instance]!.submit({
        submission: { bytes: Buffer.from('[1]'), operations: 1 },
        now: new Date(this.time),
        idempotencyKey: key,
        partitionKey: 'account-7',
        sequence: number,
        trace: { traceparent: '' },
      })
      .then((reply) => (result = reply));
    await turns();
    if (!result) await this.pass(DEADLINE_MS);
    return answered;
  }

  async submit(step: Submission): Promise<SubmitResult> {
    const next = this.next();
    this.#fate = step.fate;
    this.#storeFault = step.storeFault;
    this.#hasFaults ||= step.storeFault !== undefined;
    const sent = [
      { number: next + step.offset, answered: this.#send(step.instance, next + step.offset, step) },
    ];
    if (step.rival) {
      const number = next + step.rival.offset;
      sent.push({ number, answered: this.#send(step.instance === 0 ? 1 : 0, number, step.rival) });
    }
    const results = await Promise.all(sent.map(({ answered }) => answered));
    this.#storeFault = undefined;
    for (const [index, { number }] of sent.entries()) this.#judge(number, results[index]!);
    for (const [index, { number }] of sent.entries()) this.results.push({ number, result: results[index]! });
    this.check();
    return results[0]!;
  }

  /** Every answer is true, and the log has neither gaps nor repeats. */
  #judge(number: number, result: SubmitResult): void {
    if (result.outcome === 'accepted') {
      const record = this.log.records[result.answer.offset];
      expect(String(record?.headers['ce_id'])).toBe(result.answer.submissionId);
      expect(Number(record?.headers['ce_sequence'])).toBe(number);
    }
    if (result.outcome === 'out-of-sequence') {
      const { expected, reason } = result;
      // The first number may be any.
      const highest = this.log.records.length > 0 ? this.next() : Math.max(...this.#asked);
      expect(expected).toBeLessThanOrEqual(highest);
      for (const earlier of this.results) {
        if (earlier.result.outcome === 'accepted' && !this.#hasFaults)
          expect(earlier.number).toBeLessThan(expected);
      }
      if (reason === 'gap') expect(number).toBeGreaterThan(expected);
      if (reason === 'repeat') {
        expect(number).toBeLessThan(expected);
        const numbers = this.numbers();
        if (number >= numbers[0]!) expect(numbers).toContain(number);
      }
      if (reason === 'pending') expect([expected, expected + 1]).toContain(number);
    }
  }

  check(): void {
    const numbers = this.numbers();
    const first = numbers[0] ?? 0;
    expect(numbers).toEqual(numbers.map((_number, index) => first + index));
  }

  /** Once the faults are over, the next number is accepted. */
  async end(): Promise<void> {
    delete this.search.instead;
    await this.pass(LEASE_MS);
    await this.pass(LEASE_MS);
    this.#hasFaults = false;
    const expected = await this.expected();
    if (this.log.records.length > 0) expect(expected).toBe(this.next());
    for (const offset of [0, 1]) {
      const reply = await this.submitNumber(expected + offset);
      expect([reply, expected + offset]).toEqual([
        expect.objectContaining({ outcome: 'accepted' }),
        expected + offset,
      ]);
    }
    this.check();
  }

  /** What a client is told that has lost count. */
  async expected(): Promise<number> {
    const reply = await this.submitNumber(FIRST + 1_000);
    return reply.outcome === 'out-of-sequence' ? reply.expected : FIRST + 1_001;
  }

  submitNumber(number: number): Promise<SubmitResult> {
    const offset = (number - this.next()) as 0;
    return this.submit({ do: 'submit', instance: 0, offset, key: 'new', fate: 'accepted' });
  }
}

const run = async (world: World, step: Step): Promise<void> => {
  if (step.do === 'submit') await world.submit(step);
  if (step.do === 'arrive') await world.arrive(step.isWritten);
  if (step.do === 'crash') await world.crash(step.instance);
  if (step.do === 'pass') await world.pass(step.milliseconds);
  if (step.do === 'break search') world.search.instead = async () => ({ gap: 'too-long' });
};

it('whatever fails, the log has neither gaps nor repeats, every answer is true, and no series is stuck', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const world = new World();
      await turns();
      for (const step of history) await run(world, step);
      await world.end();
    }),
    { numRuns: Number(process.env['SEQUENCE_RUNS'] ?? 300) },
  );
});
