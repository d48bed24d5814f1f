/** What `setTimeout` returns. */
export interface Timer {
  /** lets the process end although this timer has not fired */
  unref(): unknown;
}

/** Timers as an argument, so that a simulated clock can take the place of the system's. */
export interface Timers {
  /** milliseconds, monotonic */
  now(): number;
  setTimeout<T>(callback: (argument: T) => void, milliseconds: number, argument: T): Timer;
  clearTimeout(timer: Timer | undefined): void;
}

export const systemTimers: Timers = {
  now: () => performance.now(),
  setTimeout: (callback, milliseconds, argument) => setTimeout(callback, milliseconds, argument),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
};
