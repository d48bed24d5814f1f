import fc from 'fast-check';
import type { Timers } from '@workspace/service-kit';
import { Deadlines } from './deadlines.ts';

const MILLISECONDS = 10;

/** Timers whose time passes when they are told; a process may not run for a while. */
const manualTimers = () => {
  let time = 0;
  const set: { at: number; run: () => void }[] = [];
  const timers: Timers = {
    now: () => time,
    setTimeout: (callback, milliseconds, argument) => {
      set.push({ at: time + milliseconds, run: () => callback(argument) });
      return { unref: () => undefined };
    },
    clearTimeout: () => undefined,
  };
  const pass = (milliseconds: number): void => {
    time += milliseconds;
    for (const due of set.filter(({ at }) => at <= time)) {
      set.splice(set.indexOf(due), 1);
      due.run();
    }
  };
  return { timers, pass, now: () => time, set };
};

describe('deadlines', () => {
  it('are told to what is not over by then, once, in order, with one timer at a time', () => {
    const step = fc.oneof(
      fc.constant({ step: 'add' as const }),
      fc.record({ step: fc.constant('end' as const), at: fc.nat(20) }),
      fc.record({ step: fc.constant('pass' as const), milliseconds: fc.integer({ min: 1, max: 15 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (history) => {
        const { timers, pass, now, set } = manualTimers();
        const deadlines = new Deadlines(MILLISECONDS, timers);
        const told: number[] = [];
        const added: { isOver: boolean; endsAt: number; expire(): void }[] = [];
        for (const one of history) {
          if (one.step === 'add') {
            const number = added.length;
            const expire = (): void => {
              told.push(number);
              added[number]!.isOver = true;
            };
            added.push({ isOver: false, endsAt: now() + MILLISECONDS, expire });
            deadlines.add(added[number]!);
          } else if (one.step === 'end') {
            if (added[one.at]) added[one.at]!.isOver = true;
          } else {
            const due = added.flatMap(({ isOver, endsAt }, number) =>
              !isOver && endsAt <= now() + one.milliseconds ? [number] : [],
            );
            told.length = 0;
            pass(one.milliseconds);
            expect(told).toEqual(due);
          }
          expect(set.length).toBeLessThanOrEqual(1);
        }
        pass(MILLISECONDS);
        pass(MILLISECONDS);
        expect(added.every(({ isOver }) => isOver)).toBe(true);
        expect(set).toEqual([]);
      }),
    );
  });

  it('may be added while others are told', () => {
    const { timers, pass } = manualTimers();
    const deadlines = new Deadlines(MILLISECONDS, timers);
    const told: string[] = [];
    const later = { isOver: false, expire: () => void told.push('later') };
    const first = {
      isOver: false,
      expire: () => {
        told.push('first');
        first.isOver = true;
        deadlines.add(later);
      },
    };
    deadlines.add(first);
    pass(MILLISECONDS);
    expect(told).toEqual(['first']);
    pass(MILLISECONDS);
    expect(told).toEqual(['first', 'later']);
  });
});
