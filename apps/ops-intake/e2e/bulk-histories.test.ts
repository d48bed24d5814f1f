import type { AddressInfo } from 'node:net';
import type { AppendListener, LogRecord, RecordOutcome } from '@workspace/schemas';
import { type IdempotencyStore, StoreUnavailable } from '../src/application/idempotency-store.ts';
import type { OperationLog } from '../src/application/operation-log.ts';
import { type Draw, drawFrom } from '../simulation/random.ts';
import { appUnderTest } from '../test/app-under-test.ts';
import { type BulkLine, lineText, sendLines } from '../test/bulk-client.ts';
import { type InMemoryLog, notPublished, UNKNOWN } from '../test/in-memory-log.ts';

/** How a batch of records is delivered, and whether the client learns it. */
type Delivery = 'written' | 'not-published' | 'written-unanswered' | 'lost-unanswered';

/** Of values: a queue without room for a long one may have room for a short one. */
const QUEUE_BYTES = 4_000;

/** Lets a log take its records in batches, as Kafka does, each with a delivery drawn from these. The queue has room for a few. */
const takeInBatches = (log: InMemoryLog, random: Draw, deliveries: readonly Delivery[], batchMs: number) => {
  const queue: { record: LogRecord; listener: AppendListener }[] = [];
  const settle = (delivery: Delivery, { record, listener }: (typeof queue)[number]): void => {
    const isWritten = delivery === 'written' || delivery === 'written-unanswered';
    const offset = isWritten ? log.records.push(record) - 1 : -1;
    const outcomes: Record<Delivery, RecordOutcome> = {
      written: { outcome: 'accepted', topic: 'operations', partition: 0, offset },
      'not-published': notPublished('log-unavailable'),
      'written-unanswered': UNKNOWN,
      'lost-unanswered': UNKNOWN,
    };
    listener.settled(outcomes[delivery]);
  };
  const timer = setInterval(() => {
    const delivery = random.one(deliveries);
    // What is rejected is so because the broker is not there, and all that waits is.
    const count = delivery === 'not-published' ? queue.length : 1 + random.index(30);
    for (const one of queue.splice(0, count)) settle(delivery, one);
  }, batchMs);
  const append: OperationLog['append'] = (record, listener) => {
    const queued = queue.reduce((sum, one) => sum + one.record.value.length, 0);
    if (queued + record.value.length > QUEUE_BYTES) {
      listener.settled(notPublished('queue-full'));
      return { withdraw: () => false };
    }
    const one = { record, listener };
    queue.push(one);
    return {
      withdraw: () => {
        const at = queue.indexOf(one);
        if (at === -1) return false;
        queue.splice(at, 1);
        listener.settled(notPublished('withdrawn'));
        return true;
      },
    };
  };
  log.append = append;
  return () => clearInterval(timer);
};

/** A store that is elsewhere: it answers later, and is not there now and then. */
const makeUnsteady = (store: IdempotencyStore, random: Draw): void => {
  const { claim } = store;
  const unsteady: IdempotencyStore['claim'] = (asked) =>
    random.chance(0.05) ? Promise.reject(new StoreUnavailable()) : claim(asked);
  Object.assign(store, { sync: undefined, claim: unsteady });
};

/** Lines whose arrays are all different, of different lengths, and written in unusual ways. */
const linesOf = (count: number, random: Draw): (BulkLine & { partitionKey: string })[] =>
  Array.from({ length: count }, (_, at) => {
    const space = ' '.repeat(random.index(at % 8 === 0 ? 300 : 4));
    const operations = `[${space}{"quantity":${at + 1},${space}"unit-cost":${random.index(100)}.${random.index(10)}0,"operation":"buy"}${space}]`;
    return { key: `order ${at}`, partitionKey: `account-${random.index(3)}`, operations };
  });

const ENV = {
  BULK_STREAMS: '8',
  QUEUE_RECORDS: '1600',
  DEADLINE_MS: '400',
  KAFKA_DELIVERY_TIMEOUT_MS: '50',
  KAFKA_REQUEST_TIMEOUT_MS: '100',
};
const openedApp = async (env: Record<string, string> = {}) => {
  const opened = appUnderTest({ ...ENV, ...env }, { clock: () => new Date() });
  await opened.app.listen({ port: 0, host: '127.0.0.1' });
  return { ...opened, port: (opened.app.server.address() as AddressInfo).port };
};

const SEEDS = Array.from({ length: Number(process.env['HISTORIES'] || 3) }, (_, at) => at + 1);

describe('streams that are cut and sent again', () => {
  it.each(SEEDS)('write every line once: seed %d', async (seed) => {
    const random = drawFrom(seed);
    const { app, log, port } = await openedApp();
    const deliveries: Delivery[] = [
      'written',
      'written',
      'written',
      'not-published',
      'written-unanswered',
      'lost-unanswered',
    ];
    const stop = takeInBatches(log, random, deliveries, 2);
    const lines = linesOf(150, random);
    const size = Buffer.byteLength(lines.map(lineText).join(''));
    let open = lines;
    for (let attempt = 0; open.length > 0; attempt += 1) {
      // Those that were accepted are sent again, too, the first times.
      const sent = attempt < 3 ? lines : open;
      const answers = await sendLines(
        port,
        sent,
        attempt < 3 ? { bytes: random.index(size), answered: random.between(0, 1) } : undefined,
      );
      open = open.filter(({ key }) => answers.get(key)?.status !== 202);
      for (const { status } of answers.values()) expect([202, 409, 503]).toContain(status);
    }
    stop();
    await app.close();
    const written = log.records.map(({ key, value }) => `${key} ${String(value)}`).sort();
    expect(written).toEqual(
      lines.map(({ partitionKey, operations }) => `${partitionKey} ${operations}`).sort(),
    );
  });

  const ways = SEEDS.flatMap((seed) => ['at once', 'with promises'].map((way) => [way, seed] as const));
  it.each(ways)(
    'keep the order of a Partition-Key while nothing is unknown: %s, seed %d',
    async (way, seed) => {
      const random = drawFrom(seed);
      const { app, log, store, port } = await openedApp({ DEADLINE_MS: '9000' });
      if (way === 'with promises') makeUnsteady(store, random);
      const stop = takeInBatches(log, random, ['written', 'not-published'], 1);
      const lines = linesOf(150, random);
      const answers = await sendLines(port, lines);
      stop();
      await app.close();
      expect([...answers.values()].every(({ status }) => status === 202)).toBe(true);
      for (const account of new Set(lines.map(({ partitionKey }) => partitionKey))) {
        expect(log.records.filter(({ key }) => key === account).map(({ value }) => String(value))).toEqual(
          lines.filter(({ partitionKey }) => partitionKey === account).map(({ operations }) => operations),
        );
      }
    },
  );
});
