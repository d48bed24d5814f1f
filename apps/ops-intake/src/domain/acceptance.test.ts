import { Acceptance, type CheckResult } from './acceptance.ts';

type Event = 'accepted' | 'failed' | CheckResult;

const failures = (from: number, until: number): [number, Event][] =>
  Array.from({ length: until - from + 1 }, (_, at) => [from + at, 'failed']);

const cause = (found: CheckResult, from: number, until: number): [number, Event][] => [
  [0, 'failed'],
  ...Array.from({ length: until - from + 1 }, (_, at): [number, Event] => [from + at, found]),
];

/** What happened at which second, the last of them, and whether there is an outage then. */
const HISTORIES: [what: string, events: [second: number, event: Event][], now: number, isOutage: boolean][] =
  [
    ['nothing was submitted', [], 60, false],
    ['a single submission failed, and nothing says why', [[0, 'failed']], 60, false],
    ['failures are young', failures(0, 4), 4, false],
    ['only failures for 5 s', failures(0, 5), 5, true],
    ['only failures for a minute', failures(0, 60), 60, true],
    ['one was accepted among them', [...failures(0, 4), [4, 'accepted'], ...failures(5, 9)], 9, false],
    ['one is accepted in the end', [...failures(0, 60), [61, 'accepted']], 61, false],
    ['one failed, and its cause lasts', cause('fails', 1, 60), 60, true],
    ['one failed 4 s ago, and its cause lasts', cause('fails', 1, 4), 4, false],
    ['one failed, and its cause is not seen', cause('works', 1, 4), 60, false],
    [
      'the cause was seen, and is gone',
      [...failures(0, 20), [20, 'fails'], [90, 'fails'], [92, 'works']],
      92,
      false,
    ],
    [
      'the cause is gone by a check that began before the last failure',
      [...failures(0, 20), [20, 'fails'], [19, 'works']],
      21,
      true,
    ],
    [
      'the cause was never seen, and submissions still fail',
      failures(0, 20).flatMap((one) => [one, [one[0] + 0.5, 'works']]),
      40,
      true,
    ],
    ['the cause was never seen, 30 s after the last', [...failures(0, 20), [50, 'works']], 50, false],
    ['no check can tell, 29 s after the last', [...failures(0, 20), [49, 'unknown']], 49, true],
    ['no check can tell, 30 s after the last', [...failures(0, 20), [50, 'unknown']], 50, false],
    [
      'they failed again afterwards, and not for long',
      [...failures(0, 20), [50, 'works'], [51, 'failed'], [52, 'failed']],
      70,
      false,
    ],
  ];

describe('an outage', () => {
  it.each(HISTORIES)('%s', (_, events, now, isOutage) => {
    const acceptance = new Acceptance();
    for (const [second, event] of events) {
      if (event === 'accepted') acceptance.accepted();
      else if (event === 'failed') acceptance.failed('kafka', second * 1_000);
      else acceptance.checked(event, second * 1_000);
    }
    expect(acceptance.outage(now * 1_000) !== undefined).toBe(isOutage);
  });

  it('has the cause of the last failure, and lasts since the first', () => {
    const acceptance = new Acceptance();
    acceptance.failed('key-store', 1_000);
    acceptance.failed('search', 9_000);
    expect(acceptance.outage(11_000)).toEqual({ cause: 'search', forMs: 10_000 });
  });
});
