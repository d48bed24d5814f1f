/** Whether the process is shutting down. From `start()` on it is not ready, and its responses close their connections. */
export interface Drain {
  readonly draining: boolean;
  /** how long a connection without a request stays open after that, in milliseconds */
  readonly idleMs: number;
  start(options?: { readonly idleMs?: number }): void;
  /** Calls `listener` when draining starts. */
  onStart(listener: () => void): void;
}

export const createDrain = (): Drain => {
  let draining = false;
  let idle = 0;
  const listeners: (() => void)[] = [];
  return {
    get draining() {
      return draining;
    },
    get idleMs() {
      return idle;
    },
    start({ idleMs = 0 } = {}) {
      if (draining) return;
      draining = true;
      idle = idleMs;
      for (const listener of listeners) listener();
    },
    onStart: (listener) => void listeners.push(listener),
  };
};
