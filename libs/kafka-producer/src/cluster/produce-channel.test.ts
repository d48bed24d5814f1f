import type { BrokerConnection } from '../wire/broker-connection.ts';
import { systemRuntime } from '../wire/runtime.ts';
import { createProduceChannel } from './produce-channel.ts';

interface Sent {
  frame: Buffer;
  timeoutMs: number;
  answer: (partitions: Record<number, [errorCode: number, offset: number]>, throttleMs?: number) => void;
  fail: (error: Error) => void;
}

const answerOf = (partitions: Record<number, [number, number]>, throttleMs: number): Buffer => {
  const bodies = Object.entries(partitions).map(([partition, [errorCode, offset]]) => {
    const body = Buffer.alloc(30);
    body.writeInt32BE(Number(partition), 0);
    body.writeInt16BE(errorCode, 4);
    body.writeBigInt64BE(BigInt(offset), 6);
    return body;
  });
  const head = Buffer.alloc(11);
  head.writeInt32BE(1, 0);
  head.writeInt16BE(1, 4);
  head.write('t', 6);
  head.writeInt32BE(bodies.length, 7);
  const throttle = Buffer.alloc(4);
  throttle.writeInt32BE(throttleMs);
  return Buffer.concat([head, ...bodies, throttle]);
};

/** A channel on a connection whose requests the test answers. */
const setUp = (tellsOfThrottling = true) => {
  const sent: Sent[] = [];
  let ended: Error | undefined;
  const ending = new AbortController();
  const throttles: number[] = [];
  /** sleeps that have not ended */
  const asleep: { milliseconds: number; wake: () => void }[] = [];
  const sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
    new Promise((wake) => {
      asleep.push({ milliseconds, wake });
      signal?.addEventListener('abort', () => wake());
    });
  const connection: BrokerConnection = {
    get ended() {
      return ended;
    },
    ending: ending.signal,
    isExpiring: false,
    retire: () => undefined,
    versionOf: (api) => {
      if (api !== 'Produce') throw new Error(`${api} is not wanted here`);
      return 7;
    },
    request: () => Promise.reject(new Error('not here')),
    throttled: () => undefined,
    send: (frameOf, timeoutMs) =>
      new Promise((resolve, fail) => {
        const answer: Sent['answer'] = (partitions, throttleMs = 0) =>
          resolve(answerOf(partitions, throttleMs));
        sent.push({ frame: frameOf(sent.length), timeoutMs, answer, fail });
      }),
    close: (reason) => {
      ended = reason;
      ending.abort();
    },
  };
  const nextSent = async (index: number): Promise<Sent> => {
    while (!sent[index]) await new Promise(setImmediate);
    return sent[index];
  };
  const channel = createProduceChannel(connection, {
    topic: 't',
    clientId: 'c',
    runtime: { ...systemRuntime, sleep },
    onThrottle: tellsOfThrottling ? (milliseconds) => throttles.push(milliseconds) : undefined,
  });
  return { throttles, asleep, channel, connection, sent, nextSent };
};

const bytes = (text: string) => (): Buffer => Buffer.from(text);

describe('a produce channel', () => {
  it('sends what comes in one turn in one request, and the rest when that is answered', async () => {
    const { channel, sent, nextSent } = setUp();
    const answers = [channel.produce(0, bytes('zero'), 1_000), channel.produce(1, bytes('one'), 4_000)];
    const first = await nextSent(0);
    answers.push(channel.produce(2, bytes('two'), 1_000));
    await new Promise(setImmediate);
    expect(sent).toHaveLength(1);
    expect(first.frame.toString('latin1')).toMatch(/zero.*one/s);
    expect(first.timeoutMs).toBe(4_000);
    first.answer({ 0: [0, 7], 1: [6, -1] });
    (await nextSent(1)).answer({ 2: [0, 9] });
    expect(await Promise.all(answers)).toEqual([
      { errorCode: 0, baseOffset: 7 },
      { errorCode: 6, baseOffset: -1 },
      { errorCode: 0, baseOffset: 9 },
    ]);
  });

  it('asks for a batch only when it writes, and writes nothing when there is none', async () => {
    const { channel, sent, nextSent } = setUp();
    expect(await channel.produce(0, () => undefined, 1_000)).toBeUndefined();
    expect(sent).toEqual([]);
    const taken: string[] = [];
    const busy = channel.produce(0, bytes('zero'), 1_000);
    const first = await nextSent(0);
    const waiting = channel.produce(
      1,
      () => {
        taken.push('one');
        return Buffer.from('one');
      },
      1_000,
    );
    await new Promise(setImmediate);
    expect(taken).toEqual([]);
    first.answer({ 0: [0, 0] });
    await busy;
    (await nextSent(1)).answer({ 1: [0, 0] });
    await waiting;
    expect(taken).toEqual(['one']);
  });

  it('leaves what exceeds 8 MiB to the next request, even if one batch is larger', async () => {
    const { channel, sent, nextSent } = setUp();
    const large = (): Buffer => Buffer.alloc(8 * 1024 * 1024, 'a');
    const answers = [channel.produce(0, bytes('first'), 1_000), channel.produce(1, large, 1_000)];
    answers.push(channel.produce(2, bytes('rest'), 1_000));
    const first = await nextSent(0);
    expect([first.frame.includes('first'), first.frame.includes('aaaa')]).toEqual([true, true]);
    expect(first.frame.includes('rest')).toBe(false);
    first.answer({ 0: [0, 1], 1: [0, 2] });
    const second = await nextSent(1);
    expect(second.frame.includes('rest')).toBe(true);
    second.answer({ 2: [0, 3] });
    expect((await Promise.all(answers)).map((answer) => answer?.baseOffset)).toEqual([1, 2, 3]);
    expect(sent).toHaveLength(2);
  });

  it('lets no batch exceed a request that is full to the byte, and tells each how much room is left', async () => {
    const { channel, nextSent } = setUp();
    const rooms: number[] = [];
    const take = (size: number) => (room: number) => {
      rooms.push(room);
      return Buffer.alloc(size);
    };
    const answers = [channel.produce(0, take(8), 1_000), channel.produce(1, take(8_388_600), 1_000)];
    answers.push(channel.produce(2, take(1), 1_000));
    (await nextSent(0)).answer({ 0: [0, 1], 1: [0, 2] });
    (await nextSent(1)).answer({ 2: [0, 3] });
    await Promise.all(answers);
    expect(rooms).toEqual([8_388_608, 8_388_600, 1_048_576]);
  });

  it('sends small records by themselves, then at most 1 MiB of what waits in order, in turns', async () => {
    const { channel, nextSent } = setUp();
    const produce = (partition: number, small: string | undefined, inOrder: string) => {
      const take = (_room: number, isOfSmall: boolean) => {
        const batch = isOfSmall ? small : inOrder;
        return batch === undefined ? undefined : Buffer.from(batch);
      };
      return channel.produce(partition, take, 1_000);
    };
    const MEGABYTE = 'm'.repeat(1024 * 1024);
    void produce(0, undefined, `zero${MEGABYTE}`);
    const one = produce(1, 'one', 'ONE');
    void produce(2, undefined, `two${MEGABYTE}`);
    void produce(3, 'three', 'THREE');
    const small = await nextSent(0);
    expect(small.frame.toString('latin1')).toMatch(/one.*three/s);
    expect(small.frame.length).toBeLessThan(1_000);
    small.answer({ 1: [0, 1], 3: [0, 1] });
    await one;
    void produce(1, 'again', 'ONE');
    const inOrder = await nextSent(1);
    expect(inOrder.frame.includes('zero')).toBe(true);
    expect(inOrder.frame.includes('two')).toBe(false);
    inOrder.answer({ 0: [0, 1] });
    const next = await nextSent(2);
    expect(next.frame.includes('again')).toBe(true);
    expect(next.frame.length).toBeLessThan(1_000);
    next.answer({ 1: [0, 2] });
    expect((await nextSent(3)).frame.includes('two')).toBe(true);
  });

  it.each([
    ['each has small ones, too', [true, true], [0, 1, 0, 1, 0, 1]],
    ['one has small ones, too', [true, false], [1, 0, 1, 0, 1, 0]],
    ['none has small ones', [false, false], [0, 1, 0, 1, 0, 1]],
  ])('gives partitions with large records their turns when %s', async (_, hasSmall, expected) => {
    const { channel, sent } = setUp();
    const MEGABYTE = 'm'.repeat(1024 * 1024);
    const turns: number[] = [];
    const keepBusy = async (partition: number): Promise<void> => {
      while (turns.length < 8) {
        const take = (_room: number, isOfSmall: boolean) => {
          if (isOfSmall) return hasSmall[partition] ? Buffer.from('small') : undefined;
          turns.push(partition);
          return Buffer.from(MEGABYTE);
        };
        await channel.produce(partition, take, 1_000, () => true);
        // As a partition asks for its next batch: some microtasks after its last one was answered.
        for (let count = 0; count < 9; count += 1) await undefined;
      }
    };
    const busy = Promise.all([keepBusy(0), keepBusy(1)]);
    let isDone = false;
    void busy.then(() => (isDone = true));
    for (let index = 0; !isDone; await new Promise(setImmediate)) {
      if (sent[index]) sent[index++]!.answer({ 0: [0, 0], 1: [0, 0] });
    }
    expect(turns.slice(0, 6)).toEqual(expected);
  });

  it('frees the memory of a large request once it is answered', async () => {
    const { channel, nextSent } = setUp();
    const produced = channel.produce(0, bytes('b'.repeat(100_000)), 1_000);
    const { frame, answer } = await nextSent(0);
    expect(frame.length).toBeGreaterThan(100_000);
    answer({ 0: [0, 7] });
    expect(await produced).toEqual({ errorCode: 0, baseOffset: 7 });
    expect(frame.buffer.byteLength).toBe(0);
  });

  it('has the broker give up on its replicas a tenth of the time before it stops waiting itself', async () => {
    const { channel, nextSent } = setUp();
    const answer = channel.produce(0, bytes('zero'), 1_005);
    const { frame, timeoutMs, answer: say } = await nextSent(0);
    // length, header with client id 'c', transactional id, acks
    expect([frame.readInt32BE(4 + 11 + 2 + 2), timeoutMs]).toEqual([904, 1_005]);
    say({ 0: [0, 1] });
    await answer;
  });

  it('keeps its connection when a quota slows it down and no listener is given', async () => {
    const { channel, connection, nextSent, asleep } = setUp(false);
    const first = channel.produce(0, bytes('zero'), 1_000);
    (await nextSent(0)).answer({ 0: [0, 0] }, 1);
    await first;
    await new Promise(setImmediate);
    asleep[0]?.wake();
    const second = channel.produce(0, bytes('more'), 1_000);
    (await nextSent(1)).answer({ 0: [0, 1] });
    expect(await second).toEqual({ errorCode: 0, baseOffset: 1 });
    expect(connection.ended).toBeUndefined();
  });

  it('fails with the connection, without taking what was not written', async () => {
    const { channel, connection, nextSent } = setUp();
    const written = channel.produce(0, bytes('zero'), 1_000);
    const first = await nextSent(0);
    const neverTaken = jest.fn(bytes('one'));
    const waiting = channel.produce(1, neverTaken, 1_000);
    first.fail(new Error('reset'));
    await expect(written).rejects.toThrow('reset');
    await expect(waiting).rejects.toThrow('reset');
    expect(neverTaken).not.toHaveBeenCalled();
    expect(connection.ended?.message).toBe('reset');
  });

  it('fails for a partition that the answer leaves out', async () => {
    const { channel, connection, nextSent } = setUp();
    const answers = [channel.produce(0, bytes('zero'), 1_000), channel.produce(1, bytes('one'), 1_000)];
    (await nextSent(0)).answer({ 0: [0, 1] });
    expect(await answers[0]).toEqual({ errorCode: 0, baseOffset: 1 });
    await expect(answers[1]).rejects.toThrow('partition 1 was not answered');
    expect(connection.ended).toBeUndefined();
  });

  it('waits no longer than its connection lasts, and fails what waits then', async () => {
    const { channel, connection, sent, nextSent, throttles } = setUp();
    const first = channel.produce(0, bytes('zero'), 1_000);
    (await nextSent(0)).answer({ 0: [0, 0] }, 2_147_483_647);
    await first;
    const waiting = channel.produce(0, bytes('more'), 1_000);
    connection.close(new Error('closed'));
    await expect(waiting).rejects.toThrow('closed');
    expect([sent.length, throttles]).toEqual([1, [2_147_483_647]]);
  });

  it('sends so much at once that the quota keeps it waiting for a second, and more when it no longer does', async () => {
    const { channel, nextSent, asleep } = setUp();
    const asked: number[] = [];
    const produce = async (index: number, throttleMs: number): Promise<void> => {
      const take = (mostBytes: number): Buffer => {
        asked.push(mostBytes);
        return Buffer.alloc(Math.min(mostBytes, 100_000));
      };
      const answer = channel.produce(0, take, 1_000);
      (await nextSent(index)).answer({ 0: [0, index] }, throttleMs);
      await answer;
      await new Promise(setImmediate);
      asleep.pop()?.wake();
    };
    await produce(0, 20_000);
    await produce(1, 1_000);
    await produce(2, 0);
    await produce(3, 0);
    expect(asked).toEqual([8_388_608, 5_000, 5_000, 10_000]);
  });

  it('waits as long as the broker’s quota asks', async () => {
    const { channel, sent, nextSent, asleep } = setUp();
    const first = channel.produce(0, bytes('zero'), 1_000);
    (await nextSent(0)).answer({ 0: [0, 0] }, 500);
    await first;
    const second = channel.produce(0, bytes('more'), 1_000);
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    expect(sent).toHaveLength(1);
    expect(asleep).toMatchObject([{ milliseconds: 500 }]);
    asleep[0]!.wake();
    (await nextSent(1)).answer({ 0: [0, 1] });
    expect(await second).toEqual({ errorCode: 0, baseOffset: 1 });
  });
});
