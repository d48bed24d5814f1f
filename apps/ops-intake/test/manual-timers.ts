import type { Timers } from '@workspace/service-process';

/** Timers whose time passes when the test says so; a process may not run for a while. */
export const manualTimers = () => {
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
