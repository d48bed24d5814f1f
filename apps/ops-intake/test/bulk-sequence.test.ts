import { eventually } from '@workspace/testing';
import { seededRandom } from '@workspace/testing/seeded-random';
import { appUnderTest, ONE_BUY } from './app-under-test.ts';
import { notPublished, UNKNOWN } from './in-memory-log.ts';

const ENV = { BULK_STREAMS: '4', SEQUENCES: 'true' };
/** No machine is too slow for it. */
const PATIENT = { DEADLINE_MS: '60000', SHUTDOWN_TIMEOUT_MS: '120000' };

/** A line of an account, with a number if there is one. */
const line = (key: string, sequence?: number | string, account: string | undefined = 'account-7'): string => {
  const members = [
    `"key":${JSON.stringify(key)}`,
    ...(account ? [`"partitionKey":${JSON.stringify(account)}`] : []),
    ...(sequence === undefined ? [] : [`"sequence":${sequence}`]),
    `"operations":${ONE_BUY}`,
  ];
  return `{${members.join()}}\n`;
};

const underTest = (env: Record<string, string> = {}) => {
  const under = appUnderTest({ ...ENV, ...env });
  const { app, log } = under;
  const send = (payload: string) =>
    app.inject({
      method: 'POST',
      url: '/operations/batch',
      headers: { 'content-type': 'application/x-ndjson' },
      payload,
    });
  const answersTo = async (payload: string): Promise<Record<string, unknown>[]> => {
    const { body } = await send(payload);
    return body
      .trimEnd()
      .split('\n')
      .map((one) => JSON.parse(one) as Record<string, unknown>);
  };
  /** Status, code, outcome and expected number of each answer. */
  const outcomesOf = async (payload: string): Promise<unknown[]> =>
    (await answersTo(payload)).map(({ status, type, outcome, expectedSequence }) =>
      status === 202
        ? 202
        : [status, String(type).replace('urn:problem-type:', ''), outcome, expectedSequence],
    );
  /** The numbers in the log, in their order; undefined for a record without one. */
  const numbersOf = (account = 'account-7') =>
    log.records
      .filter(({ headers }) => headers['ce_partitionkey'] === account)
      .map(({ headers }) =>
        headers['ce_sequence'] === undefined ? undefined : Number(headers['ce_sequence']),
      );
  return { ...under, answersTo, outcomesOf, numbersOf };
};

const gap = (expected: number) => [409, 'out-of-sequence', 'not-published', expected];
const repeat = (expected: number) => [409, 'out-of-sequence', undefined, expected];

describe('a number in a line of POST /operations/batch', () => {
  it('is checked like a Sequence: gaps and repeats are told, what follows the expected one is taken', async () => {
    const { outcomesOf, numbersOf } = underTest();
    const day = line('a', 17) + line('b', 18) + line('c', 20) + line('d', 18) + line('e') + line('f', 19);
    expect(await outcomesOf(day + line('g', 1, 'account-8') + line('h', 20))).toEqual([
      202,
      202,
      gap(19),
      repeat(19),
      202,
      202,
      202,
      202,
    ]);
    expect(numbersOf()).toEqual([17, 18, undefined, 19, 20]);
    expect(numbersOf('account-8')).toEqual([1]);
  });

  it('is the same number as that of a single submission', async () => {
    const { app, outcomesOf, log } = underTest();
    expect(await outcomesOf(line('a', 17))).toEqual([202]);
    const post = (key: string, sequence: string) =>
      app.inject({
        method: 'POST',
        url: '/operations',
        headers: {
          'content-type': 'application/json',
          'partition-key': 'account-7',
          'idempotency-key': key,
          sequence,
        },
        payload: ONE_BUY,
      });
    expect((await post('a', '17')).headers['idempotent-replayed']).toBe('true');
    expect((await post('b', '17')).json().expectedSequence).toBe(18);
    expect((await post('b', '18')).statusCode).toBe(202);
    expect(await outcomesOf(line('b', 18) + line('c', 19))).toEqual([202, 202]);
    expect(log.records).toHaveLength(3);
  });

  it.each([
    ['a text', line('a', '"17"')],
    ['a fraction', line('a', '17.0')],
    ['an exponent', line('a', '1e1')],
    ['a sign', line('a', -1)],
    ['null', line('a', 'null')],
    ['too many digits', line('a', '1000000000000000')],
    ['no partition key', line('a', 17, '')],
  ])('is refused: %s', async (_what, payload) => {
    const { outcomesOf, log } = underTest();
    expect(await outcomesOf(payload)).toEqual([[400, 'bad-sequence', undefined, undefined]]);
    expect(log.records).toEqual([]);
  });

  it('is taken once the one before it has its outcome; other accounts do not wait', async () => {
    const { log, outcomesOf } = underTest();
    log.mode = 'stall';
    const answers = outcomesOf(
      line('a', 1) + line('b', 2) + line('c') + line('d', 1, 'account-8') + line('e', 3),
    );
    await eventually('both accounts', () => log.stalled === 2);
    log.mode = 'take';
    log.release();
    expect(await answers).toEqual([202, 202, 202, 202, 202]);
  });

  it('is not begun once the service stops', async () => {
    const { log, drain, outcomesOf } = underTest();
    expect(await outcomesOf(line('a', 1))).toEqual([202]);
    log.mode = 'stall';
    const answers = outcomesOf(line('b', 2) + line('a', 1) + line('c', 3));
    await eventually('the first one', () => log.stalled === 1);
    drain.start();
    log.mode = 'take';
    log.release();
    // As with the first one, an earlier stream may have published it.
    const stopped = [503, 'outcome-unknown', 'unknown', undefined];
    expect((await answers).slice(0, 3)).toEqual([202, stopped, stopped]);
    expect(log.records).toHaveLength(2);
  });

  it('is tried again with the one before it', async () => {
    const { log, outcomesOf, numbersOf } = underTest(PATIENT);
    const { append } = log;
    const fails = new Set<unknown>();
    log.append = (record, listener, ms) => {
      // The first attempt of each.
      if (!fails.has(record.headers['ce_id'])) log.mode = notPublished('queue-full');
      fails.add(record.headers['ce_id']);
      const pending = append(record, listener, ms);
      log.mode = 'take';
      return pending;
    };
    expect(await outcomesOf(line('a', 1) + line('b', 2) + line('c', 3))).toEqual([202, 202, 202]);
    expect(numbersOf()).toEqual([1, 2, 3]);
  });

  it('is refused where the one before it was not written, or may have been', async () => {
    const { log, outcomesOf } = underTest({ DEADLINE_MS: '2000' });
    await outcomesOf(line('a', 3));
    log.mode = notPublished('record-too-large');
    const lost = await outcomesOf(line('d', 4) + line('e', 5));
    expect(lost).toEqual([[413, 'message-too-large', 'not-published', undefined], gap(4)]);
    log.mode = UNKNOWN;
    const unknown = await outcomesOf(line('f', 4) + line('g', 5));
    expect(unknown).toEqual([
      [503, 'outcome-unknown', 'unknown', undefined],
      [409, 'sequence-pending', 'not-published', 4],
    ]);
  });

  it.each([1, 2, 3, 4, 5, 6])(
    'leaves neither gaps nor repeats, whatever fails and is sent again (seed %s)',
    async (seed) => {
      const random = seededRandom(seed);
      const { log, answersTo, numbersOf } = underTest(PATIENT);
      const { append } = log;
      log.append = (record, listener, ms) => {
        log.mode = random() < 0.1 ? notPublished(random() < 0.5 ? 'queue-full' : 'log-unavailable') : 'take';
        if (log.mode === 'take' && random() < 0.3) {
          log.mode = 'stall';
          setImmediate(() => log.release());
        }
        return append(record, listener, ms);
      };
      const next = new Map<string, number>();
      const day = Array.from({ length: 60 }, (_, at) => {
        const account = `account-${Math.floor(random() * 3)}`;
        if (random() < 0.2) return line(`${at}`, undefined, account);
        const number = next.get(account) ?? 1;
        next.set(account, number + 1);
        return line(`${at}`, number, account);
      });
      const cut = day.slice(0, Math.floor(random() * 60) + 1);
      // The second stream begins while the first one is on its way.
      const [first, second] = await Promise.all([answersTo(cut.join('')), answersTo(day.join(''))]);
      expect([...first, ...second].filter(({ status }) => status !== 202)).toEqual([]);
      expect(log.records).toHaveLength(60);
      for (const [account, number] of next) {
        const numbers = numbersOf(account).filter((one) => one !== undefined);
        expect(numbers).toEqual(Array.from({ length: number - 1 }, (_, at) => at + 1));
      }
    },
  );
});
