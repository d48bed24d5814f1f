import { systemClock, systemTimers } from '@workspace/service-process';
import { eventually } from '@workspace/testing';
import { seededRandom } from '@workspace/testing/seeded-random';
import { createMicrosecondClock } from './microsecond-clock.ts';

const NOW = Date.UTC(2026, 10, 24);
const sinceNow = (microseconds: number): number => microseconds - NOW * 1_000;

/** Clocks of a machine whose time moves on with each reading. @param stepMs how far */
const machine = (startMs: number, stepMs: () => number) => {
  let elapsed = 0;
  let set = 0;
  const wait = (ms: number): void => void (elapsed += ms);
  return {
    clocks: {
      wall: () => (wait(stepMs()), NOW + Math.floor(startMs + elapsed + set)),
      monotonic: () => (wait(stepMs()), elapsed + 17.25),
    },
    /** what the synchronised clock shows, in microseconds since `NOW` */
    shown: () => (startMs + elapsed + set) * 1_000,
    wait,
    setBy: (ms: number) => void (set += ms),
  };
};

describe('the clock in microseconds', () => {
  it('shows the synchronised clock between two of its milliseconds', () => {
    const { clocks, shown, wait } = machine(0.4, () => 0.000_5);
    const clock = createMicrosecondClock(clocks);
    for (let reading = 0; reading < 1_000; reading++) {
      wait(reading * 0.937);
      const before = shown();
      const read = sinceNow(clock());
      expect(read).toBeGreaterThanOrEqual(Math.floor(before) - 1);
      expect(read).toBeLessThanOrEqual(shown() + 1);
      expect(Number.isInteger(read)).toBe(true);
    }
  });

  it('follows when the clock is set, forwards and backwards, at the latest after a few readings', () => {
    const next = seededRandom(7);
    for (let history = 0; history < 50; history++) {
      const { clocks, shown, wait, setBy } = machine(next(), () => 0.000_5 + next() * 0.000_5);
      const clock = createMicrosecondClock(clocks);
      setBy((next() - 0.5) * 10 ** (next() * 6));
      for (let reading = 0; reading < 1_000; reading++) {
        wait(next() * 3);
        clock();
      }
      const before = shown();
      // What is set by less than the uncertainty of reading may stay.
      expect(Math.abs(sinceNow(clock()) - before)).toBeLessThan(12);
    }
  });

  it('is not fooled by interruptions', () => {
    const next = seededRandom(11);
    const interrupted = (): number => (next() < 0.000_2 ? next() * 20 : 0.000_5);
    const { clocks, shown, wait } = machine(0, interrupted);
    const clock = createMicrosecondClock(clocks);
    for (let reading = 0; reading < 2_000; reading++) {
      wait(next());
      const before = shown();
      const read = sinceNow(clock());
      expect(read).toBeGreaterThanOrEqual(before - 12);
      expect(read).toBeLessThanOrEqual(shown() + 12);
    }
  });

  it('agrees with the clock of this machine, unless that interrupts each of its measurements', () =>
    eventually('agreement', () => {
      const clock = createMicrosecondClock({
        wall: () => systemClock().getTime(),
        monotonic: systemTimers.now,
      });
      return Array.from({ length: 100 }).every(() => {
        const before = Date.now();
        const read = clock() / 1_000;
        return read > before - 1 && read < Date.now() + 2;
      });
    }));
});
