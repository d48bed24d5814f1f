import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { manualTimers } from '../../test/manual-timers.ts';
import { Deadlines, TimedEntry } from './deadlines.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MILLISECONDS = 10;

class One extends TimedEntry {
  readonly expire: () => void;

  constructor(expire: () => void) {
    super();
    this.expire = expire;
  }
}

describe('deadlines', () => {
  it('are told to what has not ended by then, once, in order, with one timer at a time', () => {
    const step = fc.oneof(
      fc.constant({ step: 'add' as const }),
      fc.record({ step: fc.constant('end' as const), at: fc.nat(20) }),
      fc.record({ step: fc.constant('pass' as const), milliseconds: fc.integer({ min: 1, max: 15 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (history) => {
        const { timers, pass, now, set } = manualTimers();
        const deadlines = new Deadlines(MILLISECONDS, timers);
        const told: One[] = [];
        const added: One[] = [];
        const open = new Set<One>();
        for (const one of history) {
          if (one.step === 'add') {
            const next = new One(() => void told.push(next));
            added.push(next);
            open.add(next);
            deadlines.add(next);
            expect(next.endsAt).toBe(now() + MILLISECONDS);
          } else if (one.step === 'end') {
            const ended = added[one.at];
            if (ended) deadlines.remove(ended);
            open.delete(ended!);
          } else {
            const due = [...open].filter(({ endsAt }) => endsAt <= now() + one.milliseconds);
            told.length = 0;
            pass(one.milliseconds);
            expect(told).toEqual(due);
            for (const over of due) open.delete(over);
          }
          expect(set.length).toBeLessThanOrEqual(1);
        }
        told.length = 0;
        pass(MILLISECONDS);
        expect(told).toEqual([...open]);
        pass(MILLISECONDS);
        expect(set).toEqual([]);
      }),
    );
  });

  it('may be added while others are told', () => {
    const { timers, pass } = manualTimers();
    const deadlines = new Deadlines(MILLISECONDS, timers);
    const told: string[] = [];
    const later = new One(() => void told.push('later'));
    const first = new One(() => {
      told.push('first');
      deadlines.add(later);
    });
    deadlines.add(first);
    pass(MILLISECONDS);
    expect(told).toEqual(['first']);
    pass(MILLISECONDS);
    expect(told).toEqual(['first', 'later']);
  });

  it('keep nothing that has ended, even behind one that has not', async () => {
    const deadlines = new Deadlines(MILLISECONDS, manualTimers().timers);
    deadlines.add(new One(() => undefined));
    const ended = Array.from({ length: 100 }, () => {
      const one = new One(() => undefined);
      deadlines.add(one);
      deadlines.remove(one);
      return new WeakRef(one);
    });
    // A WeakRef holds its object until the next turn of the event loop.
    await new Promise(setImmediate);
    collectGarbage();
    expect(ended.filter((one) => one.deref())).toHaveLength(0);
    deadlines.add(new One(() => undefined));
  });
});
