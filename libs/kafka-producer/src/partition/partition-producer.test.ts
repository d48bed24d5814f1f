import assert from 'node:assert/strict';
import fc from 'fast-check';
import { identityOf, keysOf } from '../testing/fake-partition.ts';
import { type Appended, type Fault, partitionScene, triedScene } from '../testing/partition-scene.ts';

/** Fewer where each of a thousand mutants is tried. */
const HISTORIES = process.env['STRYKER_MUTATOR_WORKER'] === undefined ? 500 : 50;
const NOT_LEADER = 6;
const REQUEST_TIMED_OUT = 7;
const NOT_ENOUGH_REPLICAS = 19;
const TOPIC_AUTHORIZATION_FAILED = 29;
const INVALID_RECORD = 87;

const outcomeOf = ({ outcome }: Appended): Promise<number | string> => outcome;

describe('the producer of a partition', () => {
  it('sends at once when idle, and collects while a batch is on its way', async () => {
    const { append, written } = await triedScene([]);
    const outcomes = ['a', 'b'].map(append).map(outcomeOf);
    outcomes.push(...(await Promise.all(outcomes), ['c', 'd'].map(append).map(outcomeOf)));
    expect(await Promise.all(outcomes)).toEqual([0, 1, 2, 3]);
    expect(written.map(keysOf)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  it('writes the next batch before it settles the last', async () => {
    const events: string[] = [];
    const { append } = await triedScene([], {
      batchRecords: 1,
      onWritten: (batch) => events.push(`written: ${keysOf(batch)}`),
    });
    const settle = (key: string) => append(key).outcome.then(() => events.push(`settled: ${key}`));
    await Promise.all(['a', 'b'].map(settle));
    expect(events).toEqual(['written: a', 'written: b', 'settled: a', 'settled: b']);
  });

  it('frees the memory of a large batch once it is acknowledged, and not before', async () => {
    const sizes: number[] = [];
    const { append, written } = await triedScene(['lost', 'unanswered'], {
      onWritten: (batch) => sizes.push(batch.buffer.byteLength),
    });
    expect(await outcomeOf(append('a'.repeat(100_000)))).toBe(0);
    expect(sizes).toHaveLength(3);
    expect(Math.min(...sizes)).toBeGreaterThan(100_000);
    expect(written[0]!.buffer.byteLength).toBe(0);
  });

  it('sends each record of a batch that was too large by itself', async () => {
    const { append, broker, outcomes } = await triedScene([]);
    broker.maxBytes = 100;
    const answered = [append('small'), append('large'.repeat(20)), append('tiny')].map(outcomeOf);
    expect(await Promise.all(answered)).toEqual([0, 'not-published: record-too-large', 1]);
    expect(outcomes).toEqual({ accepted: 2, 'not-published': 1, unknown: 0 });
  });

  it('rejects only the record of a batch that the broker finds invalid, and what waits behind it with its key', async () => {
    const [batch, alone]: Fault[] = [
      { code: INVALID_RECORD, isAppended: false },
      { code: INVALID_RECORD, isAppended: false },
    ];
    const { append, broker, outcomes, pauses } = await triedScene([batch, undefined, alone]);
    const answered = ['a', 'invalid', 'b', 'invalid'].map(append).map(outcomeOf);
    const rejected = 'not-published: log-unavailable';
    expect(await Promise.all(answered)).toEqual([0, rejected, 1, rejected]);
    expect(broker.log).toEqual(['a', 'b']);
    expect(outcomes).toMatchObject({ accepted: 2, unknown: 0 });
    expect(pauses).toEqual([]);
  });

  it('rejects only the record of a batch that is too old for the broker', async () => {
    const { append, pass, broker, pauses } = await triedScene([]);
    broker.timestamps.beforeMaxMs = 1_000;
    const old = outcomeOf(append('old'));
    pass(2_000);
    const others = ['a', 'b'].map(append).map(outcomeOf);
    expect(await Promise.all([old, ...others])).toEqual(['not-published: log-unavailable', 0, 1]);
    expect(pauses).toEqual([]);
  });

  it('says unknown after the delivery timeout, writes no more of it, and continues with another id', async () => {
    const silence = Array.from({ length: 40 }, (): Fault => 'lost');
    const { producer, append, broker, written, outcomes } = await triedScene(silence, {
      deliveryTimeoutMs: 5_000,
    });
    expect(await outcomeOf(append('a'))).toBe('unknown: no-answer');
    const writes = written.length;
    expect(outcomes).toEqual({ accepted: 0, 'not-published': 0, unknown: 1 });
    silence.length = 0;
    while (producer.error !== undefined) await new Promise(setImmediate);
    expect(await outcomeOf(append('b'))).toBe(0);
    expect(broker.log).toEqual(['b']);
    expect(written.slice(writes).map((batch) => identityOf(batch).id)).toEqual([2n]);
  });

  it('says nothing of a leader that moves, for which records wait', async () => {
    const faults: Fault[] = [];
    const errors: unknown[] = [];
    const { producer, append } = await triedScene(faults, { onWritten: () => errors.push(producer.error) });
    const NOT_LEADER = 6;
    faults.push(
      'unreachable',
      ...[NOT_ENOUGH_REPLICAS, NOT_LEADER].map((code) => ({ code, isAppended: false })),
    );
    expect(await outcomeOf(append('a'))).toBe(0);
    expect(errors).toEqual([undefined, undefined, undefined]);
    expect(producer.error).toBeUndefined();
  });

  it('takes no records after the leader has been unreachable for a while, and says why', async () => {
    const away = Array.from({ length: 100 }, (): Fault => 'unreachable');
    const { producer, append, depth } = await triedScene(away);
    expect(await outcomeOf(append('a'))).toBe('not-published: log-unavailable');
    expect(String(producer.error)).toContain('unreachable');
    away.length = 0;
    while (producer.error !== undefined) await new Promise(setImmediate);
    expect(await outcomeOf(append('b'))).toBe(0);
    expect(depth.records).toBe(0);
  });

  describe('in a process that did not run for a while', () => {
    it('does not send what had waited for a batch before', async () => {
      const scene = await triedScene([], { batchRecords: 1, onWritten: () => scene.pass(40_000) });
      const { append, appendFor, broker } = scene;
      const pending = [appendFor(5_000, 'a'), appendFor(5_000, 'b'), append('c')];
      expect(await Promise.all(pending.map(outcomeOf))).toEqual([0, 'not-published: withdrawn', 1]);
      expect(broker.log).toEqual(['a', 'c']);
    });

    it('still waits for the answer to what it sent before, and takes new records meanwhile', async () => {
      const outcomes: Promise<number | string>[] = [];
      const scene = await triedScene(['lost', 'lost'], {
        onWritten: () => {
          if (scene.written.length === 1) scene.pass(20_000);
          // The first attempt has failed when the second is made.
          if (scene.written.length === 2) outcomes.push(outcomeOf(scene.append('b')));
        },
      });
      const { append, broker } = scene;
      outcomes.push(outcomeOf(append('a')));
      while (outcomes.length < 2) await new Promise(setImmediate);
      expect(await Promise.all(outcomes)).toEqual([0, 1]);
      expect(broker.log).toEqual(['a', 'b']);
    });
  });

  it('stamps a batch with the time of its oldest record', async () => {
    const { append, written, pass } = await triedScene([]);
    const outcomes = [outcomeOf(append('a'))];
    pass(100);
    outcomes.push(outcomeOf(append('b')));
    await Promise.all(outcomes);
    expect(written.map((batch) => Number(batch.readBigInt64BE(27)))).toEqual([0]);
  });

  it('settles every record when it stops', async () => {
    const { producer, append, depth } = await triedScene(Array.from({ length: 1_000 }, (): Fault => 'lost'));
    const open = outcomeOf(append('a'));
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    const waiting = outcomeOf(append('b'));
    await producer.stop();
    expect([await open, await waiting]).toEqual(['unknown: no-answer', 'not-published: closed']);
    expect(depth.records).toBe(0);
  });

  it('takes no record before its leader was reached, and none once it is stopped', async () => {
    const { producer, append, depth } = partitionScene([]);
    expect(producer.error).toBe('connecting');
    expect(await outcomeOf(append('early'))).toBe('not-published: log-unavailable');
    await producer.tried;
    expect(producer.error).toBeUndefined();
    await producer.stop();
    expect(await outcomeOf(append('late'))).toBe('not-published: closed');
    expect(depth.records).toBe(0);
  });

  it('counts a leader as tried when it was tried three times', async () => {
    const away = Array.from({ length: 100 }, (): Fault => 'unreachable');
    const { producer, pauses } = partitionScene(away);
    let atTried: number | undefined;
    void producer.tried.then(() => (atTried = pauses.length));
    while (atTried === undefined) await new Promise(setImmediate);
    // Before the pause after the third failure.
    expect(atTried).toBe(2);
  });

  it('gives an attempt more time after each failure, and waits longer for the next, up to a limit', async () => {
    const { append, timeouts, pauses, attempts } = await triedScene(
      Array.from({ length: 6 }, (): Fault => 'lost'),
    );
    expect(await outcomeOf(append('a'))).toBe(0);
    expect(timeouts).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000]);
    expect(pauses).toEqual([50, 100, 200, 400, 500, 500]);
    expect(attempts.map(({ error, ...rest }) => [rest.records, String(error)])).toEqual([
      ...Array.from({ length: 6 }, () => [1, 'Error: lost']),
      [1, 'undefined'],
    ]);
    expect(attempts.map(({ milliseconds }) => milliseconds)).toEqual([0, 100, 300, 700, 1_500, 2_500, 3_500]);
    expect(await outcomeOf(append('b'))).toBe(1);
    expect(timeouts.at(-1)).toBe(1_000);
  });

  it('asks for nothing and waits for nothing while it is idle', async () => {
    const { append, calls, pauses, written } = await triedScene([]);
    expect(calls()).toBe(0);
    append('a').withdraw();
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    expect([calls(), pauses, written]).toEqual([1, [], []]);
  });

  it.each([
    ['rejected', TOPIC_AUTHORIZATION_FAILED, 'not-published: log-unavailable'],
    ['too large', 10, 'not-published: record-too-large'],
  ])('continues at once after a batch that was %s', async (_what, code, expected) => {
    const { append, pauses } = await triedScene([{ code, isAppended: false }]);
    expect(await outcomeOf(append('a'))).toBe(expected);
    expect(await outcomeOf(append('b'))).toBe(0);
    expect(pauses).toEqual([]);
  });

  it('counts on from the last sequence number to 0, under the same producer id', async () => {
    const { append, written, renewals } = await triedScene([], {
      firstSequence: 2 ** 31 - 2,
      batchRecords: 1,
    });
    expect(await Promise.all(['a', 'b', 'c'].map(append).map(outcomeOf))).toEqual([0, 1, 2]);
    expect(written.map((batch) => batch.readInt32BE(53))).toEqual([2 ** 31 - 2, 2 ** 31 - 1, 0]);
    expect(renewals()).toBe(0);
  });

  it('keeps records together that were not taken', async () => {
    const { append, written } = await triedScene([{ code: NOT_ENOUGH_REPLICAS, isAppended: false }]);
    expect(await Promise.all([append('a'), append('b')].map(outcomeOf))).toEqual([0, 1]);
    expect(written.map(keysOf)).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  it('rejects what waits behind a batch without an answer for a while, and takes no more, but continues with the batch', async () => {
    const silence = Array.from({ length: 1_000 }, (): Fault => 'lost');
    const { append, pauses } = await triedScene(silence);
    const first = append('a');
    while (pauses.length < 2) await new Promise(setImmediate);
    const waiting = append('b');
    expect(await outcomeOf(waiting)).toBe('not-published: log-unavailable');
    // Two request timeouts: attempts were made after 0, 100, 300, 700, 1,500 and 2,500 ms.
    expect(pauses).toHaveLength(6);
    const late = append('c');
    expect(late.withdraw()).toBe(false);
    expect(await outcomeOf(late)).toBe('not-published: log-unavailable');
    silence.length = 0;
    expect(await outcomeOf(first)).toBe(0);
    expect(await outcomeOf(append('d'))).toBe(1);
  });

  it('reports a rejection for five seconds', async () => {
    const { producer, append, pass } = await triedScene([
      { code: TOPIC_AUTHORIZATION_FAILED, isAppended: false },
    ]);
    await outcomeOf(append('a'));
    pass(4_999);
    expect(String(producer.error)).toMatch(/not authorized/i);
    pass(1);
    expect(producer.error).toBeUndefined();
  });

  it.each([
    ['goes on', 2_500, 'not-published: log-unavailable'],
    ['was long ago', 5_000, 0],
  ])(
    'measures how long a leader takes nothing from the first rejection, unless that %s',
    async (_what, gap, expected) => {
      const { producer, append, pass } = await triedScene([
        { code: TOPIC_AUTHORIZATION_FAILED, isAppended: false },
        { code: NOT_ENOUGH_REPLICAS, isAppended: false },
      ]);
      await outcomeOf(append('a'));
      pass(gap);
      expect(await outcomeOf(append('b'))).toBe(expected);
      await producer.stop();
    },
  );

  it('keeps a record waiting while the leader is unavailable for a moment', async () => {
    const faults: Fault[] = [];
    const { append } = await triedScene(faults);
    faults.push('unreachable', 'unreachable');
    expect(await outcomeOf(append('a'))).toBe(0);
  });

  it('writes nothing more once it is stopped', async () => {
    const { producer, append, calls, written } = await triedScene([]);
    const pending = outcomeOf(append('a'));
    // Until the leader is about to ask for the batch.
    while (calls() === 0) await Promise.resolve();
    const stopped = producer.stop();
    expect(await pending).toBe('not-published: closed');
    await stopped;
    expect(written).toEqual([]);
  });

  it('tries what waits behind a batch that is never taken', async () => {
    const denied: Fault = { code: TOPIC_AUTHORIZATION_FAILED, isAppended: false };
    const { append, pass } = await triedScene([denied, denied], { batchRecords: 1 });
    await outcomeOf(append('a'));
    pass(2_500);
    expect(await Promise.all([append('b'), append('c')].map(outcomeOf))).toEqual([
      'not-published: log-unavailable',
      0,
    ]);
  });

  it('takes no record behind one with the same key that was rejected', async () => {
    const denied: Fault = { code: TOPIC_AUTHORIZATION_FAILED, isAppended: false };
    const { append, producer, depth } = partitionScene([denied], { batchRecords: 1 });
    await producer.tried;
    const all = ['a', 'b', 'a'].map((key) => outcomeOf(append(key)));
    expect(await Promise.all(all)).toEqual([
      'not-published: log-unavailable',
      0,
      'not-published: log-unavailable',
    ]);
    expect(depth.records).toBe(0);
    expect(await outcomeOf(append('a'))).toBe(1);
    await producer.stop();
  });

  it('reports the right outcome of every record, whatever happens to its requests', async () => {
    const fault: fc.Arbitrary<Fault> = fc.oneof(
      { weight: 6, arbitrary: fc.constant(undefined) },
      { weight: 4, arbitrary: fc.constantFrom('unreachable', 'lost', 'unanswered', 'late') },
      {
        weight: 3,
        arbitrary: fc.record({
          code: fc.constantFrom(NOT_LEADER, REQUEST_TIMED_OUT),
          isAppended: fc.boolean(),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          code: fc.constantFrom(NOT_ENOUGH_REPLICAS, TOPIC_AUTHORIZATION_FAILED, 10, 45, 59, INVALID_RECORD),
          isAppended: fc.constant(false),
        }),
      },
    );
    const counted = { accepted: 0, notPublished: 0, unknown: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fault, { maxLength: 60 }),
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 12 }),
        fc.constantFrom(0, 2 ** 31 - 10),
        async (faults, bursts, firstSequence) => {
          const { producer, append, broker, depth } = await triedScene([...faults], {
            firstSequence,
            batchRecords: 4,
          });
          const outcomes: Promise<[string, number | string]>[] = [];
          for (const size of bursts) {
            for (let index = 0; index < size; index += 1) {
              const key = `key-${outcomes.length}`;
              const pending = append(key);
              if (outcomes.length % 7 === 3) pending.withdraw();
              outcomes.push(outcomeOf(pending).then((outcome) => [key, outcome]));
            }
            await new Promise(setImmediate);
            await new Promise(setImmediate);
          }
          for (const [key, outcome] of await Promise.all(outcomes)) {
            const copies = broker.log.filter((one) => one === key).length;
            if (typeof outcome === 'number') {
              assert.deepEqual([key, copies, broker.log[outcome]], [key, 1, key]);
              counted.accepted += 1;
            } else if (outcome.startsWith('unknown')) {
              assert(copies <= 1);
              counted.unknown += 1;
            } else {
              assert.deepEqual([key, outcome, copies], [key, outcome, 0]);
              counted.notPublished += 1;
            }
          }
          expect(depth.records).toBe(0);
          await producer.stop();
        },
      ),
      { numRuns: HISTORIES },
    );
    for (const count of Object.values(counted)) expect(count).toBeGreaterThan(HISTORIES / 10);
  });
});
