import { identityOf } from '../testing/fake-partition.ts';
import { type Fault, triedScene } from '../testing/partition-scene.ts';
import { type Meaning, meaningOf } from './produce-errors.ts';

const OFTEN = 300;
const notAppended = (code: number): Fault => ({ code, isAppended: false });
const repeated = (code: number): Fault[] => Array.from({ length: OFTEN }, () => notAppended(code));

/** What becomes of one record, and of the next. */
const outcomeOf = async (faults: Fault[]) => {
  const scene = await triedScene(faults);
  const outcome = await scene.append('a').outcome;
  faults.length = 0;
  while (scene.producer.error !== undefined) {
    scene.pass(1_000);
    await new Promise(setImmediate);
  }
  const next = await scene.append('b').outcome;
  const { written, broker, renewals } = scene;
  return {
    outcome,
    next,
    copies: broker.log.filter((key) => key === 'a').length,
    isSameAgain: written.length > 2 && written[1]!.equals(written[0]!),
    ids: [...new Set(written.map((batch) => identityOf(batch).id))],
    renewals: renewals(),
    numbers: written.map((batch) => batch.readInt32BE(53)),
  };
};

/** Codes that are given only after nothing was appended; written again here, so that none slips into the wrong row. */
const EXPECTED: Readonly<Record<Exclude<Meaning, 'maybe-appended'>, readonly number[]>> = {
  appended: [0, 46],
  'not-now': [2, 3, 19],
  never: [17, 21, 29, 31, 43, 44],
  'invalid-records': [32, 87],
  'too-large': [10, 18],
  'not-followed': [45, 47, 59],
};
const expectedOf = (code: number): Meaning =>
  (Object.keys(EXPECTED) as (keyof typeof EXPECTED)[]).find((meaning) => EXPECTED[meaning].includes(code)) ??
  'maybe-appended';

/** Every code of Kafka 4.3.1's protocol, one that it does not have yet, and the largest. */
const CODES = [...Array.from({ length: 136 }, (_, index) => index - 1), 32_767].map(
  (code) => [code, expectedOf(code)] as const,
);
const codesOf = (...meanings: Meaning[]) => CODES.filter(([, meaning]) => meanings.includes(meaning));

describe('a Produce answer with the code', () => {
  it.each(CODES)('%i: %s', (code, meaning) => {
    expect(meaningOf(code)).toBe(meaning);
  });

  it.each(codesOf('maybe-appended'))('%i, %s, leads to the same bytes again', async (code) => {
    const passing = { outcome: 0, next: 1, copies: 1, isSameAgain: true, ids: [1n], numbers: [0, 0, 1] };
    expect(await outcomeOf([notAppended(code)])).toMatchObject(passing);
    expect(await outcomeOf([{ code, isAppended: true }])).toMatchObject(passing);
    const { outcome, copies, ids } = await outcomeOf(repeated(code));
    expect({ outcome, copies, ids }).toEqual({ outcome: 'unknown: no-answer', copies: 0, ids: [1n, 2n] });
  });

  it.each(codesOf('not-now'))('%i, %s, lets the records wait, under the same numbers', async (code) => {
    expect(await outcomeOf([notAppended(code)])).toMatchObject({
      outcome: 0,
      next: 1,
      copies: 1,
      ids: [1n],
      numbers: [0, 0, 1],
    });
    expect(await outcomeOf(repeated(code))).toMatchObject({
      outcome: 'not-published: log-unavailable',
      next: 0,
      ids: [1n],
    });
  });

  it.each(codesOf('never', 'invalid-records'))(
    '%i, %s, rejects the records, and their numbers are used again',
    async (code) => {
      expect(await outcomeOf([notAppended(code)])).toMatchObject({
        outcome: 'not-published: log-unavailable',
        next: 0,
        copies: 0,
        ids: [1n],
        numbers: [0, 0],
      });
    },
  );

  it.each(codesOf('too-large'))(
    '%i, %s, rejects a single record, and its number is used again',
    async (code) => {
      expect(await outcomeOf([notAppended(code)])).toMatchObject({
        outcome: 'not-published: record-too-large',
        next: 0,
        copies: 0,
        ids: [1n],
        numbers: [0, 0],
      });
    },
  );

  it.each(codesOf('not-followed'))('%i, %s, sends the records under another producer id', async (code) => {
    expect(await outcomeOf([notAppended(code)])).toMatchObject({
      outcome: 0,
      next: 1,
      copies: 1,
      ids: [1n, 2n],
      renewals: 1,
      numbers: [0, 0, 1],
    });
    expect((await outcomeOf(repeated(code))).outcome).toBe('not-published: log-unavailable');
  });

  it.each(codesOf('appended'))('%i, %s, without an offset leaves the outcome unknown', async (code) => {
    expect(await outcomeOf([{ code, isAppended: true }])).toMatchObject({
      outcome: 'unknown: no-answer',
      next: 1,
      copies: 1,
      ids: [1n, 2n],
    });
  });

  it.each(codesOf('maybe-appended', 'not-now'))(
    '%i, %s, after an attempt without an answer leads to the same bytes again',
    async (code) => {
      expect(await outcomeOf(['unanswered', notAppended(code)])).toMatchObject({
        outcome: 0,
        next: 1,
        copies: 1,
        isSameAgain: true,
        ids: [1n],
      });
    },
  );

  it.each(codesOf('never', 'too-large', 'invalid-records', 'not-followed'))(
    '%i, %s, after an attempt without an answer proves nothing: the outcome is unknown',
    async (code) => {
      expect(await outcomeOf(['unanswered', notAppended(code)])).toMatchObject({
        outcome: 'unknown: no-answer',
        next: 1,
        copies: 1,
        ids: [1n, 2n],
        renewals: 1,
      });
    },
  );
});
