import { clockWarning, measureClock } from './clock-difference.ts';

const NEEDS = { recordAgeMs: 35_000, clockDifferenceMs: 1_000, keptMs: 3_600_000 };

/** A clock that shows these milliseconds, one after the other. */
const clockOf =
  (...times: number[]) =>
  () =>
    new Date(times.shift()!);

describe('the difference of clocks', () => {
  it('is that to the middle of the answer, uncertain by half of its time', async () => {
    const time = async () => 9_000;
    expect(await measureClock({ time }, clockOf(10_000, 10_101))).toEqual({
      aheadMs: 1_051,
      uncertaintyMs: 51,
    });
    expect(await measureClock({ time }, clockOf(7_000, 7_000))).toEqual({
      aheadMs: -2_000,
      uncertaintyMs: 0,
    });
  });

  it.each([
    [1_050, 50, undefined],
    [1_051, 50, '1001 ms or more ahead'],
    [-1_001, 0, '1001 ms or more behind'],
  ])('%d ms, uncertain by %d, is said to be: %s', (aheadMs, uncertaintyMs, expected) => {
    const warning = clockWarning({ aheadMs, uncertaintyMs }, NEEDS);
    if (expected === undefined) expect(warning).toBeUndefined();
    else expect(warning).toContain(expected);
  });
});
