import { appUnderTest, NOW, ONE_BUY, post } from './app-under-test.ts';
import { notPublished, UNKNOWN } from './in-memory-log.ts';

const SEQUENCES = { SEQUENCES: 'true' };
const LEASE_MS = 36_000;

/** The app with a clock that can be set forward, for one account. */
const underTest = (env: Record<string, string> = {}) => {
  let time = NOW.getTime();
  const under = appUnderTest({ ...SEQUENCES, ...env }, { clock: () => new Date(time) });
  const send = (sequence: number | string, key?: string, headers: Record<string, string> = {}) =>
    post(under.app, ONE_BUY, {
      'partition-key': 'account-7',
      sequence: String(sequence),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...headers,
    });
  /** Status, code, outcome and expected number of an answer. */
  const outcomeOf = async (...args: Parameters<typeof send>): Promise<unknown[]> => {
    const answer = await send(...args);
    const { type, outcome, expectedSequence, statusUrl } = answer.json();
    if (outcome === 'unknown') expect(answer.headers.location ?? 'none').toBe(statusUrl);
    return [answer.statusCode, type?.replace('urn:problem-type:', ''), outcome, expectedSequence];
  };
  const numbers = () => under.log.records.map(({ headers }) => Number(headers['ce_sequence']));
  return { ...under, send, outcomeOf, numbers, pass: (milliseconds: number) => (time += milliseconds) };
};

const ACCEPTED = [202, undefined, undefined, undefined];
const gap = (expected: number) => [409, 'out-of-sequence', 'not-published', expected];
const repeat = (expected: number) => [409, 'out-of-sequence', undefined, expected];
const pending = (expected: number) => [409, 'sequence-pending', 'not-published', expected];

describe('Sequence', () => {
  it('is not read by default', async () => {
    const { app, log } = appUnderTest();
    const headers = { 'partition-key': 'account-7', sequence: 'whatever' };
    expect((await post(app, ONE_BUY, headers)).statusCode).toBe(202);
    expect(log.records[0]?.headers).not.toHaveProperty('ce_sequence');
    expect((await app.inject('/openapi.json')).body).not.toMatch(/sequence/i);
    expect((await app.inject('/asyncapi.json')).body).not.toMatch(/sequence/i);
  });

  it('is described where it is read', async () => {
    const { app } = underTest();
    const document = (await app.inject('/openapi.json')).json();
    const names = document.paths['/operations'].post.parameters.map(({ name }: { name: string }) => name);
    expect(names).toContain('Sequence');
    expect(document.components.schemas.Problem.properties).toHaveProperty('expectedSequence');
    const { submission } = (await app.inject('/asyncapi.json')).json().components.messages;
    expect(submission.headers.properties).toHaveProperty('ce_sequence');
  });

  it('goes into the record in the order of its characters', async () => {
    const { log, send } = underTest();
    for (const number of [9, 10]) await send(number);
    const texts = log.records.map(({ headers }) => headers['ce_sequence']);
    expect(texts).toEqual(['000000000000009', '000000000000010']);
  });

  it.each(['', '-1', '1.0', '017', '1e3', '1, 2', '1000000000000000', 'x'])(
    'is rejected when it is %j',
    async (sequence) => {
      const { outcomeOf, numbers } = underTest();
      expect(await outcomeOf(sequence)).toEqual([400, 'bad-sequence', undefined, undefined]);
      expect(numbers()).toEqual([]);
    },
  );

  it('needs a Partition-Key', async () => {
    const { app } = underTest();
    const answer = await post(app, ONE_BUY, { sequence: '1' });
    expect([answer.statusCode, answer.json().type]).toEqual([400, 'urn:problem-type:bad-sequence']);
  });

  it.each([undefined, 'key'])('has neither gaps nor repeats, with key %s', async (name) => {
    const { outcomeOf, numbers } = underTest();
    let keys = 0;
    const key = () => name && `${name}-${(keys += 1)}`;
    expect(await outcomeOf(17, key())).toEqual(ACCEPTED);
    expect(await outcomeOf(19, key())).toEqual(gap(18));
    expect(await outcomeOf(17, key())).toEqual(repeat(18));
    expect(await outcomeOf(18, key())).toEqual(ACCEPTED);
    expect(await outcomeOf(1, key(), { 'partition-key': 'account-8' })).toEqual(ACCEPTED);
    expect(numbers()).toEqual([17, 18, 1]);
  });

  it('does not concern submissions without one', async () => {
    const { app, outcomeOf, numbers } = underTest();
    await outcomeOf(1);
    await post(app, ONE_BUY, { 'partition-key': 'account-7' });
    expect(await outcomeOf(2)).toEqual(ACCEPTED);
    expect(numbers()).toEqual([1, NaN, 2]);
  });

  it('belongs to the principal', async () => {
    const AUTH_TOKENS = 'alice:0123456789abcdef,bob:fedcba9876543210';
    const { outcomeOf } = underTest({ AUTH_TOKENS });
    const [alice, bob] = ['0123456789abcdef', 'fedcba9876543210'].map((token) => ({
      authorization: `Bearer ${token}`,
    }));
    expect(await outcomeOf(1, undefined, alice)).toEqual(ACCEPTED);
    expect(await outcomeOf(7, undefined, bob)).toEqual(ACCEPTED);
    expect(await outcomeOf(2, undefined, alice)).toEqual(ACCEPTED);
  });

  it('is part of what an Idempotency-Key stands for: a replay is no repeat', async () => {
    const { send, outcomeOf, numbers } = underTest();
    const first = await send(1, 'a');
    await send(2, 'b');
    const replay = await send(1, 'a');
    expect([replay.statusCode, replay.body]).toEqual([202, first.body]);
    expect(replay.headers['idempotent-replayed']).toBe('true');
    expect(await outcomeOf(3, 'a')).toEqual([422, 'idempotency-key-reused', undefined, undefined]);
    expect(numbers()).toEqual([1, 2]);
  });

  it('gives back the key of a submission that is too early', async () => {
    const { outcomeOf } = underTest();
    await outcomeOf(1, 'a');
    expect(await outcomeOf(3, 'c')).toEqual(gap(2));
    expect(await outcomeOf(2, 'b')).toEqual(ACCEPTED);
    expect(await outcomeOf(3, 'c')).toEqual(ACCEPTED);
  });

  it.each([undefined, 'b'])('is not used up by what was not published, with key %s', async (key) => {
    const { log, outcomeOf, numbers } = underTest();
    await outcomeOf(1, 'a');
    log.mode = notPublished('queue-full');
    expect(await outcomeOf(2, key)).toEqual([503, 'queue-full', 'not-published', undefined]);
    log.mode = 'take';
    expect(await outcomeOf(3, 'c')).toEqual(gap(2));
    expect(await outcomeOf(2, key)).toEqual(ACCEPTED);
    expect(numbers()).toEqual([1, 2]);
  });

  it.each([undefined, 'b'])('waits while the one before is on its way, with key %s', async (key) => {
    const { log, send, outcomeOf, numbers } = underTest();
    await outcomeOf(1, 'a');
    log.mode = 'stall';
    const second = send(2, key).then((answer) => answer.statusCode);
    while (log.stalled === 0) await new Promise(setImmediate);
    expect(await outcomeOf(2, 'other')).toEqual(pending(2));
    const third = await send(3, 'c');
    expect([third.statusCode, third.headers['retry-after']]).toEqual([409, '1']);
    expect(await outcomeOf(4, 'd')).toEqual(gap(2));
    log.release();
    log.mode = 'take';
    expect(await second).toBe(202);
    expect(await outcomeOf(3, 'c')).toEqual(ACCEPTED);
    expect(numbers()).toEqual([1, 2, 3]);
  });

  it.each([undefined, 'b'])(
    'of unknown outcome is free once the log certainly lacks it, with key %s',
    async (key) => {
      const { log, outcomeOf, pass, numbers, search } = underTest();
      await outcomeOf(1, 'a');
      log.mode = UNKNOWN;
      expect((await outcomeOf(2, key))[2]).toBe('unknown');
      log.mode = 'take';
      pass(LEASE_MS - 1);
      expect(await outcomeOf(3, 'c')).toEqual(pending(2));
      pass(1);
      search.instead = async () => ({ gap: 'deleted' });
      expect(await outcomeOf(2, 'other')).toEqual(pending(2));
      delete search.instead;
      expect(await outcomeOf(3, 'c')).toEqual(gap(2));
      expect(await outcomeOf(2, 'other')).toEqual(ACCEPTED);
      expect(await outcomeOf(3, 'c')).toEqual(ACCEPTED);
      // The first one is too late; what it sent is not in the log, as far as anyone can tell.
      if (key) expect(await outcomeOf(2, key)).toEqual([409, 'out-of-sequence', 'unknown', 4]);
      expect(numbers()).toEqual([1, 2, 3]);
    },
  );

  it('may be any once the series is forgotten', async () => {
    const { outcomeOf, pass } = underTest({ SEQUENCE_TTL_MS: '60000' });
    await outcomeOf(17);
    pass(60_000 - 1);
    expect(await outcomeOf(5)).toEqual(repeat(18));
    pass(1);
    expect(await outcomeOf(5)).toEqual(ACCEPTED);
  });
});
