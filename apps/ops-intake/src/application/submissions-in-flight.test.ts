import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { manualTimers } from '../../test/manual-timers.ts';
import { InFlight, SubmissionsInFlight } from './submissions-in-flight.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MILLISECONDS = 10;

class One extends InFlight {
  readonly id: string;
  readonly principal = undefined;
  readonly expire: () => void;

  constructor(expire: () => void, id = '') {
    super();
    this.expire = expire;
    this.id = id;
  }
}

describe('submissions in flight', () => {
  it('are found until they end, and told of their deadline once, in order, with one timer at a time', () => {
    const step = fc.oneof(
      fc.constant({ step: 'add' as const }),
      fc.record({ step: fc.constant('end' as const), at: fc.nat(20) }),
      fc.record({ step: fc.constant('pass' as const), milliseconds: fc.integer({ min: 1, max: 15 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (history) => {
        const { timers, pass, now, set } = manualTimers();
        const all = new SubmissionsInFlight(MILLISECONDS, timers);
        const told: One[] = [];
        const added: One[] = [];
        const open = new Set<One>();
        const waiting = new Set<One>();
        for (const one of history) {
          if (one.step === 'add') {
            const next = new One(() => void told.push(next), String(added.length));
            added.push(next);
            open.add(next);
            waiting.add(next);
            all.add(next);
            expect(next.endsAt).toBe(now() + MILLISECONDS);
          } else if (one.step === 'end') {
            const ended = added[one.at];
            if (ended) all.remove(ended);
            open.delete(ended!);
            waiting.delete(ended!);
          } else {
            const due = [...waiting].filter(({ endsAt }) => endsAt <= now() + one.milliseconds);
            told.length = 0;
            pass(one.milliseconds);
            expect(told).toEqual(due);
            for (const over of due) waiting.delete(over);
          }
          expect(set.length).toBeLessThanOrEqual(1);
          for (const one of added) expect(all.find(one.id)).toBe(open.has(one) ? one : undefined);
        }
        told.length = 0;
        pass(MILLISECONDS);
        expect(told).toEqual([...waiting]);
        pass(MILLISECONDS);
        expect(set).toEqual([]);
      }),
    );
  });

  it('may begin while others are told', () => {
    const { timers, pass } = manualTimers();
    const all = new SubmissionsInFlight(MILLISECONDS, timers);
    const told: string[] = [];
    const later = new One(() => void told.push('later'));
    const first = new One(() => {
      told.push('first');
      all.add(later);
    });
    all.add(first);
    pass(MILLISECONDS);
    expect(told).toEqual(['first']);
    pass(MILLISECONDS);
    expect(told).toEqual(['first', 'later']);
  });

  it('keep nothing that has ended, even behind one that has not', async () => {
    const all = new SubmissionsInFlight(MILLISECONDS, manualTimers().timers);
    all.add(new One(() => undefined));
    const ended = Array.from({ length: 100 }, () => {
      const one = new One(() => undefined);
      all.add(one);
      all.remove(one);
      return new WeakRef(one);
    });
    // A WeakRef holds its object until the next turn of the event loop.
    await new Promise(setImmediate);
    collectGarbage();
    expect(ended.filter((one) => one.deref())).toHaveLength(0);
    all.add(new One(() => undefined));
  });
});
