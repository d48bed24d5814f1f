/** What a time source says of the clock of this machine. */
export interface ClockReading {
  /** whether the clock, or the server that it was compared with, follows a source of UTC */
  readonly isSynchronised: boolean;
  /** seconds by which the clock is ahead of UTC; negative when it is behind */
  readonly aheadSeconds: number;
  /** most seconds that the clock can be off, all that is uncertain counted */
  readonly divergenceSeconds: number;
}

/** The state of the clock as last probed. */
export interface ClockState {
  /** absent while it is not known */
  readonly reading?: ClockReading;
  readonly checkedAt?: Date;
  /** what an operator has to act on; absent while the clock is as it should be */
  readonly warning?: string;
}

const milliseconds = (seconds: number): string => `${(seconds * 1_000).toFixed(3)} ms`;

/** What is wrong with a reading, for an operator; undefined when nothing is. */
export const clockWarning = (reading: ClockReading, maxDivergenceSeconds: number): string | undefined => {
  if (!reading.isSynchronised) return 'the clock is not synchronised: its source follows no source of UTC';
  if (reading.divergenceSeconds <= maxDivergenceSeconds) return undefined;
  const { aheadSeconds } = reading;
  const measured = `${milliseconds(Math.abs(aheadSeconds))} ${aheadSeconds < 0 ? 'behind' : 'ahead'}`;
  return `the clock can be ${milliseconds(reading.divergenceSeconds)} off UTC (measured: ${measured}), more than ${milliseconds(maxDivergenceSeconds)}`;
};
