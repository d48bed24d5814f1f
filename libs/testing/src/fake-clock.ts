import { existsSync, renameSync, writeFileSync } from 'node:fs';

/** Debian's package faketime has it. */
export const LIBFAKETIME = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketime.so.1`;

/** Whether libfaketime is installed. */
export const clocksCanBeSet = (): boolean => existsSync(LIBFAKETIME);

/** The wall clock of processes that are started with its environment. Timers and files keep the machine's time. */
export interface FakeClock {
  readonly env: Readonly<Record<string, string>>;
  /** Sets the clock, also of running processes. It stands still until it is set again. */
  set(instant: Date): void;
}

/** @param file where the instant is kept; its folder exists */
export const createFakeClock = (file: string, instant: Date): FakeClock => {
  const set = (to: Date): void => {
    // In one step, as processes read it all the time.
    writeFileSync(`${file}.new`, to.toISOString().slice(0, 19).replace('T', ' '));
    renameSync(`${file}.new`, file);
  };
  set(instant);
  return {
    env: {
      TZ: 'UTC',
      LD_PRELOAD: LIBFAKETIME,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    },
    set,
  };
};
