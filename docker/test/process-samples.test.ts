import { driftOf, type Sample } from '../e2e/support/process-samples.ts';

const samples = (megabytes: (second: number) => number, descriptors = (_second: number) => 40): Sample[] =>
  Array.from({ length: 1_000 }, (_, seconds) => ({
    seconds,
    megabytes: megabytes(seconds),
    descriptors: descriptors(seconds),
  }));
const WINDOWS = { fromSeconds: 300, windowSeconds: 140 };

describe('the drift of a process', () => {
  it('is none of what only happened in the first minutes, or for a moment', () => {
    const steady = samples((second) => (second < 250 ? second : 100 + (second % 100 === 0 ? 500 : 0)));
    expect(driftOf(steady, WINDOWS)).toEqual({ megabytes: 0, descriptors: 0 });
  });

  it('is what grew from the first window to the last one', () => {
    const leak = driftOf(
      samples(
        (second) => 100 + second / 10,
        (second) => 40 + Math.floor(second / 100),
      ),
      WINDOWS,
    );
    expect(leak?.megabytes).toBeCloseTo(193 / 137 - 1, 2);
    expect(leak?.descriptors).toBeCloseTo(49 / 43 - 1, 2);
  });

  it('is not known of a run that is too short', () => {
    expect(driftOf(samples(() => 100).slice(0, 500), WINDOWS)).toBeUndefined();
  });
});
